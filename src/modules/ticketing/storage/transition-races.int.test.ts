import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { releaseDatabaseClock, setDatabaseClock } from '#test/kit/database-clock.ts';
import { testSeed } from '#test/kit/seed.ts';
import { createSeededRandom } from '#test/kit/seeded-random.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import { aHold, type Held, tryHold } from '../testing/a-hold.ts';
import { aSale } from '../testing/a-sale.ts';
import { aTicketingDatabase } from '../testing/a-ticketing-database.ts';
import { aPayment, aPinned, type Payment } from '../testing/payments.ts';
import { reservationRow, seatStates, ticketsOf, told } from '../testing/seen.ts';
import { cancelEventBite } from './cancelled-events.ts';
import { applyPayments, cancel, pin, sweepLapsed, unpin } from './transitions.ts';

const database = await aTicketingDatabase({ poolMax: 20 });
const random = createSeededRandom(testSeed());
const minuteMs = 60_000;

afterEach(async () => {
  await releaseDatabaseClock(database);
  await checkLedger(database);
});

const apply = (...outcomes: object[]) => applyPayments(database, outcomes, 7);
const give = (held: Held) =>
  cancel(database, {
    ...{ reservationId: held.id, userId: held.userId, cancellationId: randomUUID(), ticketIds: null },
    ...{ reason: 'buyer', seed: 1 },
  });

test('cancel, expiry and a capture at the same time leave one legal outcome', async () => {
  const show = await aSale(database, { seats: 40, ticketTypes: [{ capacity: 80 }] });
  const held = await Promise.all(
    Array.from({ length: 40 }, (_, n) => aHold(database, show, { seatNos: [n], places: [1] })),
  );
  const payments = await Promise.all(held.map((one) => aPinned(database, one)));
  // The second half is pending again and has lapsed: a late capture meets the sweeper and its own buyer.
  await Promise.all(payments.slice(20).map(({ attemptId }) => unpin(database, attemptId)));
  await setDatabaseClock(database, new Date(Date.now() + 6 * minuteMs));
  const acts = held.flatMap((one, n) => {
    const confirmed = (payments[n] as Payment).confirmed();
    return [() => give(one), () => apply(confirmed), () => apply(confirmed), () => sweepLapsed(database, 10)];
  });
  await Promise.all(random.shuffle(acts).map((act) => act()));
  await apply(...payments.map((payment) => payment.refunded(0, { cancellationId: randomUUID() })));
  await sweepLapsed(database, 100);
  for (const one of held) {
    const { status } = await reservationRow(database, one.id);
    const types = (await told(database, one.id)).map(({ type }) => type);
    // Captured money is a ticket, or it is told to go back, and never both; a ticket that was cancelled goes back as well.
    expect(types.includes('RESERVATION_CONFIRMED')).toBe(!types.includes('RESERVATION_PAYMENT_REJECTED'));
    expect(['cancelled', 'confirmed', 'released', 'expired']).toContain(status);
    if (types.includes('RESERVATION_CONFIRMED')) expect(['cancelled', 'confirmed']).toContain(status);
  }
  expect((await seatStates(database, show.eventId)).filter((state) => state !== 0 && state !== 3)).toEqual([]);
});

test('everything at once on a few seats and buyers: no deadlock, and the counters are those of the rows', async () => {
  const show = await aSale(database, { seats: 8, ticketTypes: [{ capacity: 200 }, { capacity: 30 }] });
  const users = Array.from({ length: 4 }, () => randomUUID());
  const held: Held[] = [];
  const payments: Payment[] = [];
  const anyOf = <T>(values: readonly T[]): T | undefined => (values.length === 0 ? undefined : random.pick(values));
  async function act(): Promise<unknown> {
    const [one, payment] = [anyOf(held), anyOf(payments)];
    switch (random.between(0, 9)) {
      case 0:
      case 1:
      case 2: {
        const seatNos = random.shuffle([0, 1, 2, 3, 4, 5, 6, 7]).slice(0, random.between(0, 3));
        const places = [random.between(seatNos.length === 0 ? 1 : 0, 3), random.between(0, 2)];
        const granted = await tryHold(database, show, { userId: random.pick(users), seatNos, places });
        return granted && held.push(granted);
      }
      case 3:
      case 4: {
        if (one === undefined) return null;
        const attempt = aPayment(one);
        payments.push(attempt);
        const { id: reservationId, userId, totalKrw: amountKrw } = one;
        return pin(database, { reservationId, userId, amountKrw, attemptId: attempt.attemptId });
      }
      case 5:
        return payment && unpin(database, payment.attemptId);
      case 6:
        return apply(
          ...random
            .shuffle(payments)
            .slice(0, 6)
            .map((each) => (random.between(0, 2) === 0 ? each.failed() : each.confirmed())),
        );
      case 7:
        return one && give(one);
      case 8:
        return sweepLapsed(database, 5);
      default:
        return payment && apply(payment.refunded(1_000_000));
    }
  }
  await Promise.all(
    Array.from({ length: 12 }, async () => {
      for (let n = 0; n < 40; n++) await act();
    }),
  );
  await database.query('UPDATE ticketing.events SET cancelled_at = urr.now() WHERE event_id = $1', [show.eventId]);
  await Promise.all(
    [1, 2, 3].map(() => cancelEventBite(database, { eventId: show.eventId, afterId: null, rowsMax: 1_000 })),
  );
  await apply(...payments.map((payment) => payment.failed()));
  await cancelEventBite(database, { eventId: show.eventId, afterId: null, rowsMax: 1_000 });
  expect(await seatStates(database, show.eventId)).toEqual(Array(8).fill(0));
  const { rows } = await database.query<{ live: number; left: number }>(
    `SELECT (SELECT sum(live) FROM ticketing.buyers WHERE event_id = $1) AS live,
       (SELECT sum(places_left) FROM ticketing.shards JOIN ticketing.ticket_types USING (ticket_type_id) WHERE event_id = $1) AS left`,
    [show.eventId],
  );
  expect(rows).toEqual([{ live: 0, left: 230 }]);
  expect(held.length).toBeGreaterThan(10);
});

