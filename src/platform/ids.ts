import type { Clock } from './clock.ts';
import type { Random } from './random.ts';

export interface Ids {
  /** A new UUIDv7: sorts by the time it was made. */
  next(): string;
}

export const uuidPattern = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$';
const uuidExpression = new RegExp(uuidPattern);

export function isUuid(text: string): boolean {
  return uuidExpression.test(text);
}

/**
 * UUIDv7 as RFC 9562 lays it out: 48 bits of milliseconds, then a 12-bit counter so that ids made in one
 * millisecond by one process still sort in the order they were made, then 62 random bits.
 */
export function createIds({ clock, random }: { clock: Clock; random: Random }): Ids {
  let lastMs = 0;
  let counter = 0;
  return {
    next() {
      const now = clock.now();
      if (now > lastMs) {
        lastMs = now;
        counter = random.bytes(2).readUInt16BE() & 0x3ff;
      } else if (++counter > 0xfff) {
        // 4,096 ids in one millisecond (or a clock that stands still): borrow the next millisecond.
        lastMs += 1;
        counter = 0;
      }
      const bytes = random.bytes(16);
      bytes.writeUIntBE(lastMs, 0, 6);
      bytes.writeUInt16BE(0x7000 | counter, 6);
      bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
      const hex = bytes.toString('hex');
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
    },
  };
}
