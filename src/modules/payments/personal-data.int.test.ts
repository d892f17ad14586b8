import { beforeEach, describe, expect, test } from 'vitest';
import { createPersonalData } from '#modules/ticketing/service/personal-data.ts';
import { ticketMoney } from '#modules/ticketing/storage/ticket-money.ts';
import type { Held } from '#modules/ticketing/testing/a-hold.ts';
import type { Sale } from '#modules/ticketing/testing/a-sale.ts';
import type { PersonalDataClient } from '#platform/personal-data-calls.ts';
import { putDatabaseClockForward } from '#test/kit/database-clock.ts';
import { aPayDesk, type PayDesk } from '#test/kit/payments/pay-desk.ts';
import { aPlayedProvider, type PlayedProvider } from '#test/kit/payments/played-provider.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import { checkMoney } from './service/check-money.ts';

let provider: PlayedProvider;
let desk: PayDesk;
let sale: Sale;
let tickets: PersonalDataClient;
let money: PersonalDataClient;

beforeEach(async () => {
  provider = aPlayedProvider();
  desk = await aPayDesk(provider);
  sale = await desk.sale({ priceKrw: 50_000 });
  tickets = createPersonalData({ database: desk.database });
  // The module's own handlers of these very calls.
  money = desk.payments.internal as unknown as PersonalDataClient;
});

async function aPurchase(method: 'card' | 'virtual_account' = 'card'): Promise<Held> {
  const held = await desk.hold(sale, { seatNos: [0, 1] });
  const orderId = await desk.prepare(held, method);
  await desk.confirm(held, orderId);
  await desk.deliver();
  return held;
}

async function ticketIdsOf({ userId }: Held): Promise<string[]> {
  const { sections } = await tickets.exportUser({ userId });
  return (sections.tickets as { id: string; state: string }[])
    .filter(({ state }) => state === 'issued')
    .map(({ id }) => id);
}

async function cancel(held: Held, ticketIds: string[] | null): Promise<void> {
  const call = { reservationId: held.id, userId: held.userId, ticketIds };
  expect(await desk.reservations.cancel(call)).toMatchObject({ status: 'done' });
}

const reasonsOf = async ({ userId }: Held) => [
  (await tickets.erasureObstacles({ userId })).reasons,
  (await money.erasureObstacles({ userId })).reasons,
];

/** As `urr check-ledger` does. */
const moneyOf = ({ database }: PayDesk) =>
  checkMoney(database, {
    tickets: {
      of: (orderIds) => ticketMoney(database, { orderIds, limit: orderIds.length }),
      page: (after, limit) => ticketMoney(database, { after, limit }),
    },
    pause: async () => {},
  });

/** The show, and the day after it. */
const showOver = () => putDatabaseClockForward(desk.database, 32 * 24 * 3_600_000);

describe('what is shown to a user', () => {
  test('is what was bought, paid, cancelled and scanned, and nothing of others', async () => {
    const held = await aPurchase();
    const other = await desk.hold(sale, { seatNos: [5] });
    const [ticketId = ''] = await ticketIdsOf(held);
    await desk.database.query(
      `INSERT INTO ticketing.scans (event_id, scan_id, ticket_id, verdict, gate, scanned_at, scanned_by, is_offline)
       VALUES ($1, gen_random_uuid(), $2, 'admitted', 'A', urr.now(), gen_random_uuid(), false)`,
      [sale.eventId, ticketId],
    );
    const shown = await tickets.exportUser({ userId: held.userId });
    expect(shown.truncated).toEqual([]);
    expect(shown.sections).toMatchObject({
      reservations: [{ id: held.id, title: '먼 데서 온 바람', status: 'confirmed', paidKrw: held.totalKrw }],
      tickets: [{ state: 'issued' }, { state: 'issued' }],
      scans: [{ ticketId, gate: 'A', verdict: 'admitted' }],
      audit: [],
    });
    expect(JSON.stringify(shown)).not.toContain(other.id);
    const paid = await money.exportUser({ userId: held.userId });
    expect(paid.sections.orders).toMatchObject([
      {
        amountKrw: held.totalKrw,
        method: 'card',
        payments: [{ status: 'captured', capturedKrw: held.totalKrw, refunds: [] }],
      },
    ]);
    expect((await money.exportUser({ userId: other.userId })).sections.orders).toEqual([]);
  });
});