test('outcomes of payments three times and in any order end as they do once and in order', async () => {
  const histories: readonly ((payment: Payment, total: number) => object[])[] = [
    (payment) => [payment.confirmed()],
    (payment) => [payment.failed()],
    (payment) => [payment.waiting(new Date(Date.now() + 30 * minuteMs)), payment.confirmed()],
    (payment) => [payment.waiting(new Date(Date.now() + 30 * minuteMs)), payment.failed()],
    (payment) => [payment.confirmed(), payment.refunded(1_000)],
    (payment) => [payment.confirmed(), payment.refunded(1_000), payment.refunded(2_000)],
    (payment, total) => [payment.confirmed(), payment.refunded(1_000), payment.refunded(total)],
    (payment) => [payment.waiting(new Date(Date.now() + 30 * minuteMs)), payment.confirmed(), payment.reversed()],
  ];
  const ends = async (held: Held) => {
    const { status, payment_status, refunded_krw, paid_krw } = await reservationRow(database, held.id);
    const tickets = (await ticketsOf(database, held.id)).map(({ state }) => state);
    return { status, payment_status, refunded_krw, paid_krw, tickets };
  };
  for (const [n, history] of histories.entries()) {
    const show = await aSale(database, { seats: 10 });
    const inOrder = await aHold(database, show, { seatNos: [0] });
    for (const outcome of history(await aPinned(database, inOrder), inOrder.totalKrw)) await apply(outcome);
    const shuffled = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((seatNo) => aHold(database, show, { seatNos: [seatNo] })),
    );
    for (const held of shuffled) {
      const outcomes = history(await aPinned(database, held), held.totalKrw);
      const deliveries = random.shuffle([...outcomes, ...outcomes, ...outcomes]);
      while (deliveries.length > 0) await apply(...deliveries.splice(0, random.between(1, 4)));
    }
    // A failure before its account was given out leaves the hold to its own end.
    await setDatabaseClock(database, new Date(Date.now() + 11 * minuteMs));
    await sweepLapsed(database, 100);
    const due = await ends(inOrder);
    for (const held of shuffled) expect({ n, ...(await ends(held)) }).toEqual({ n, ...due });
    await releaseDatabaseClock(database);
  }
});

test('a capture that contradicts a failure is a ticket or goes back, whichever is heard first', async () => {
  const show = await aSale(database);
  const ways = [
    { seatNo: 0, order: [0, 1], due: 'RESERVATION_PAYMENT_REJECTED' },
    { seatNo: 1, order: [1, 0], due: 'RESERVATION_CONFIRMED' },
  ];
  for (const { seatNo, order, due } of ways) {
    const held = await aHold(database, show, { seatNos: [seatNo] });
    const payment = await aPinned(database, held);
    const outcomes = [payment.failed(), payment.confirmed()];
    for (const index of order) await apply(outcomes[index] ?? {});
    expect((await told(database, held.id)).map(({ type }) => type)).toEqual([due]);
  }
});

test('a call that is lost before COMMIT has done nothing, one that is lost after it is repeated in vain', async () => {
  const show = await aSale(database, { ticketTypes: [{ capacity: 5 }] });
  const held = await aHold(database, show, { seatNos: [0], places: [1] });
  const payment = await aPinned(database, held);
  const confirmed = payment.confirmed();
  const before = await reservationRow(database, held.id);
  const lost = database.transaction(async (tx) => {
    await applyPayments(tx, [confirmed], 1);
    throw new Error('the process is gone');
  });
  await expect(lost).rejects.toThrow('gone');
  expect([await reservationRow(database, held.id), await ticketsOf(database, held.id)]).toEqual([before, []]);
  await apply(confirmed);
  const after = await reservationRow(database, held.id);
  await apply(confirmed);
  expect(await reservationRow(database, held.id)).toEqual(after);
  expect((await told(database, held.id)).map(({ type }) => type)).toEqual(['RESERVATION_CONFIRMED']);
});
