import { describe, expect, it } from 'vitest';
import type { PaymentProvider } from '../../ports.ts';
import { movementsOf } from './lists.ts';
import { done, type StageKit } from './stage.ts';

export function outageTests(kit: StageKit): void {
  /** What the provider of `of` answers about money that nothing is known of. */
  async function expectNothingKnown(how: 'refuses' | 'hangs', of: () => PaymentProvider): Promise<void> {
    const paid = await kit.captured();
    const open = await kit.order();
    const refund = await kit.refundOf(paid, { amountKrw: 10_000 });
    const nowMs = await kit.stage.now();
    await kit.stage.goAway(how);
    try {
      const unknown = { status: 'unknown', why: expect.stringMatching(/./) };
      expect(await of().capture(open)).toEqual(unknown);
      expect(await of().find({ paymentKey: paid.paymentKey })).toEqual(unknown);
      expect(await of().find({ orderId: paid.orderId })).toEqual(unknown);
      expect((await of().refund(refund)).status).toBeOneOf(['later', 'unknown']);
      // Reconciliation must not take a list that could not be read for an empty one.
      await expect(of().list({ fromMs: nowMs - 1_000, toMs: nowMs, cursor: null })).rejects.toThrow();
    } finally {
      await kit.stage.comeBack();
    }
    expect(await kit.stage.provider.capture(open)).toMatchObject({ status: 'captured' });
    expect(await movementsOf(kit, open)).toHaveLength(1);
    done(await kit.stage.provider.refund(refund));
    expect(await kit.found(paid)).toMatchObject({ balanceKrw: 20_000 });
  }

  describe('a provider that is away', () => {
    it('and refuses: nothing is known, nothing is thrown; when it is back, repeats move the money once', () =>
      expectNothingKnown('refuses', () => kit.stage.provider));

    it('and never answers: every call ends by its limit', () => expectNothingKnown('hangs', () => kit.stage.hasty));
  });
}