describe('what stands against an erasure', () => {
  test('a hold does until it lapses', async () => {
    const held = await desk.hold(sale, { seatNos: [0] });
    expect(await reasonsOf(held)).toEqual([['live_holds'], []]);
    await putDatabaseClockForward(desk.database, 11 * 60_000);
    expect(await reasonsOf(held)).toEqual([[], []]);
  });

  test('a payment under way does, on both sides', async () => {
    const held = await desk.hold(sale, { seatNos: [0] });
    provider.captures.push('lost-before');
    await desk.confirm(held, await desk.prepare(held));
    expect(await reasonsOf(held)).toEqual([['money_under_way'], ['money_under_way']]);
    expect(await money.eraseUser({ userId: held.userId })).toEqual({ erased: false });
  });

  test('a late deposit does from the moment it is booked, before anybody has said that it goes back', async () => {
    const held = await desk.hold(sale, { seatNos: [0, 1] });
    const orderId = await desk.prepare(held, 'virtual_account');
    provider.captures.push('waits');
    await desk.confirm(held, orderId, { paymentKey: 'account' });
    await desk.deliver();
    await desk.later(31 * 60_000);
    await desk.run('payments-checks');
    await desk.deliver();
    expect(await reasonsOf(held)).toEqual([[], []]);
    provider.deposit('account');
    await desk.hint({ paymentKey: 'account' });
    expect(await reasonsOf(held)).toEqual([[], ['money_under_way']]);
    expect(await money.eraseUser({ userId: held.userId })).toEqual({ erased: false });
    await desk.settle();
    expect(provider.moneyOf(orderId)).toBe(0);
    expect(await money.eraseUser({ userId: held.userId })).toEqual({ erased: true });
  });

  test('tickets do until their show is over', async () => {
    const held = await aPurchase();
    expect(await reasonsOf(held)).toEqual([['tickets_to_come'], []]);
    await showOver();
    expect(await reasonsOf(held)).toEqual([[], []]);
  });

  test('a refund does from the cancellation on, also before payments has heard of it, until it is done', async () => {
    const held = await aPurchase();
    await cancel(held, null);
    expect(await reasonsOf(held)).toEqual([['money_under_way'], []]);
    expect(await tickets.eraseUser({ userId: held.userId })).toEqual({ erased: false });
    await desk.deliver();
    expect(await reasonsOf(held)).toEqual([['money_under_way'], ['money_under_way']]);
    await desk.run('payments-refunds');
    await desk.deliver();
    expect(await reasonsOf(held)).toEqual([[], []]);
  });
});

describe('an erasure', () => {
  test('forgets the account that money goes back to and kept answers; what was paid stays, and the books agree', async () => {
    const held = await aPurchase();
    await desk.database.query(
      `UPDATE payments.orders SET refund_account = '{"bank":"우르르은행","number":"110-22","holder":"김우르"}' WHERE user_id = $1`,
      [held.userId],
    );
    await desk.database.query(
      `INSERT INTO urr.idempotency_keys (user_id, method, route, key, fingerprint, status, body)
       VALUES ($1, 'POST', '/x', 'k', 'f', 200, '{"holder":"김우르"}')`,
      [held.userId],
    );
    const [first = ''] = await ticketIdsOf(held);
    await cancel(held, [first]);
    await desk.deliver();
    await desk.run('payments-refunds');
    await desk.deliver();
    await showOver();
    const before = await money.exportUser({ userId: held.userId });
    expect(JSON.stringify(before)).toContain('김우르');

    for (let time = 0; time < 2; time++) {
      expect(await tickets.eraseUser({ userId: held.userId })).toEqual({ erased: true });
      expect(await money.eraseUser({ userId: held.userId })).toEqual({ erased: true });
    }
    const { rows } = await desk.database.query(
      `SELECT (SELECT count(*) FROM payments.orders WHERE refund_account IS NOT NULL) AS accounts,
              (SELECT count(*) FROM urr.idempotency_keys WHERE user_id = $1) AS answers,
              (SELECT sum(captured_krw) FROM payments.payments) AS captured`,
      [held.userId],
    );
    expect(rows[0]).toEqual({ accounts: 0, answers: 0, captured: held.totalKrw });
    await checkLedger(desk.database);
    expect(await moneyOf(desk)).toMatchObject({ contradiction: null, orders: 1, capturedKrw: held.totalKrw });
  });

  test('sells nothing more to the user, whose access token may last some minutes yet', async () => {
    const held = await desk.hold(sale, { seatNos: [0] });
    const orderId = await desk.prepare(held);
    const free = await desk.sale({ priceKrw: 0 });
    const gift = await desk.hold(free, { userId: held.userId, seatNos: [0] });
    await tickets.eraseUser({ userId: held.userId });
    await expect(desk.prepare(held)).rejects.toThrow('NOT_FOUND');
    expect(await desk.confirm(held, orderId)).toMatchObject({ status: expect.toBeOneOf([404, 409]) });
    expect(await desk.reservations.confirm({ reservationId: gift.id, userId: held.userId })).toEqual({
      status: 'unknown',
    });
    expect(provider.calls.filter((call) => call.startsWith('capture'))).toEqual([]);
    const { rows } = await desk.database.query('SELECT count(*) AS tickets FROM ticketing.tickets');
    expect(rows[0]).toEqual({ tickets: 0 });
    await desk.deliver();
    await checkLedger(desk.database);
  });
});
