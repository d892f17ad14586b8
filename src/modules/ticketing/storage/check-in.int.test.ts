import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import { aDoor } from '../testing/a-door.ts';
import { aSale } from '../testing/a-sale.ts';
import { aTicketingDatabase } from '../testing/a-ticketing-database.ts';
import { cancel } from './transitions.ts';

const database = await aTicketingDatabase({ poolMax: 12 });
const door = aDoor(database);
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** The doors have been open for an hour. */
const sale = await aSale(database, { seats: 60, priceKrw: 0, startsInMs: 0 });
/** And its doors open in a month: until then tickets may be cancelled. */
const later = await aSale(database, { seats: 80, priceKrw: 0 });
const { eventId } = sale;
const by = randomUUID();
let nextSeat = 0;

/** Bought some hours ago, unless the sale is another one. */
async function aTicket(of = sale) {
  const [ticket] = await door.tickets(of, { seatNos: [nextSeat++] });
  if (ticket === undefined) throw new Error('no ticket was issued');
  await issuedAgo(ticket.ticketId, '3 hours');
  return ticket;
}

async function issuedAgo(ticketId: string, age: string): Promise<void> {
  await database.query('UPDATE ticketing.tickets SET issued_at = urr.now() - $2::interval WHERE id = $1', [
    ticketId,
    age,
  ]);
}

const scanAt = (code: string, agoMs: number, gate: string, scanId: string = randomUUID()) => ({
  ...{ scanId, code, gate },
  scannedAtMs: Date.now() - agoMs,
});
const sync = (...scans: ReturnType<typeof scanAt>[]) => door.doors.sync({ eventId, by, scans });
const said = (results: readonly { verdict: string; conflict: boolean; gate: string | null }[]) =>
  results.map(({ verdict, conflict, gate }) => [verdict, conflict, gate]);
const scansOf = async (ticketId: string) =>
  (await database.query<{ verdict: string }>('SELECT verdict FROM ticketing.scans WHERE ticket_id = $1', [ticketId]))
    .rows;
const ledgerOf = async (ticketId: string) =>
  (
    await database.query(`SELECT FROM ticketing.ledger WHERE act = 'checked_in' AND ticket_ids @> ARRAY[$1::uuid]`, [
      ticketId,
    ])
  ).rowCount;

afterAll(async () => {
  expect((await checkLedger(database)).events).toBeGreaterThan(0);
});

test('two gates at once: one wins, the other sees when and where', async () => {
  for (let round = 0; round < 10; round++) {
    const { ticketId } = await aTicket();
    const results = await Promise.all(
      ['North', 'South', 'East', 'West'].map((gate) => door.doors.checkIn({ eventId, by, ticketId, version: 1, gate })),
    );
    const winners = results.filter(({ verdict }) => verdict === 'admitted');
    expect([winners.length, results.filter(({ verdict }) => verdict === 'used').length]).toEqual([1, 3]);
    const [winner] = winners;
    for (const { checkedInAtMs, gate } of results) {
      expect([checkedInAtMs, gate]).toEqual([winner?.checkedInAtMs, winner?.gate]);
    }
    expect([(await scansOf(ticketId)).length, await ledgerOf(ticketId)]).toEqual([4, 1]);
  }
});

test('check-in and cancellation at once: a ticket is either in or void', async () => {
  const outcomes = new Set<string>();
  for (let round = 0; round < 10; round++) {
    const { ticketId, reservationId } = await aTicket(later);
    const cancellationId = randomUUID();
    const call = {
      reservationId,
      cancellationId,
      userId: null,
      ticketIds: [ticketId],
      reason: 'staff',
      seed: 1,
    } as const;
    const [scanned, cancelled] = await Promise.all([
      door.doors.checkIn({ eventId: later.eventId, by, ticketId, version: 1, gate: null }),
      cancel(database, call),
    ]);
    outcomes.add(`${scanned.verdict}, ${cancelled.verdict}`);
  }
  expect(['admitted, not_cancellable', 'void, cancelled']).toEqual(expect.arrayContaining([...outcomes]));
});

