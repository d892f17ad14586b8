import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { migrationSets } from '#app/migrations.ts';
import { migrate } from '#platform/postgres/migrate.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aClock } from '#test/kit/clock.ts';
import { releaseDatabaseClock, setDatabaseClock } from '#test/kit/database-clock.ts';
import { startPostgres } from '#test/kit/engines/postgres.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { unpackLooks } from '../domain/packed-looks.ts';
import { aHold } from '../testing/a-hold.ts';
import { aSale } from '../testing/a-sale.ts';
import { aSeatServer } from '../testing/a-seat-server.ts';

// A server of its own: a version is the oldest transaction under way on the whole server, so those of other test files would hold
// it back, and what they hold back is told twice.
const engine = await startPostgres({ dir: await aFolder('seat-map') });
atEnd(() => engine.stop());
const database = createDatabase({ url: engine.url, poolMax: 10, connectTimeoutMs: 60_000, statementTimeoutMs: 60_000 });
atEnd(() => database.close());
await migrate(database, migrationSets);
const server = await aSeatServer(database);
const { call, listen, refresh, soon } = server;
afterEach(() => releaseDatabaseClock(database));

interface SectionList {
  readonly items: readonly { readonly state: string }[];
}
/** The test's claim about what the server sent. */
const bodyOf = async <Body = Record<string, unknown>>(answer: Promise<Response> | Response) =>
  (await (await answer).json()) as Body;

const looksIn = ({ states }: { states: string }, count: number) => [
  ...unpackLooks(Buffer.from(states, 'base64'), count),
];

test('the map says how every seat looks, what is left, and what the caller holds', async () => {
  const sale = await aSale(database, { seats: 6, ticketTypes: [{ capacity: 50 }] });
  const ann = randomUUID();
  const held = await aHold(database, sale, { userId: ann, seatNos: [1, 2] });
  await aHold(database, sale, { places: [3] });
  const mine = await bodyOf<{ states: string }>(call(sale.eventId, '', { userId: ann }));
  expect(looksIn(mine, 6)).toEqual([0, 1, 1, 0, 0, 0]);
  expect(mine).toMatchObject({
    grades: [{ grade: 'R', priceKrw: 50_000, left: 4 }],
    areas: [{ ticketTypeId: sale.ticketTypes[0]?.ticketTypeId, left: 47 }],
    mine: { id: held.id, status: 'pending', seats: [{ seatId: 'A-1-2' }, { seatId: 'A-1-3' }] },
  });
  expect(await (await call(sale.eventId)).json()).toEqual({ ...mine, mine: null });

  const list = await bodyOf<SectionList>(call(sale.eventId, '/sections/A', { userId: ann }));
  expect(list.items.map(({ state }) => state)).toEqual(['available', 'mine', 'mine', ...Array(3).fill('available')]);
  expect(list.items[0]).toEqual({
    seatId: 'A-1-1',
    row: '1',
    label: '1',
    grade: 'R',
    priceKrw: 50_000,
    state: 'available',
  });
  const other = await bodyOf<SectionList>(call(sale.eventId, '/sections/A'));
  expect(other.items[1]?.state).toBe('held');
});

test('an unchanged map is 304, by a tag that knows the own reservation and lapsed holds', async () => {
  const sale = await aSale(database, { seats: 6 });
  const ann = randomUUID();
  const tagOf = async (userId: string, tag = '') => {
    const answer = await call(sale.eventId, '', { userId, headers: { 'if-none-match': tag } });
    return { status: answer.status, tag: answer.headers.get('etag') ?? '' };
  };
  const empty = await tagOf(ann);
  expect(empty.status).toBe(200);
  expect(await tagOf(ann, empty.tag)).toEqual({ ...empty, status: 304 });
  await aHold(database, sale, { userId: ann, seatNos: [0] });
  await refresh(sale.eventId);
  const held = await tagOf(ann, empty.tag);
  expect(held.status).toBe(200);
  expect(await tagOf(ann, held.tag)).toEqual({ ...held, status: 304 });
  expect((await tagOf(randomUUID(), held.tag)).status).toBe(200);
  await setDatabaseClock(database, new Date(Date.now() + 301_000));
  await refresh(sale.eventId);
  const answer = await call(sale.eventId, '', { userId: ann, headers: { 'if-none-match': held.tag } });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ mine: null, grades: [{ left: 6 }] });
});

test('unknown events and sections are 404, seats that are not built 503', async () => {
  const sale = await aSale(database, { seats: 2 });
  const codeOf = async (eventId: string, rest: string) => {
    const answer = await call(eventId, rest);
    return `${answer.status} ${(await bodyOf(answer)).code}`;
  };
  for (const rest of ['', '/sections/A', '/stream', '/stream?since=1'])
    expect(await codeOf(randomUUID(), rest)).toBe('404 NOT_FOUND');
  expect(await codeOf(sale.eventId, '/sections/B')).toBe('404 NOT_FOUND');
  expect(await codeOf(sale.eventId, '/stream?since=-1')).toBe('400 VALIDATION_FAILED');
  const unbuilt = await aSale(database, { seats: 2 });
  await database.query('UPDATE ticketing.events SET built_offer = null WHERE event_id = $1', [unbuilt.eventId]);
  expect(await codeOf(unbuilt.eventId, '')).toBe('503 SEATS_NOT_READY');
  const answer = await call(sale.eventId, '', { headers: { 'x-test-slot': unbuilt.eventId } });
  expect([answer.status, (await bodyOf(answer)).code]).toEqual([403, 'ENTRY_TOKEN_REQUIRED']);
});

