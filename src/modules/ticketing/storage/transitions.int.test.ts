import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { setDatabaseClock } from '#test/kit/database-clock.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import { aHold, type Held } from '../testing/a-hold.ts';
import { aSale } from '../testing/a-sale.ts';
import { aTicketingDatabase } from '../testing/a-ticketing-database.ts';
import { aPayment, aPinned } from '../testing/payments.ts';
import { reservationRow, seatStates, ticketsOf, told } from '../testing/seen.ts';
import { useTicket } from '../testing/use-ticket.ts';
import { applyPayments, cancel, confirmFree, pin, prepare, returnDelayed, sweepLapsed, unpin } from './transitions.ts';

const database = await aTicketingDatabase();
const minuteMs = 60_000;
const startMs = Date.now();
let nowMs = startMs;

/** The database's clock stands still between these. */
async function pass(ms: number): Promise<void> {
  nowMs += ms;
  await setDatabaseClock(database, new Date(nowMs));
}

beforeEach(() => pass(0));
afterEach(async () => {
  await checkLedger(database);
});

const status = async (held: Held) => (await reservationRow(database, held.id)).status;
const endsInMs = async (held: Held) => (await reservationRow(database, held.id)).expires_at.getTime() - nowMs;
const apply = (...outcomes: object[]) => applyPayments(database, outcomes, 7);
const give = (held: Held, more: Partial<Parameters<typeof cancel>[1]> = {}) =>
  cancel(database, {
    ...{ reservationId: held.id, userId: held.userId, cancellationId: randomUUID(), ticketIds: null },
    ...{ reason: 'buyer', seed: 1, ...more },
  });
const prepared = ({ id: reservationId, userId }: Held) => prepare(database, { reservationId, userId });
const pinBy = (held: Held, attemptId: string, amountKrw = held.totalKrw) =>
  pin(database, { reservationId: held.id, userId: held.userId, attemptId, amountKrw });
const sale = (options = {}) => aSale(database, { nowMs, ticketTypes: [{ capacity: 20 }], ...options });

test('prepare extends reservation and seats once, to five minutes from now', async () => {
  const held = await aHold(database, await sale(), { seatNos: [0, 1], places: [1] });
  await pass(2 * minuteMs);
  expect(await prepared(held)).toMatchObject({ verdict: 'ready', amount_krw: held.totalKrw, ticket_count: 3 });
  expect(await endsInMs(held)).toBe(5 * minuteMs);
  await pass(minuteMs);
  expect((await prepared(held)).verdict).toBe('ready');
  expect(await endsInMs(held)).toBe(4 * minuteMs);
});

test('a hold can be pinned until the moment it ends, and not after', async () => {
  const show = await sale();
  const [early, late] = [await aHold(database, show, { seatNos: [0] }), await aHold(database, show, { seatNos: [1] })];
  await pass(5 * minuteMs - 1);
  expect(await pinBy(early, randomUUID())).toBe('pinned');
  await pass(1);
  expect(await pinBy(late, randomUUID())).toBe('expired');
  expect((await prepared(late)).verdict).toBe('expired');
});

test('a pin is repeatable by its attempt, refuses others, another amount, another user, and an attempt that has ended', async () => {
  const held = await aHold(database, await sale(), { seatNos: [0] });
  const attemptId = randomUUID();
  expect(await pinBy(held, attemptId, held.totalKrw - 1)).toBe('amount');
  expect(await pinBy({ ...held, userId: randomUUID() }, attemptId)).toBe('unknown');
  expect(await pinBy(held, attemptId)).toBe('pinned');
  expect(await pinBy(held, attemptId)).toBe('pinned');
  expect(await pinBy(held, randomUUID())).toBe('pinned_by_another');
  expect((await prepared(held)).verdict).toBe('paying');
  expect((await unpin(database, attemptId)).wasPinned).toBe(true);
  expect((await unpin(database, attemptId)).wasPinned).toBe(false);
  expect(await pinBy(held, attemptId)).toBe('attempt_ended');
});

test('a failure that is heard before its pin keeps the pin from happening', async () => {
  const held = await aHold(database, await sale(), { seatNos: [0] });
  const payment = aPayment(held);
  await apply(payment.failed());
  expect(await pinBy(held, payment.attemptId)).toBe('attempt_ended');
  expect(await status(held)).toBe('pending');
});

test('there are three attempts', async () => {
  const held = await aHold(database, await sale(), { seatNos: [0] });
  for (let attempt = 0; attempt < 3; attempt++) await unpin(database, (await aPinned(database, held)).attemptId);
  expect(await pinBy(held, randomUUID())).toBe('attempts_used');
  expect((await prepared(held)).verdict).toBe('attempts_used');
});

