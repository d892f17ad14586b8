import { type PlaceOrder, spentChunkBits, unpackPlaceOrder } from '../domain/place-order.ts';
import type { BeginCall } from '../ports.ts';

/** Numbers per row of `queue.spent`: a kilobyte of bits. */
const rangeBits = 13;
const rangeSize = 2 ** rangeBits;
const rangeBytes = rangeSize / 8;
const rangesPerChunk = 2 ** (spentChunkBits - rangeBits);

export interface SpentRange {
  readonly era: number;
  readonly range: number;
  readonly bits: Buffer;
}

export interface RangeMarks {
  readonly era: number;
  readonly range: number;
  /** Number within the range → spent or not. */
  readonly marks: ReadonlyMap<number, boolean>;
}

/** Which rows a set of marks touches. */
export function groupMarks(marks: ReadonlyMap<PlaceOrder, boolean>): RangeMarks[] {
  const groups = new Map<string, { era: number; range: number; marks: Map<number, boolean> }>();
  for (const [order, spent] of marks) {
    const { era, number } = unpackPlaceOrder(order);
    const range = Math.floor(number / rangeSize);
    const key = `${era}/${range}`;
    const group = groups.get(key) ?? { era, range, marks: new Map() };
    groups.set(key, group);
    group.marks.set(number % rangeSize, spent);
  }
  // In one order everywhere, so that two writers never wait for each other in a circle.
  return [...groups.values()].sort((a, b) => a.era - b.era || a.range - b.range);
}

/** The bits with the marks on them, or null when they say so already. */
export function applyMarks(before: Buffer | undefined, marks: RangeMarks['marks']): Buffer | null {
  const bits = before === undefined ? Buffer.alloc(rangeBytes) : Buffer.from(before);
  let changed = false;
  for (const [offset, spent] of marks) {
    const byte = bits.readUInt8(offset >> 3);
    const mask = 0x80 >> (offset & 7);
    if (((byte & mask) !== 0) === spent) continue;
    bits.writeUInt8(spent ? byte | mask : byte & ~mask, offset >> 3);
    changed = true;
  }
  return changed ? bits : null;
}

/** The bitmaps cut into rows. */
export function rangesOf(chunks: BeginCall['spent']): SpentRange[] {
  return chunks.flatMap(({ era, chunk, bits }) =>
    Array.from({ length: Math.ceil(bits.length / rangeBytes) }, (_, n) => {
      const row = Buffer.alloc(rangeBytes);
      bits.copy(row, 0, n * rangeBytes, (n + 1) * rangeBytes);
      return { era, range: chunk * rangesPerChunk + n, bits: row };
    }),
  );
}

/** Rows put together to the bitmaps that the store keeps. */
export function chunksOf(ranges: readonly SpentRange[]): BeginCall['spent'] {
  const chunks = new Map<string, { era: number; chunk: number; bits: Buffer }>();
  for (const { era, range, bits } of ranges) {
    const chunk = Math.floor(range / rangesPerChunk);
    const key = `${era}/${chunk}`;
    const whole = chunks.get(key) ?? { era, chunk, bits: Buffer.alloc(rangesPerChunk * rangeBytes) };
    chunks.set(key, whole);
    bits.copy(whole.bits, (range % rangesPerChunk) * rangeBytes);
  }
  return [...chunks.values()];
}
