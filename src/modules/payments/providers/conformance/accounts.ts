import { describe, expect, it } from 'vitest';
import { movementsOf } from './lists.ts';
import { done, endedUnpaid, minuteMs, type StageKit, unpaid } from './stage.ts';

export function accountTests(kit: StageKit): void {
  describe('a virtual account', () => {
    it('waits for its deposit, and has the money then', async () => {
      const call = await kit.order('approves', { method: 'virtual_account', amountKrw: 52_000 });
      const answer = await kit.stage.provider.capture(call);
      expect(answer).toMatchObject({
        status: 'waiting_for_deposit',
        payment: { ...unpaid, status: 'waiting_for_deposit', method: 'virtual_account', amountKrw: 52_000 },
      });
      const { account } = await kit.found(call);
      expect(account).toEqual({
        bank: expect.stringMatching(/./),
        number: expect.stringMatching(/^\d+$/),
        depositUntilMs: expect.any(Number),
      });
      expect(account?.depositUntilMs).toBeGreaterThan(await kit.stage.now());
      expect(await movementsOf(kit, call)).toEqual([]);

      await kit.stage.deposit(call.paymentKey);
      const paid = { status: 'captured', balanceKrw: 52_000, wasCaptured: true };
      expect(await kit.found(call)).toMatchObject(paid);
      expect(await kit.stage.provider.find({ orderId: call.orderId })).toMatchObject({ payment: paid });
      expect(await movementsOf(kit, call)).toMatchObject([{ kind: 'captured', amountKrw: 52_000 }]);
    });

    it('is opened once, however often it is asked for', async () => {
      const call = await kit.order('approves', { method: 'virtual_account' });
      await Promise.all([kit.stage.provider.capture(call), kit.stage.provider.capture(call)]);
      const { account } = await kit.found(call);
      expect(await kit.stage.provider.capture(call)).toMatchObject({
        status: 'waiting_for_deposit',
        payment: { account },
      });
    });

    it('asked for again after its deposit is captured', async () => {
      const call = await kit.opened();
      await kit.stage.deposit(call.paymentKey);
      const answer = await kit.stage.provider.capture(call);
      // An idempotency key gives the first answer again; the truth is what is found.
      expect(answer.status).toBeOneOf(['captured', 'waiting_for_deposit', 'unknown']);
      expect(await movementsOf(kit, call)).toHaveLength(1);
    });

    it('expires at its deadline', async () => {
      const call = await kit.opened();
      const { account } = await kit.found(call);
      if (account === null) throw new Error('it has no account');
      await kit.stage.passTime(account.depositUntilMs - (await kit.stage.now()) + minuteMs);
      expect(await kit.found(call)).toMatchObject({ ...unpaid, status: 'expired' });
    });

    it('is closed by a refund of everything, which may be repeated, and no money has moved', async () => {
      const call = await kit.opened();
      const close = await kit.refundOf(call, { amountKrw: null, account: null });
      const closed = { ...unpaid, status: expect.toBeOneOf(endedUnpaid) };
      expect(done(await kit.stage.provider.refund(close)).payment).toMatchObject(closed);
      expect(await kit.found(call)).toMatchObject(closed);
      expect(await kit.stage.provider.refund(close)).toMatchObject({ status: 'done' });
      expect(await movementsOf(kit, call)).toEqual([]);
    });

    it('whose deposit the bank takes back was captured, has no money, and no refund says so', async () => {
      const call = await kit.opened();
      await kit.stage.deposit(call.paymentKey);
      await kit.stage.reverse(call.paymentKey);
      const now = await kit.found(call);
      expect(now).toMatchObject({ balanceKrw: 0, wasCaptured: true, refunds: [] });
      expect(now.status).not.toBe('captured');
      const refund = await kit.refundOf(call, { amountKrw: 1_000 });
      expect((await kit.stage.provider.refund(refund)).status).toBeOneOf(['refused', 'later']);
    });

    it('gives its money back to the account of its buyer', async () => {
      const call = await kit.opened(30_000);
      await kit.stage.deposit(call.paymentKey);
      const refund = await kit.refundOf(call, { amountKrw: 10_000 });
      expect(done(await kit.stage.provider.refund(refund)).payment).toMatchObject({ balanceKrw: 20_000 });
      const nowhere = await kit.refundOf(call, { amountKrw: 10_000, account: null });
      expect(await kit.stage.provider.refund(nowhere)).toMatchObject({ status: 'refused' });
      expect(await kit.found(call)).toMatchObject({ balanceKrw: 20_000 });
    });
  });
}
