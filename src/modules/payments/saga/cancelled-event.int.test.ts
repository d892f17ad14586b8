import { describe, expect, test } from 'vitest';
import { createEventCancellation } from '#modules/ticketing/jobs/event-cancellation.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { busKinds } from '#test/kit/payments/carriers.ts';
import { aPayDesk } from '#test/kit/payments/pay-desk.ts';
import { aPlayedProvider } from '#test/kit/payments/played-provider.ts';
import { soldOut } from '#test/kit/payments/sold-out.ts';

const buyers = 2_000;
const refundsPerSecond = 250;
const roundsMax = 60;
const hangGuardMs = 1_200_000;

describe.each(busKinds)('on the bus "%s"', (carrier) => {
  test(`a seller cancels an event with ${buyers} paid reservations, and every fifth call to the provider fails: everybody has all of it back, once`, {
    timeout: hangGuardMs,
  }, async () => {
    const provider = aPlayedProvider();
    const desk = await aPayDesk(provider, { carrier, refundsPerSecond });
    const sale = await desk.sale({ priceKrw: 50_000, seats: buyers });
    const orders = await soldOut(desk, provider, sale);
    const { capturedKrw: takenKrw } = await desk.settle();
    expect(takenKrw).toBeGreaterThanOrEqual(buyers * sale.priceKrw);

    // By turns: it never came, it was done and its answer is lost, it is too busy, and this process fails.
    let calls = 0;
    const { refund } = provider;
    provider.refund = async (call) => {
      calls += 1;
      if (calls % 5 !== 0) return refund(call);
      const way = (calls / 5) % 4;
      if (way === 0) return { status: 'unknown', why: 'it never came' };
      if (way === 1) provider.refunds.unshift('lost-after');
      if (way === 2) provider.refunds.unshift('later');
      if (way === 3) throw new Error('the process fails');
      return refund(call);
    };

    await desk.database.query('UPDATE ticketing.events SET cancelled_at = urr.now() WHERE event_id = $1', [
      sale.eventId,
    ]);
    const cancellation = createEventCancellation({
      ...{ database: desk.database, logger: silentLogger, aftermath: { follow: () => {} } },
    });
    const isOver = async () =>
      (
        await desk.database.query<{ over: boolean }>(
          'SELECT cancel_done_at IS NOT NULL AS over FROM ticketing.events WHERE event_id = $1',
          [sale.eventId],
        )
      ).rows[0]?.over === true;
    const left = async () =>
      (await desk.database.query(`SELECT FROM payments.refunds WHERE status <> 'done'`)).rows.length;
    let rounds = 0;
    do {
      await cancellation.run(new AbortController().signal);
      await desk.deliver();
      const before = calls;
      await desk.run('payments-refunds');
      expect(calls - before).toBeLessThanOrEqual(refundsPerSecond);
      await desk.later(2 * 60_000);
    } while (((await left()) > 0 || !(await isOver())) && ++rounds < roundsMax);

    expect(await desk.settle()).toMatchObject({ capturedKrw: takenKrw, refundedKrw: takenKrw, withPerson: 0 });
    expect(calls).toBeGreaterThan(buyers);
    expect(orders.filter((orderId) => provider.moneyOf(orderId) !== 0)).toEqual([]);
    const { rows } = await desk.database.query(
      `SELECT status, payment_status AS paid, count(*)::integer FROM ticketing.reservations GROUP BY 1, 2`,
    );
    expect(rows).toEqual([{ status: 'cancelled', paid: 'refunded', count: buyers }]);
    expect(await desk.manual()).toEqual([]);
  });
});