test('a decline leaves two minutes at the least, never beyond ten from creation', async () => {
  const show = await sale();
  const [usual, long] = [await aHold(database, show, { seatNos: [0] }), await aHold(database, show, { seatNos: [1] })];
  await pass(4 * minuteMs);
  const payment = await aPinned(database, usual);
  const slow = await aPinned(database, long);
  await pass(2 * minuteMs);
  await apply(payment.failed());
  expect([await status(usual), await endsInMs(usual)]).toEqual(['pending', 2 * minuteMs]);
  await pass(3 * minuteMs);
  await sweepLapsed(database, 100);
  expect(await status(long)).toBe('paying');
  await unpin(database, slow.attemptId);
  expect(await endsInMs(long)).toBe(minuteMs);
  await pass(0);
  const last = await aPinned(database, long);
  await pass(minuteMs);
  const { freed } = await apply(last.failed());
  expect([await status(long), freed.length]).toEqual(['expired', 1]);
});

test('a captured payment makes tickets, and everything else about it is told once', async () => {
  const show = await sale();
  const held = await aHold(database, show, { seatNos: [3, 4], places: [2] });
  const payment = await aPinned(database, held);
  const confirmed = payment.confirmed();
  await apply(confirmed, confirmed);
  await apply(confirmed);
  expect((await ticketsOf(database, held.id)).map((ticket) => ticket.seat_no)).toEqual([3, 4, null, null]);
  expect(await told(database, held.id)).toMatchObject([
    { type: 'RESERVATION_CONFIRMED', data: { orderId: payment.orderId, slotId: `slot-${held.id}` } },
  ]);
  expect((await reservationRow(database, held.id)).payment_status).toBe('paid');
  expect((await seatStates(database, show.eventId)).filter((state) => state === 3)).toHaveLength(2);
});

test('a capture after the hold is over is rejected, and the seat of the next holder is not touched', async () => {
  const show = await sale();
  const held = await aHold(database, show, { seatNos: [0] });
  const payment = await aPinned(database, held);
  await unpin(database, payment.attemptId);
  await pass(6 * minuteMs);
  const next = await aHold(database, show, { seatNos: [0] });
  await apply(payment.confirmed());
  expect(await told(database, held.id)).toMatchObject([
    { type: 'RESERVATION_PAYMENT_REJECTED', data: { reason: 'expired', amountKrw: held.totalKrw } },
  ]);
  expect((await give(held)).verdict).toBe('expired');
  await sweepLapsed(database, 100);
  expect([await status(held), await status(next), (await give(held)).verdict]).toEqual([
    'expired',
    'pending',
    'expired',
  ]);
  await apply((await aPinned(database, next)).confirmed());
  expect((await give(held)).verdict).toBe('expired');
  expect((await ticketsOf(database, next.id)).map((ticket) => ticket.state)).toEqual(['issued']);
});

test('a second capture for a reservation is rejected', async () => {
  const held = await aHold(database, await sale(), { seatNos: [0] });
  const first = await aPinned(database, held);
  await unpin(database, first.attemptId);
  const second = await aPinned(database, held);
  await apply(second.confirmed(), first.confirmed());
  expect(await told(database, held.id)).toMatchObject([
    { type: 'RESERVATION_CONFIRMED' },
    { type: 'RESERVATION_PAYMENT_REJECTED', data: { reason: 'confirmed_by_another' } },
  ]);
});

test('money that went back before its capture was heard of is not asked for once more', async () => {
  const show = await sale();
  for (const back of ['reversed', 'refunded'] as const) {
    const held = await aHold(database, show, { seatNos: [0] });
    const payment = await aPinned(database, held);
    await unpin(database, payment.attemptId);
    const captured = payment.confirmed();
    await apply(back === 'reversed' ? payment.reversed() : payment.refunded(held.totalKrw));
    await apply(captured);
    await give(held);
    expect((await told(database, held.id)).map(({ type }) => type)).toEqual(['RESERVATION_EXPIRED']);
  }
});

test('a cancellation while paying is refunded when captured, and releases when declined', async () => {
  const show = await sale();
  const [captured, declined] = [
    await aHold(database, show, { seatNos: [0], places: [1] }),
    await aHold(database, show, { seatNos: [1] }),
  ];
  const [good, bad] = [await aPinned(database, captured), await aPinned(database, declined)];
  for (const held of [captured, declined]) {
    expect((await give(held)).verdict).toBe('refund_requested');
    expect((await give(held)).verdict).toBe('refund_requested');
    expect(await reservationRow(database, held.id)).toMatchObject({
      status: 'paying',
      payment_status: 'refund_requested',
    });
  }
  await apply(good.confirmed(), bad.failed());
  expect(await status(declined)).toBe('released');
  expect(await reservationRow(database, captured.id)).toMatchObject({
    status: 'released',
    payment_status: 'refund_requested',
  });
  expect((await told(database, captured.id)).map(({ type }) => type)).toEqual([
    ...['RESERVATION_CANCELLED', 'RESERVATION_PAYMENT_REJECTED', 'RESERVATION_EXPIRED'],
  ]);
  await apply(good.refunded(captured.totalKrw));
  expect((await reservationRow(database, captured.id)).payment_status).toBe('refunded');
  expect(await seatStates(database, show.eventId)).toEqual(Array(10).fill(0));
});