test('a stream begins with the version, tells each change once, and resumes where it ended', async () => {
  const sale = await aSale(database, { seats: 6 });
  const first = await listen(sale.eventId);
  expect([first.answer.statusCode, first.answer.headers['content-type']]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
  ]);
  await soon('the beginning', () => first.told.length === 1);
  expect(first.beginning()).toMatch(/^retry: \d{4,5}\n\n/);
  expect(first.told[0]).toMatchObject({ event: 'SEATS', data: { resync: false, seats: [], grades: [{ left: 6 }] } });

  await aHold(database, sale, { seatNos: [2, 3] });
  await refresh(sale.eventId);
  await soon('the change', () => first.told.length === 2);
  expect(first.told[1]).toMatchObject({
    event: 'SEATS',
    data: {
      seats: [
        [2, 1],
        [3, 1],
      ],
      grades: [{ left: 4 }],
    },
  });
  const lastId = first.told[1]?.id ?? '';
  expect(Number(lastId)).toBeGreaterThan(Number(first.told[0]?.id));
  first.end();

  await aHold(database, sale, { seatNos: [5] });
  await refresh(sale.eventId);
  const resumed = await listen(sale.eventId, { headers: { 'last-event-id': lastId } });
  await soon('what was missed', () => resumed.told.length === 1);
  expect(resumed.told[0]).toMatchObject({ event: 'SEATS', data: { seats: [[5, 1]] } });

  const poll = async (since: string) => (await call(sale.eventId, `/stream?since=${since}`)).json();
  expect(await poll(lastId)).toEqual(resumed.told[0]?.data);
  expect(await poll(resumed.told[0]?.id ?? '')).toMatchObject({ resync: false, seats: [] });
  expect(await poll('1')).toMatchObject({ resync: true, seats: [] });
  for (const lost of ['1', '999999999999']) {
    const behind = await listen(sale.eventId, { headers: { 'last-event-id': lost } });
    await soon('the RESYNC', () => behind.told.length === 1);
    expect(behind.told[0]).toMatchObject({ event: 'RESYNC', data: { resync: true, seats: [] } });
    await aHold(database, sale, { seatNos: [lost === '1' ? 0 : 1] });
    await refresh(sale.eventId);
    await soon('the next change', () => behind.told.length === 2);
    expect(behind.told[1]?.event).toBe('SEATS');
  }
});

test('a reader that takes nothing is dropped, the others are told, and it resumes', async () => {
  const clock = aClock(Date.now());
  const slow = await aSeatServer(database, { clock });
  const sale = await aSale(database, { seats: 2_000 });
  const socket = connect(slow.port, '127.0.0.1');
  atEnd(async () => void socket.destroy());
  socket.on('error', () => undefined);
  const lines = [`GET /api/seats/events/${sale.eventId}/stream HTTP/1.1`, 'host: x', `x-test-user: ${randomUUID()}`];
  socket.write(`${[...lines, `x-test-slot: ${sale.eventId}`].join('\r\n')}\r\n\r\n`);
  socket.pause();
  const quick = await slow.listen(sale.eventId);
  const gauge = async (name: string) =>
    Number(new RegExp(`^${name}(?:{.*})? (.*)$`, 'm').exec(await slow.metrics.text())?.[1]);
  await soon('both streams', () => quick.told.length === 1);
  expect(await gauge('urr_seat_streams')).toBe(2);
  // Until the socket of the one that does not read is full: 2,000 seats are some twenty kilobytes.
  const block = (state: number, step: number) =>
    database.query(
      `INSERT INTO ticketing.ledger (at, event_id, act, seat_nos, seat_fences, seat_steps, seat_state)
       SELECT urr.now(), $1, 'blocked', array_agg(n), array_agg(0), array_agg($3::integer), $2 FROM generate_series(0, 1999) AS n`,
      [sale.eventId, state, step],
    );
  let rounds = 0;
  while ((await gauge('urr_seat_streams_dropped_total')) !== 1 && rounds < 2_000) {
    rounds += 1;
    await block(rounds % 2 === 0 ? 0 : 4, rounds);
    await slow.refresh(sale.eventId);
    clock.advance(400);
    await slow.runJobs();
  }
  expect(await gauge('urr_seat_streams_dropped_total')).toBe(1);
  await soon('all changes', () => quick.told.length === rounds + 1);
  expect(await gauge('urr_seat_streams')).toBe(1);
  clock.advance(600_000);
  await slow.runJobs();
  await soon('the end after ten minutes', quick.isOver);
});
