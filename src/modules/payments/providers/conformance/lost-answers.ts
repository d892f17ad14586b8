import { describe, expect, it } from 'vitest';
import { movementsOf } from './lists.ts';
import { endedUnpaid, minuteMs, type StageKit, unpaid } from './stage.ts';

/** How long a slow answer takes at the most. */
const slowMs = 2 * minuteMs;
/** A payment that nobody captures is over by then. */
const sessionMs = 31 * minuteMs;
const notYet = ['open', 'in_progress', ...endedUnpaid];

export function lostAnswerTests(kit: StageKit): void {
  describe('an answer that is lost', () => {
    it('before the money was taken: unknown, then nothing is found, and a repeat takes it once', async () => {
      const call = await kit.order('times_out_before');
      expect(await kit.stage.provider.capture(call)).toMatchObject({ status: 'unknown' });
      await expectNotCaptured(call.paymentKey);
      expect(await kit.stage.provider.capture(call)).toMatchObject({ status: 'captured' });
      expect(await movementsOf(kit, call)).toHaveLength(1);
    });

    it('before the money was taken: what nobody repeats is over after a time', async () => {
      const call = await kit.order('times_out_before');
      await kit.stage.provider.capture(call);
      await kit.stage.passTime(sessionMs);
      expect(await kit.found(call)).toMatchObject({ ...unpaid, status: expect.toBeOneOf(endedUnpaid) });
      const answer = await kit.stage.provider.capture({ ...call, attemptId: `${call.attemptId}-2` });
      expect(answer.status).toBeOneOf(['declined', 'unknown']);
      expect(await movementsOf(kit, call)).toEqual([]);
    });

    it('after the money was taken: unknown, then it is found, and a repeat takes nothing', async () => {
      const call = await kit.order('times_out_after');
      expect(await kit.stage.provider.capture(call)).toMatchObject({ status: 'unknown', why: expect.any(String) });
      const captured = { status: 'captured', balanceKrw: call.amountKrw, wasCaptured: true };
      expect(await kit.found(call)).toMatchObject(captured);
      expect(await kit.stage.provider.find({ orderId: call.orderId })).toMatchObject({ payment: captured });
      expect(await kit.stage.provider.capture(call)).toMatchObject({ status: 'captured' });
      expect(await movementsOf(kit, call)).toHaveLength(1);
    });

    it('because it comes too late: unknown within the limit, and the money is taken once', async () => {
      const call = await kit.order('slow');
      expect(await kit.stage.hasty.capture(call)).toMatchObject({ status: 'unknown' });
      await kit.stage.passTime(slowMs);
      expect(await kit.stage.provider.capture(call)).toMatchObject({ status: 'captured' });
      expect(await movementsOf(kit, call)).toHaveLength(1);
    });

    it('because the provider has a fault: no proof of anything, and a repeat takes the money once', async () => {
      const call = await kit.order('fails_once');
      expect(await kit.stage.provider.capture(call)).toMatchObject({ status: 'unknown' });
      await expectNotCaptured(call.paymentKey);
      expect(await kit.stage.provider.capture(call)).toMatchObject({ status: 'captured' });
      expect(await movementsOf(kit, call)).toHaveLength(1);
    });
  });

  async function expectNotCaptured(paymentKey: string): Promise<void> {
    const now = await kit.stage.provider.find({ paymentKey });
    if (now.status === 'found') expect(now.payment).toMatchObject({ ...unpaid, status: expect.toBeOneOf(notYet) });
    else expect(now).toEqual({ status: 'not_found' });
  }
}
