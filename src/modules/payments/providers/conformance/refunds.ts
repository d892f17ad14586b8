import { describe, expect, it } from 'vitest';
import { movementsOf } from './lists.ts';
import { done, keyLifeMs, minuteMs, type StageKit } from './stage.ts';

export function refundTests(kit: StageKit): void {
  const refund = (call: Parameters<StageKit['stage']['provider']['refund']>[0]) => kit.stage.provider.refund(call);

  describe('refund', () => {
    it('gives a part back, then the rest; what the provider says names both', async () => {
      const call = await kit.captured();
      const first = done(await refund(await kit.refundOf(call, { amountKrw: 10_000, balanceKrw: 30_000 })));
      expect(first.payment).toMatchObject({ status: 'captured', balanceKrw: 20_000, wasCaptured: true });
      const second = done(await refund(await kit.refundOf(call, { amountKrw: 20_000, balanceKrw: 20_000 })));
      expect(second.payment).toMatchObject({ status: 'refunded', balanceKrw: 0, wasCaptured: true });
      expect(second.payment.refunds).toMatchObject([
        { reference: first.reference, amountKrw: 10_000, atMs: expect.any(Number) },
        { reference: second.reference, amountKrw: 20_000 },
      ]);
      expect(await kit.found(call)).toEqual(second.payment);
    });

    it('without an amount gives back all that is left', async () => {
      const call = await kit.captured();
      done(await refund(await kit.refundOf(call, { amountKrw: 12_345 })));
      const all = done(await refund(await kit.refundOf(call, { amountKrw: null })));
      expect(all.payment).toMatchObject({ status: 'refunded', balanceKrw: 0 });
      expect(all.payment.refunds.map(({ amountKrw }) => amountKrw)).toEqual([12_345, 17_655]);
    });

    it('of more than there is left is refused, and moves nothing', async () => {
      const call = await kit.captured();
      done(await refund(await kit.refundOf(call, { amountKrw: 20_000 })));
      const answer = await refund(await kit.refundOf(call, { amountKrw: 10_001 }));
      expect(answer).toEqual({ status: 'refused', code: expect.stringMatching(/./), message: expect.any(String) });
      expect(await kit.found(call)).toMatchObject({ balanceKrw: 10_000 });
    });

    it('of a payment whose balance is another than believed is refused, and moves nothing', async () => {
      const call = await kit.captured();
      await kit.stage.refundElsewhere(call.paymentKey, 10_000);
      const answer = await refund(await kit.refundOf(call, { amountKrw: 5_000, balanceKrw: 30_000 }));
      expect(answer).toMatchObject({ status: 'refused' });
      expect(await kit.found(call)).toMatchObject({ balanceKrw: 20_000 });
    });

    it('of a payment that nobody knows is refused', async () => {
      const call = { ...(await kit.captured()), paymentKey: 'nobody_knows_this_key' };
      expect(await refund(await kit.refundOf(call, { amountKrw: 1_000 }))).toMatchObject({ status: 'refused' });
    });

    it('repeated gives nothing twice', async () => {
      const call = await kit.captured();
      const again = await kit.refundOf(call, { amountKrw: 10_000, balanceKrw: 30_000 });
      const { reference } = done(await refund(again));
      expect(await refund(again)).toMatchObject({ status: 'done', reference });
      expect(await kit.found(call)).toMatchObject({ balanceKrw: 20_000, refunds: [{ reference }] });
    });

    it('repeated by many together gives nothing twice', async () => {
      const call = await kit.captured();
      const again = await kit.refundOf(call, { amountKrw: 10_000 });
      const answers = await Promise.all(Array.from({ length: 8 }, () => refund(again)));
      expect(answers.filter(({ status }) => status === 'refused')).toEqual([]);
      done(await refund(again));
      expect(await kit.found(call)).toMatchObject({ balanceKrw: 20_000 });
      expect((await kit.found(call)).refunds).toHaveLength(1);
    });

    it('repeated when its idempotency key has lapsed gives nothing twice', async () => {
      const call = await kit.captured();
      const again = await kit.refundOf(call, { amountKrw: 10_000, balanceKrw: 30_000 });
      const { reference } = done(await refund(again));
      // Another one of the same amount must not be taken for it, nor it for the other.
      const other = done(await refund(await kit.refundOf(call, { amountKrw: 10_000 })));
      await kit.stage.passTime(keyLifeMs + minuteMs);
      expect(await refund(again)).toMatchObject({ status: 'done', reference });
      expect(other.reference).not.toBe(reference);
      expect(await kit.found(call)).toMatchObject({ balanceKrw: 10_000 });
    });

    it('that never arrived is sent even when its idempotency key has lapsed', async () => {
      const call = await kit.captured('refund_times_out_before');
      const late = await kit.refundOf(call, { amountKrw: 10_000, balanceKrw: 30_000 });
      expect(await refund(late)).toMatchObject({ status: 'unknown' });
      await kit.stage.passTime(keyLifeMs + minuteMs);
      done(await refund(late));
      expect(await kit.found(call)).toMatchObject({ balanceKrw: 20_000 });
    });

    it('whose answer is lost before the money went back: unknown, and a repeat gives it once', async () => {
      const call = await kit.captured('refund_times_out_before');
      const lost = await kit.refundOf(call, { amountKrw: 10_000 });
      expect(await refund(lost)).toMatchObject({ status: 'unknown' });
      expect(await kit.found(call)).toMatchObject({ balanceKrw: 30_000, refunds: [] });
      done(await refund(lost));
      expect(await kit.found(call)).toMatchObject({ balanceKrw: 20_000 });
    });

    it('whose answer is lost after the money went back: unknown, and a repeat gives nothing', async () => {
      const call = await kit.captured('refund_times_out_after');
      const lost = await kit.refundOf(call, { amountKrw: null });
      expect(await refund(lost)).toMatchObject({ status: 'unknown' });
      const { refunds } = await kit.found(call);
      expect(refunds).toHaveLength(1);
      expect(await refund(lost)).toMatchObject({ status: 'done', reference: refunds[0]?.reference });
      expect(await kit.found(call)).toMatchObject({ status: 'refunded', balanceKrw: 0, refunds });
    });

    it('made elsewhere is seen, and is not one of ours', async () => {
      const call = await kit.captured();
      await kit.stage.refundElsewhere(call.paymentKey, 12_000);
      expect(await kit.found(call)).toMatchObject({
        ...{ status: 'captured', balanceKrw: 18_000, wasCaptured: true },
        refunds: [{ amountKrw: 12_000, refundId: null, reference: expect.stringMatching(/./) }],
      });
      expect(await movementsOf(kit, call)).toMatchObject([
        { kind: 'captured' },
        { kind: 'refunded', amountKrw: 12_000 },
      ]);
    });

    it('of everything, for a payment that was not captured: no money moves, then or later', async () => {
      const call = await kit.order('times_out_before');
      await kit.stage.provider.capture(call);
      const answer = await refund(await kit.refundOf(call, { amountKrw: null }));
      expect(answer.status).toBeOneOf(['done', 'refused']);
      if (answer.status === 'done') await kit.stage.provider.capture(call);
      expect(await movementsOf(kit, call)).toEqual([]);
    });
  });
}