test('a deposit is waited for until payments says that it did not come', async () => {
  const show = await sale();
  const [paid, lost] = [
    await aHold(database, show, { seatNos: [0] }),
    await aHold(database, show, { seatNos: [1], places: [1] }),
  ];
  const [good, bad] = [await aPinned(database, paid), await aPinned(database, lost)];
  const until = new Date(nowMs + 30 * minuteMs);
  await apply(good.waiting(until), bad.waiting(until));
  expect(await endsInMs(paid)).toBe(30 * minuteMs);
  await pass(31 * minuteMs);
  await sweepLapsed(database, 100);
  expect([await status(paid), await status(lost)]).toEqual(['waiting_for_deposit', 'waiting_for_deposit']);
  await apply(good.confirmed(), bad.failed());
  expect([await status(paid), await status(lost)]).toEqual(['confirmed', 'expired']);
  await apply(bad.confirmed());
  expect((await told(database, lost.id)).at(-1)).toMatchObject({ type: 'RESERVATION_PAYMENT_REJECTED' });
});

test('some tickets, then the rest, are cancelled; each refund names its order, face and fee', async () => {
  const show = await sale();
  const held = await aHold(database, show, { seatNos: [0, 1], places: [1] });
  const payment = await aPinned(database, held);
  await apply(payment.confirmed());
  const [first] = await ticketsOf(database, held.id);
  const ticketIds = [first?.id ?? ''];
  const cancellationId = randomUUID();
  expect(await give(held, { ticketIds, cancellationId })).toMatchObject({ verdict: 'cancelled', ticketIds });
  expect(await give(held, { ticketIds, cancellationId })).toMatchObject({ verdict: 'cancelled', ticketIds, freed: [] });
  expect(await give(held, { ticketIds })).toMatchObject({ verdict: 'cancelled', freed: [] });
  expect(await reservationRow(database, held.id)).toMatchObject({
    ...{ status: 'partially_cancelled', payment_status: 'refund_requested' },
  });
  expect((await told(database, held.id)).at(-1)?.data).toMatchObject({
    ...{ cancellationId, isWhole: false, alreadyRefunded: false, reason: 'buyer' },
    refunds: [{ orderId: payment.orderId, ticketIds, faceKrw: 50_000, feeKrw: 3_000 }],
  });
  await apply(payment.refunded(53_000, { cancellationId, ticketIds }));
  expect((await reservationRow(database, held.id)).payment_status).toBe('partially_refunded');
  const rest = randomUUID();
  expect((await give(held, { cancellationId: rest })).ticketIds).toHaveLength(2);
  expect(await status(held)).toBe('cancelled');
  await apply(payment.refunded(100_000, { cancellationId: rest }));
  expect((await reservationRow(database, held.id)).payment_status).toBe('refunded');
  expect((await give(held)).verdict).toBe('cancelled');
});

test('nothing is cancelled for strangers, after check-in, or after the doors have opened', async () => {
  const show = await sale({ startsInMs: 2 * 60 * minuteMs });
  const held = await aHold(database, show, { seatNos: [0, 1] });
  await apply((await aPinned(database, held)).confirmed());
  const [one, two] = await ticketsOf(database, held.id);
  expect((await give(held, { userId: randomUUID() })).verdict).toBe('unknown');
  expect(await give(held, { ticketIds: [randomUUID()] })).toMatchObject({ refusals: [{ reason: 'unknown' }] });
  await useTicket(database, one?.id ?? '');
  expect(await give(held)).toMatchObject({
    ...{ verdict: 'not_cancellable', refusals: [{ ticketId: one?.id, reason: 'checked_in' }] },
  });
  await pass(61 * minuteMs);
  expect(await give(held, { ticketIds: [two?.id ?? ''] })).toMatchObject({
    verdict: 'not_cancellable',
    refusals: [{ ticketId: two?.id, reason: 'doors_open' }],
  });
  expect(await status(held)).toBe('confirmed');
});