test('a scan that is sent again, also at the same time, is one scan', async () => {
  const { ticketId, code } = await aTicket();
  const scan = scanAt(code, minuteMs, 'North');
  const results = (await Promise.all([1, 2, 3, 4].map(() => sync(scan, scan)))).flat();
  expect(new Set(said(results).map(String))).toEqual(new Set(['admitted,false,North']));
  expect([results.length, (await scansOf(ticketId)).length, await ledgerOf(ticketId)]).toEqual([8, 1, 1]);
  expect(said(await sync(scan))).toEqual([['admitted', false, 'North']]);
});

test('the earliest of two gates is the check-in, whichever is sent first, and both are told', async () => {
  for (const order of [
    [0, 1],
    [1, 0],
  ]) {
    const { ticketId, code } = await aTicket();
    const scans = [scanAt(code, 20 * minuteMs, 'North'), scanAt(code, 10 * minuteMs, 'South')];
    for (const n of order) await sync(...scans.slice(n, n + 1));
    const results = await sync(...scans);
    expect(results.map(({ conflict, gate }) => [conflict, gate])).toEqual([
      [true, 'North'],
      [true, 'North'],
    ]);
    expect(results[0]?.checkedInAtMs).toBe(scans[0]?.scannedAtMs);
    expect(await ledgerOf(ticketId)).toBe(1);
  }
  const { code } = await aTicket();
  const together = await sync(scanAt(code, minuteMs, 'South'), scanAt(code, 2 * minuteMs, 'North'));
  expect(said(together)).toEqual([
    ['used', true, 'North'],
    ['admitted', true, 'North'],
  ]);
});

test('two gates that send at once do not block each other, and one ticket is let in once', async () => {
  const tickets = await Promise.all(Array.from({ length: 8 }, aTicket));
  const bodies = ['North', 'South', 'East'].map((gate, n) => {
    const scans = tickets.map(({ code }) => scanAt(code, (n + 1) * minuteMs, gate));
    return n === 1 ? scans.reverse() : scans;
  });
  await Promise.all(bodies.map((scans) => sync(...scans)));
  for (const { ticketId } of tickets) expect(await ledgerOf(ticketId)).toBe(1);
  const results = await sync(...bodies.flat());
  expect(new Set(results.map(({ gate, conflict }) => `${gate} ${conflict}`))).toEqual(new Set(['East true']));
});

test('an offline scan that was earlier than the check-in online is reported, and becomes the check-in', async () => {
  const { ticketId, code } = await aTicket();
  await door.doors.checkIn({ eventId, by, ticketId, version: 1, gate: 'Online' });
  expect(said(await sync(scanAt(code, 5 * minuteMs, 'North')))).toEqual([['admitted', true, 'North']]);
  expect(said(await sync(scanAt(code, 4 * minuteMs, 'South')))).toEqual([['used', true, 'North']]);
  // A second try at a gate with a network lets nobody in: nothing is in conflict by it.
  const again = await door.doors.checkIn({ eventId, by, ticketId, version: 1, gate: 'Online' });
  expect(said([again])).toEqual([['used', false, 'North']]);
});

test.each([
  ['in the future', -hourMs],
  ['of a clock that was never set', 20 * 365 * 24 * hourMs],
  ['of last week', 7 * 24 * hourMs],
  ['before the ticket was issued', 30 * minuteMs],
])('a scan %s counts as made when it arrives, and takes no check-in from another gate', async (_when, agoMs) => {
  const { code, ticketId } = await aTicket();
  await issuedAgo(ticketId, '25 minutes');
  const before = Date.now();
  const [first] = await sync(scanAt(code, agoMs, 'Wrong'));
  expect([first?.verdict, first?.gate]).toEqual(['admitted', 'Wrong']);
  expect(first?.checkedInAtMs).toBeGreaterThanOrEqual(before - 5_000);
  expect(first?.checkedInAtMs).toBeLessThanOrEqual(Date.now() + 5_000);
  expect(said(await sync(scanAt(code, 20 * minuteMs, 'Right')))).toEqual([['admitted', true, 'Right']]);
  expect(said(await sync(scanAt(code, agoMs, 'Wrong again')))).toEqual([['used', true, 'Right']]);
});

