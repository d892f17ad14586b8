/** Two bits a seat, the first seat in the lowest bits of the first byte. */
export function packLooks(looks: Uint8Array): Buffer {
  const packed = Buffer.alloc(Math.ceil(looks.length / 4));
  for (let byte = 0; byte < packed.length; byte++) {
    const at = byte * 4;
    packed[byte] =
      (looks[at] ?? 0) | ((looks[at + 1] ?? 0) << 2) | ((looks[at + 2] ?? 0) << 4) | ((looks[at + 3] ?? 0) << 6);
  }
  return packed;
}

export function unpackLooks(packed: Uint8Array, seatCount: number): Uint8Array {
  return Uint8Array.from({ length: seatCount }, (_, seatNo) => ((packed[seatNo >> 2] ?? 0) >> ((seatNo & 3) * 2)) & 3);
}
