import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  eraMax,
  type Lane,
  type PlaceOrderParts,
  packPlaceOrder,
  spentChunkBits,
  spentPlace,
  unpackPlaceOrder,
} from './place-order.ts';

const numberMax = 2 ** 36 - 1;
const parts: fc.Arbitrary<PlaceOrderParts> = fc.record({
  lane: fc.constantFrom<Lane[]>(0, 1),
  era: fc.integer({ min: 0, max: eraMax }),
  number: fc.oneof(fc.integer({ min: 1, max: numberMax }), fc.constantFrom(1, 2 ** 20 - 1, 2 ** 20, numberMax)),
});

describe('an order', () => {
  it('is a whole number that says lane, era and number again', () => {
    fc.assert(
      fc.property(parts, (given) => {
        const order = packPlaceOrder(given);
        expect(Number.isSafeInteger(order)).toBe(true);
        expect(unpackPlaceOrder(order)).toEqual(given);
      }),
    );
  });

  it('goes by lane, then by era, then by number', () => {
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        const expected = a.lane - b.lane || a.era - b.era || a.number - b.number;
        expect(Math.sign(packPlaceOrder(a) - packPlaceOrder(b))).toBe(Math.sign(expected));
      }),
    );
  });

  it('is laid out as stores and tokens know it', () => {
    expect(packPlaceOrder({ lane: 0, era: 0, number: 1 })).toBe(1);
    expect(packPlaceOrder({ lane: 0, era: 1, number: 1 })).toBe(2 ** 36 + 1);
    expect(packPlaceOrder({ lane: 1, era: 0, number: 1 })).toBe(2 ** 45 + 1);
    expect(packPlaceOrder({ lane: 1, era: eraMax, number: numberMax })).toBe(2 ** 46 - 1);
  });

  it.each([
    { lane: 0, era: -1, number: 1 },
    { lane: 0, era: eraMax + 1, number: 1 },
    { lane: 0, era: 0.5, number: 1 },
    { lane: 0, era: 0, number: 0 },
    { lane: 0, era: 0, number: numberMax + 1 },
    { lane: 1, era: 0, number: 1.5 },
    { lane: 1, era: 0, number: Number.NaN },
  ] satisfies PlaceOrderParts[])('is not made of $lane, $era, $number', (given) => {
    expect(() => packPlaceOrder(given)).toThrow('out of range');
  });

  it.each([0, -1, 0.5, 2 ** 36, 2 ** 46, 2 ** 46 + 1, Number.NaN])('%d is none', (order) => {
    expect(() => unpackPlaceOrder(order)).toThrow('is not an order');
  });
});

describe('the spent mark of an order', () => {
  it('is a bit of its own for every number of an era', () => {
    fc.assert(
      fc.property(parts, (given) => {
        const { era, chunk, offset } = spentPlace(packPlaceOrder(given));
        expect({ era, number: chunk * 2 ** spentChunkBits + offset }).toEqual({ era: given.era, number: given.number });
        expect(offset).toBeLessThan(2 ** spentChunkBits);
      }),
    );
  });
});
