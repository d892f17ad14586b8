import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { movementsOf } from './lists.ts';
import type { Behaviour, StageKit } from './stage.ts';

export function captureTests(kit: StageKit): void {
  describe('capture', () => {
    it('takes the money, and the payment is found by its key and by its order', async () => {
      const call = await kit.order('approves', { amountKrw: 41_000 });
      const payment = {
        ...{ paymentKey: call.paymentKey, orderId: call.orderId, status: 'captured', method: 'card', currency: 'KRW' },
        ...{ amountKrw: 41_000, balanceKrw: 41_000, wasCaptured: true, refunds: [], account: null },
      };
      expect(await kit.stage.provider.capture(call)).toEqual({ status: 'captured', payment });
      expect(await kit.stage.provider.find({ paymentKey: call.paymentKey })).toEqual({ status: 'found', payment });
      expect(await kit.stage.provider.find({ orderId: call.orderId })).toEqual({ status: 'found', payment });
    });

    it('takes nothing twice when it is repeated', async () => {
      const call = await kit.captured();
      expect(await kit.stage.provider.capture(call)).toMatchObject({
        status: 'captured',
        payment: { balanceKrw: call.amountKrw },
      });
      expect(await movementsOf(kit, call)).toMatchObject([{ kind: 'captured', amountKrw: call.amountKrw }]);
    });

    it('takes nothing twice when repeats come together, and tells none of them that it was declined', async () => {
      const call = await kit.order();
      const answers = await Promise.all(Array.from({ length: 8 }, () => kit.stage.provider.capture(call)));
      const said = new Set(answers.map(({ status }) => status));
      expect(said).toContain('captured');
      expect([...said].filter((status) => status !== 'captured' && status !== 'unknown')).toEqual([]);
      expect(await kit.found(call)).toMatchObject({ status: 'captured', balanceKrw: call.amountKrw });
      expect(await movementsOf(kit, call)).toHaveLength(1);
    });

    it('repeated after a refund it takes nothing again', async () => {
      const call = await kit.captured();
      const refund = await kit.refundOf(call, { amountKrw: null });
      expect(await kit.stage.provider.refund(refund)).toMatchObject({ status: 'done' });
      await kit.stage.provider.capture(call);
      expect(await kit.found(call)).toMatchObject({ status: 'refunded', balanceKrw: 0 });
    });

    const declines: [Behaviour, string][] = [
      ['declines', 'declined'],
      ['declines_funds', 'insufficient_funds'],
      ['declines_expired_card', 'card_expired'],
      ['declines_limit', 'limit_exceeded'],
    ];
    it.each(declines)('%s: proof that no money moved, with the reason %s', async (behaviour, reason) => {
      const call = await kit.order(behaviour);
      const answer = await kit.stage.provider.capture(call);
      expect(answer).toEqual({ status: 'declined', reason, code: expect.stringMatching(/./) });
      expect(await kit.stage.provider.capture(call)).toMatchObject({ status: 'declined' });
      const now = await kit.stage.provider.find({ paymentKey: call.paymentKey });
      if (now.status === 'found') expect(now.payment).toMatchObject({ balanceKrw: 0, wasCaptured: false });
      else expect(now).toEqual({ status: 'not_found' });
      expect(await movementsOf(kit, call)).toEqual([]);
    });

    it('declines what is below the minimum of its method', async () => {
      const { provider } = kit.stage;
      for (const method of ['card', 'virtual_account'] as const) {
        const call = await kit.order('approves', { amountKrw: provider.minimumKrw[method] - 1, method });
        expect(await provider.capture(call)).toMatchObject({ status: 'declined' });
      }
    });
  });

  it('finds nothing by a key or an order that nobody knows', async () => {
    const { provider } = kit.stage;
    expect(await provider.find({ paymentKey: `nobody_${randomUUID()}` })).toEqual({ status: 'not_found' });
    expect(await provider.find({ orderId: `nobody-${randomUUID()}` })).toEqual({ status: 'not_found' });
  });
}
