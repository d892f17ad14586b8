import { assert } from '#platform/assert.ts';

/**
 * A place in line as one number: smaller is earlier. Exact in a double, in Lua and in a Redis score. Called `order` in the
 * store, in the journal and in answers; not to be mixed up with an order that is paid.
 *
 *   order = lane · 2^45 + era · 2^36 + number
 *
 * `lane` 0 is the presale lane, 1 the general one. `era` is the event's counter in PostgreSQL, raised whenever numbers
 * begin anew (tier 1 switched, a counter lost), so that no number is given twice and nobody is reordered by it.
 */
export type PlaceOrder = number;

export interface PlaceOrderParts {
  readonly lane: Lane;
  readonly era: number;
  readonly number: number;
}

export type Lane = 0 | 1;
export const presaleLane: Lane = 0;
export const generalLane: Lane = 1;

export const numbersPerEra = 2 ** 36;
const erasPerLane = 2 ** 9;
export const eraMax = erasPerLane - 1;
export const placeOrdersPerLane = erasPerLane * numbersPerEra;
/** Spent places are kept in bitmaps of this many numbers. */
export const spentChunkBits = 20;
const spentChunkSize = 2 ** spentChunkBits;

export function packPlaceOrder({ lane, era, number }: PlaceOrderParts): PlaceOrder {
  assert(Number.isInteger(era) && era >= 0 && era <= eraMax, `era ${era} is out of range`);
  assert(Number.isInteger(number) && number >= 1 && number < numbersPerEra, `number ${number} is out of range`);
  return (lane * erasPerLane + era) * numbersPerEra + number;
}

export function unpackPlaceOrder(order: PlaceOrder): PlaceOrderParts {
  const number = order % numbersPerEra;
  const upper = (order - number) / numbersPerEra;
  const era = upper % erasPerLane;
  const lane = (upper - era) / erasPerLane;
  assert((lane === 0 || lane === 1) && number >= 1, `${order} is not an order`);
  return { lane, era, number };
}

/** Where the spent mark of an order is: bitmap `spent:{era}:{chunk}`, bit `offset`. A number belongs to one lane only. */
export function spentPlace(order: PlaceOrder): { era: number; chunk: number; offset: number } {
  const { era, number } = unpackPlaceOrder(order);
  return { era, chunk: Math.floor(number / spentChunkSize), offset: number % spentChunkSize };
}