test('offline scans change issued tickets only', async () => {
  const { eventId } = later;
  const [voided, soldOn, listed] = [await aTicket(later), await aTicket(later), await aTicket(later)];
  const cancellation = { reservationId: voided.reservationId, cancellationId: randomUUID(), userId: null };
  await cancel(database, { ...cancellation, ticketIds: null, reason: 'staff', seed: 1 });
  await database.query('UPDATE ticketing.tickets SET version = 2 WHERE id = $1', [soldOn.ticketId]);
  await database.query(`UPDATE ticketing.tickets SET state = 'listed' WHERE id = $1`, [listed.ticketId]);
  const forged = `${voided.code.slice(0, -6)}AAAAAA`;
  const elsewhere = door.codes.codeOf({ eventId: sale.eventId, ticketId: soldOn.ticketId, version: 1 });
  const nobody = door.codes.codeOf({ eventId, ticketId: randomUUID(), version: 1 });
  const codes = [voided.code, soldOn.code, listed.code, forged, elsewhere, nobody];
  const scans = codes.map((code) => scanAt(code, minuteMs, 'North'));
  for (let time = 0; time < 2; time++) {
    const results = await door.doors.sync({ eventId, by, scans });
    const verdicts = ['void', 'replaced', 'listed', 'invalid', 'other_event', 'unknown'];
    expect(results.map(({ verdict }) => verdict)).toEqual(verdicts);
    expect(results.map(({ checkedInAtMs }) => checkedInAtMs)).toEqual(Array(6).fill(null));
    // Of a ticket of another event nothing is told.
    expect(results[4]?.ticketId).toBeNull();
  }
  const { rows } = await database.query<{ state: string }>(
    'SELECT state FROM ticketing.tickets WHERE id = ANY ($1::uuid[]) ORDER BY state',
    [[voided, soldOn, listed].map(({ ticketId }) => ticketId)],
  );
  expect(rows.map(({ state }) => state)).toEqual(['issued', 'listed', 'void']);
  // As they were, for the ledger, which knows nothing of what was done by hand here.
  await database.query(`UPDATE ticketing.tickets SET version = 1, state = 'issued' WHERE id = ANY ($1::uuid[])`, [
    [soldOn.ticketId, listed.ticketId],
  ]);
});

test('an event that is cancelled lets nobody in, also before its tickets are void', async () => {
  const other = await aSale(database, { priceKrw: 0 });
  const [ticket] = await door.tickets(other, { seatNos: [0] });
  await database.query('UPDATE ticketing.events SET cancelled_at = urr.now() WHERE event_id = $1', [other.eventId]);
  const call = { eventId: other.eventId, by, ticketId: ticket?.ticketId ?? '', version: 1, gate: null };
  expect((await door.doors.checkIn(call)).verdict).toBe('void');
});

test('ids of scans are of one event: another one may use the same', async () => {
  const other = await aSale(database, { priceKrw: 0, startsInMs: 0 });
  const [ticket] = await door.tickets(other, { seatNos: [0] });
  const mine = await aTicket();
  const scanId = randomUUID();
  expect(said(await sync(scanAt(mine.code, minuteMs, 'North', scanId)))).toEqual([['admitted', false, 'North']]);
  const scans = [scanAt(ticket?.code ?? '', minuteMs, 'South', scanId)];
  expect(said(await door.doors.sync({ eventId: other.eventId, by, scans }))).toEqual([['admitted', false, 'South']]);
});
