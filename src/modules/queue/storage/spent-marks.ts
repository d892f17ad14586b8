import { assert } from '#platform/assert.ts';
import { type PlaceOrder, spentChunkBits, spentPlace } from '../domain/place-order.ts';
import type { BeginCall } from '../ports.ts';

/** Which places are over, for the in-process store and for what a process knows of another one's: one bit each, in bitmaps that grow as numbers come, laid out as Redis SETBIT has it. */
export interface SpentMarks {
  has(order: PlaceOrder): boolean;
  /** Whether this changed anything. */
  set(order: PlaceOrder): boolean;
  unset(order: PlaceOrder): void;
  chunks(): BeginCall['spent'];
}

const chunkBytesMax = 2 ** spentChunkBits / 8;
const firstBytes = 64;

export function createSpentMarks(chunks: BeginCall['spent']): SpentMarks {
  const bitmaps = new Map<string, Buffer>();
  for (const { era, chunk, bits } of chunks) {
    assert(bits.length <= chunkBytesMax, `chunk ${era}:${chunk} has ${bits.length} bytes`);
    // A copy: the caller's buffer may be shared.
    bitmaps.set(`${era}:${chunk}`, Buffer.from(bits));
  }

  return {
    has(order) {
      const { name, byte, bit } = locate(order);
      return ((bitmaps.get(name)?.[byte] ?? 0) & bit) !== 0;
    },
    set(order) {
      const { name, byte, bit } = locate(order);
      const bitmap = roomFor(name, byte);
      const before = bitmap[byte] ?? 0;
      bitmap[byte] = before | bit;
      return (before & bit) === 0;
    },
    unset(order) {
      const { name, byte, bit } = locate(order);
      const bitmap = roomFor(name, byte);
      bitmap[byte] = (bitmap[byte] ?? 0) & ~bit;
    },
    chunks: () =>
      [...bitmaps].map(([name, bits]) => {
        const [era = 0, chunk = 0] = name.split(':').map(Number);
        return { era, chunk, bits: Buffer.from(bits) };
      }),
  };

  function roomFor(name: string, byte: number): Buffer {
    const present = bitmaps.get(name);
    if (present !== undefined && byte < present.length) return present;
    const grown = Buffer.alloc(Math.min(Math.max(firstBytes, (byte + 1) * 2), chunkBytesMax));
    present?.copy(grown);
    bitmaps.set(name, grown);
    return grown;
  }
}

function locate(order: PlaceOrder): { name: string; byte: number; bit: number } {
  const { era, chunk, offset } = spentPlace(order);
  return { name: `${era}:${chunk}`, byte: offset >>> 3, bit: 0x80 >>> (offset & 7) };
}
