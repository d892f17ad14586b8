import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StageKit } from './stage.ts';

const unreadable: readonly unknown[] = [
  ...[undefined, null, true, 0, '', 'paid', [], [[]], {}, { data: null }, { data: [] }, { eventType: 7 }],
  { paymentKey: 7, orderId: {} },
  { paymentKey: '', orderId: '' },
  { paymentKey: 'a\u0000b', orderId: 'order-\u0000' },
  { data: { paymentKey: 'a\u0000b', orderId: '\ud800-order' } },
  { paymentKey: 'two words', orderId: 'order/../../x' },
  { data: { paymentKey: ['a'], orderId: null } },
  JSON.parse('{"__proto__": {"paymentKey": "k", "orderId": "o"}}'),
];

export function hintTests(kit: StageKit): void {
  describe('a hint', () => {
    it('of the provider says what it is about', async () => {
      const { paymentKey, orderId } = await kit.captured();
      const bodies = kit.stage.hintsAbout({ paymentKey, orderId });
      expect(bodies.length).toBeGreaterThan(0);
      for (const body of bodies) {
        const hint = kit.stage.provider.readHint(body);
        expect([hint?.paymentKey ?? paymentKey, hint?.orderId ?? orderId]).toEqual([paymentKey, orderId]);
        expect(hint?.paymentKey ?? hint?.orderId).toBeTypeOf('string');
      }
    });

    it.each(unreadable.map((body) => [body]))('that cannot be read is none: %j', (body) => {
      expect(kit.stage.provider.readHint(body)).toBeNull();
    });

    it('whose names are longer than any name is none', async () => {
      const long = 'k'.repeat(100_000);
      for (const body of kit.stage.hintsAbout({ paymentKey: long, orderId: long })) {
        expect(kit.stage.provider.readHint(body)).toBeNull();
      }
    });

    it('never throws, whatever was sent', () => {
      fc.assert(
        fc.property(fc.anything({ withNullPrototype: true, maxDepth: 4 }), (body) => {
          const hint = kit.stage.provider.readHint(body);
          for (const name of hint === null ? [] : [hint.paymentKey, hint.orderId]) {
            expect(name === null || typeof name === 'string').toBe(true);
          }
        }),
      );
    });
  });
}
