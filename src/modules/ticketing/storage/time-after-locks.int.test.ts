import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { releaseDatabaseClock, setDatabaseClock } from '#test/kit/database-clock.ts';
import { eventually } from '#test/kit/faults.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import type { HoldVerdict } from '../ports.ts';
import { aHold } from '../testing/a-hold.ts';
import { aHoldDesk } from '../testing/a-hold-desk.ts';
import { aSale, type Sale } from '../testing/a-sale.ts';
import { aTicketingDatabase } from '../testing/a-ticketing-database.ts';
import { lockSeats, waitingCalls, whileLocked } from '../testing/locked-rows.ts';
import { aPinned } from '../testing/payments.ts';
import { cancel, confirmFree, pin, prepare, unpin } from './transitions.ts';

/** Who waits for a lock decides by the time when it has it: what was true before may be over. */
const database = await aTicketingDatabase();
afterAll(() => checkLedger(database));
const minuteMs = 60_000;
const within = { withinMs: 60_000 };

async function databaseNow(): Promise<number> {
  const { rows } = await database.query<{ now: Date }>('SELECT urr.now() AS now');
  return rows[0]?.now.getTime() ?? 0;
}

/** The calls wait for the seats until this time of the database is over; then they go on. */
async function waitingUntil<T>(
  { eventId }: Sale,
  { untilMs, functions, calls }: { untilMs: number; functions: readonly string[]; calls: () => Promise<T> },
): Promise<{ answer: T; lockedUntilMs: number }> {
  const { asking, lockedUntilMs } = await whileLocked(database, [lockSeats(eventId)], async () => {
    let isAnswered = false;
    const asking = calls().finally(() => {
      isAnswered = true;
    });
    const areWaiting = async () => {
      const waiting = await Promise.all(functions.map((name) => waitingCalls(database, name)));
      return isAnswered || waiting.every((count) => count === 1);
    };
    await eventually(areWaiting, { ...within, what: 'calls that wait' });
    await eventually(async () => (await databaseNow()) >= untilMs, { ...within, what: 'the time' });
    return { asking, lockedUntilMs: await databaseNow() };
  });
  return { answer: await asking, lockedUntilMs };
}

/** What is held in `work` has only so much left of its five minutes afterwards. */
async function withTimeLeft<T>(
  { leftMs, ofMs = 5 * minuteMs }: { leftMs: number; ofMs?: number },
  work: () => Promise<T>,
) {
  const endMs = Date.now() + leftMs;
  await setDatabaseClock(database, new Date(endMs - ofMs));
  const made = await work();
  await releaseDatabaseClock(database);
  return { made, endMs };
}

/** A batch waits for half a second at most; a machine that is slower than that makes it busy, and it is asked anew. */
async function untilDecided(round: () => Promise<HoldVerdict>): Promise<HoldVerdict> {
  let verdict = await round();
  for (let rounds = 1; verdict.status === 'busy' && rounds < 60; rounds++) verdict = await round();
  return verdict;
}

test('a hold that waits beyond the close of the sale is refused', async () => {
  const verdict = await untilDecided(async () => {
    const sale = await aSale(database);
    const desk = aHoldDesk(database);
    await desk.books.get(sale.eventId);
    const untilMs = (await databaseNow()) + 250;
    await database.query('UPDATE ticketing.events SET sale_closes_at = $2 WHERE event_id = $1', [
      ...[sale.eventId, new Date(untilMs)],
    ]);
    const calls = () => desk.hold(sale, { seatNos: [0] });
    return (await waitingUntil(sale, { untilMs, functions: ['hold_batch_of_one'], calls })).answer;
  });
  expect(verdict).toEqual({ status: 'over' });
});