test('a seat comes back after its delay, and not before', async () => {
  const show = await sale({ returnDelayMaxMs: minuteMs });
  const held = await aHold(database, show, { seatNos: [0, 1], places: [1] });
  await apply((await aPinned(database, held)).confirmed());
  expect((await give(held)).freed).toEqual([]);
  expect(await returnDelayed(database, 100)).toMatchObject({ dealtWith: 0 });
  await expect(aHold(database, show, { seatNos: [0] })).rejects.toThrow('not free');
  await pass(minuteMs);
  // Free from its moment on, tidied up or not.
  await aHold(database, show, { seatNos: [1] });
  expect(await returnDelayed(database, 100)).toMatchObject({ dealtWith: 2, freed: [{ seatNo: 0, fence: 1 }] });
  expect((await seatStates(database, show.eventId)).slice(0, 2)).toEqual([0, 1]);
});

test('a refund that was found at the provider voids tickets, and so does a deposit that was taken back', async () => {
  const show = await sale();
  const seats = [[0], [1, 2], [3]];
  const [whole, part, back] = (await Promise.all(seats.map((seatNos) => aHold(database, show, { seatNos })))) as [
    Held,
    Held,
    Held,
  ];
  const payments = [
    await aPinned(database, whole),
    await aPinned(database, part),
    await aPinned(database, back),
  ] as const;
  await apply(...payments.map((payment) => payment.confirmed()));
  const [second] = await ticketsOf(database, part.id);
  await apply(
    payments[0].refunded(whole.totalKrw),
    payments[1].refunded(53_000, { ticketIds: [second?.id ?? ''] }),
    payments[2].reversed(),
  );
  expect([await status(whole), await status(part), await status(back)]).toEqual([
    ...['cancelled', 'partially_cancelled', 'cancelled'],
  ]);
  expect((await told(database, whole.id)).at(-1)?.data).toMatchObject({
    alreadyRefunded: true,
    reason: 'payment_refunded',
  });
  expect((await told(database, back.id)).at(-1)?.data).toMatchObject({
    alreadyRefunded: true,
    reason: 'payment_reversed',
  });
  for (const held of [whole, back]) expect((await reservationRow(database, held.id)).payment_status).toBe('refunded');
  expect((await reservationRow(database, part.id)).payment_status).toBe('partially_refunded');
});

describe('a ticket that cost nothing, of a reservation that was paid for', () => {
  /** The tickets that were paid for first. */
  async function bought(paidCount: number) {
    const ticketTypes = [{ capacity: 10 }, { capacity: 10, priceKrw: 0 }];
    const held = await aHold(database, await sale({ ticketTypes }), { places: [paidCount, 1] });
    const payment = await aPinned(database, held);
    await apply(payment.confirmed());
    const { rows } = await database.query<{ id: string }>(
      'SELECT id FROM ticketing.tickets WHERE reservation_id = $1 ORDER BY order_id IS NULL',
      [held.id],
    );
    return { held, payment, ticketIds: rows.map(({ id }) => id) };
  }

  test('goes with the others when all of the money went back', async () => {
    const [refunded, reversed] = [await bought(1), await bought(1)];
    const outcomes = [refunded.payment.refunded(refunded.held.totalKrw), reversed.payment.reversed()];
    expect((await apply(...outcomes)).keptCount).toBe(0);
    expect([await status(refunded.held), await status(reversed.held)]).toEqual(['cancelled', 'cancelled']);
  });

  test('stays where it is in use, and is counted', async () => {
    const { held, payment, ticketIds } = await bought(1);
    await useTicket(database, ticketIds[1] ?? '');
    expect((await apply(payment.refunded(held.totalKrw))).keptCount).toBe(1);
    expect(await status(held)).toBe('partially_cancelled');
  });

  test('stays where others were refunded, unless it is named', async () => {
    const { held, payment, ticketIds } = await bought(2);
    const live = async () => (await ticketsOf(database, held.id)).filter(({ state }) => state !== 'void').length;
    await apply(payment.refunded(33_000, { ticketIds: ticketIds.slice(0, 1) }));
    expect(await live()).toBe(2);
    const { keptCount } = await apply(payment.refunded(33_000, { ticketIds: ticketIds.slice(2) }));
    expect([keptCount, await live()]).toEqual([0, 1]);
  });
});

test('what costs nothing is confirmed without payment, once, and not after its time', async () => {
  const show = await sale({ priceKrw: 0 });
  const [free, late] = [await aHold(database, show, { seatNos: [0] }), await aHold(database, show, { seatNos: [1] })];
  const paid = await aHold(database, show, { places: [1] });
  const confirm = ({ id: reservationId, userId }: Held) => confirmFree(database, { reservationId, userId });
  expect([await confirm(free), await confirm(free), await confirm(paid)]).toEqual([
    'confirmed',
    'confirmed',
    'payment_needed',
  ]);
  await pass(5 * minuteMs);
  expect(await confirm(late)).toBe('expired');
  expect((await told(database, free.id)).map(({ type }) => type)).toEqual(['RESERVATION_CONFIRMED']);
  expect((await give(free)).verdict).toBe('cancelled');
  expect((await reservationRow(database, free.id)).payment_status).toBe('none');
});