test('a hold that waits beyond the end of the buyer’s own holds does not count them any more', async () => {
  const userId = randomUUID();
  const verdict = await untilDecided(async () => {
    const sale = await aSale(database, { purchaseLimit: 4 });
    const desk = aHoldDesk(database);
    await desk.books.get(sale.eventId);
    const { endMs } = await withTimeLeft({ leftMs: 250 }, () =>
      aHold(database, sale, { userId, seatNos: [0, 1, 2, 3] }),
    );
    const calls = () => desk.hold(sale, { userId, seatNos: [5] });
    return (await waitingUntil(sale, { untilMs: endMs, functions: ['hold_batch_of_one'], calls })).answer;
  });
  expect(verdict).toMatchObject({ status: 'granted' });
});

test('a hold begins when its seats are there, and not when it was asked for', async () => {
  let heldAfterMs = 0;
  const verdict = await untilDecided(async () => {
    const sale = await aSale(database);
    const desk = aHoldDesk(database);
    await desk.books.get(sale.eventId);
    const calls = () => desk.hold(sale, { seatNos: [0] });
    const { answer, lockedUntilMs } = await waitingUntil(sale, { untilMs: 0, functions: ['hold_batch_of_one'], calls });
    heldAfterMs = lockedUntilMs;
    return answer;
  });
  if (!('reservation' in verdict)) throw new Error(`refused: ${verdict.status}`);
  expect(Date.parse(verdict.reservation.createdAt)).toBeGreaterThanOrEqual(heldAfterMs);
});

test('holds that are asked for together begin when their seats are there, too', async () => {
  let heldAfterMs = 0;
  const verdict = await untilDecided(async () => {
    const sale = await aSale(database);
    const desk = aHoldDesk(database);
    await desk.books.get(sale.eventId);
    const calls = () => Promise.all([0, 1].map((seatNo) => desk.hold(sale, { seatNos: [seatNo] })));
    const untilMs = (await databaseNow()) + 250;
    const {
      answer: [answer],
      lockedUntilMs,
    } = await waitingUntil(sale, { untilMs, functions: ['hold_batch_of_plain'], calls });
    if (answer === undefined) throw new Error('there were two');
    heldAfterMs = lockedUntilMs;
    return answer;
  });
  if (!('reservation' in verdict)) throw new Error(`refused: ${verdict.status}`);
  expect(Date.parse(verdict.reservation.createdAt)).toBeGreaterThanOrEqual(heldAfterMs);
});

test('what is asked of a hold, and waits beyond its end, finds it expired', async () => {
  const sale = await aSale(database);
  const { made, endMs } = await withTimeLeft({ leftMs: 1_500 }, () =>
    Promise.all([0, 1, 2, 3].map((seatNo) => aHold(database, sale, { seatNos: [seatNo] }))),
  );
  const [one, two, three, four] = made.map(({ id: reservationId, userId, totalKrw: amountKrw }) => ({
    ...{ reservationId, userId, amountKrw, attemptId: randomUUID(), cancellationId: randomUUID() },
  }));
  if (!one || !two || !three || !four) throw new Error('four were held');
  const { answer } = await waitingUntil(sale, {
    untilMs: endMs,
    functions: ['prepare', 'pin', 'confirm_free', 'cancel'],
    calls: () =>
      Promise.all([
        prepare(database, one).then(({ verdict }) => verdict),
        pin(database, two),
        confirmFree(database, three),
        cancel(database, { ...four, ticketIds: null, reason: 'buyer', seed: 1 }).then(({ verdict }) => verdict),
      ]),
  });
  expect(answer).toEqual(['expired', 'expired', 'expired', 'expired']);
});

test('a decline that waits beyond the ten minutes of a hold ends it', async () => {
  const sale = await aSale(database);
  const { made, endMs } = await withTimeLeft({ leftMs: 1_500, ofMs: 10 * minuteMs }, async () =>
    aPinned(database, await aHold(database, sale, { seatNos: [0] })),
  );
  const calls = () => unpin(database, made.attemptId);
  const { answer } = await waitingUntil(sale, { untilMs: endMs, functions: ['unpin'], calls });
  expect(answer).toEqual({ wasPinned: true, freed: [{ eventId: sale.eventId, seatNo: 0, fence: 1 }] });
});
