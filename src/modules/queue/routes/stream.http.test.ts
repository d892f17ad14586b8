import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '#test/kit/faults.ts';
import { aLog } from '#test/kit/log.ts';
import { aQueue, type Person } from '../testing/a-queue.ts';
import { pastTheGate } from '../testing/seats-behind.ts';

const log = aLog();
const queue = await aQueue({}, { logger: log.logger });
const { anEvent, person, check, status, call, admit, runJob, app, store, clock, seats, outage } = queue;
await app.listen({ host: '127.0.0.1', port: 0 });
const { port } = app.server.address() as AddressInfo;

interface Told {
  readonly event: string;
  readonly id: string;
  readonly data: Record<string, unknown>;
}

interface Listener {
  readonly answer: IncomingMessage;
  readonly told: Told[];
  readonly text: () => string;
  readonly isOver: () => boolean;
  end(): void;
}

const open = new Set<ClientRequest>();
afterEach(() => {
  for (const request of open) request.destroy();
  open.clear();
});

async function listen(event: string, as: Person, headers: Record<string, string> = {}): Promise<Listener> {
  const cookie = [...as.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const request = get({ host: '127.0.0.1', port, path: `/api/queue/stream/${event}`, headers: { cookie, ...headers } });
  open.add(request);
  request.on('error', () => undefined);
  const answer = await new Promise<IncomingMessage>((resolve) => request.once('response', resolve));
  let text = '';
  let over = false;
  const told: Told[] = [];
  answer.setEncoding('utf8');
  answer.on('data', (chunk: string) => {
    const before = text.split('\n\n').length - 1;
    text += chunk;
    told.push(...text.split('\n\n').slice(before, -1).flatMap(parse));
  });
  answer.on('error', () => undefined);
  answer.on('close', () => {
    over = true;
  });
  return { answer, told, text: () => text, isOver: () => over, end: () => request.destroy() };
}

function parse(block: string): Told[] {
  const lines = new Map(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  const [event, id, data] = [lines.get('event'), lines.get('id') ?? '', lines.get('data')];
  return event === undefined || data === undefined ? [] : [{ event, id, data: JSON.parse(data) }];
}

async function crowd(event: string, count: number): Promise<Person[]> {
  const people = Array.from({ length: count }, () => person());
  for (const one of people) await check(event, one);
  return people;
}

const soon = (what: string, attempt: () => boolean) => eventually(attempt, { withinMs: 30_000, what });

test('opening a stream, or asking about one, is nothing to warn of', async () => {
  const event = anEvent();
  const [ann] = await crowd(event, 2);
  const stream = await listen(event, ann as Person);
  await soon('the stream to begin', () => stream.text().startsWith('retry: '));
  const cookie = [...(ann as Person).cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const head = await fetch(`http://127.0.0.1:${port}/api/queue/stream/${event}`, {
    method: 'HEAD',
    headers: { cookie },
  });
  expect(head.status).toBe(200);
  expect(log.lines()).toEqual([]);
});

test('a stream tells the place, each move, and the turn with its token', async () => {
  const event = anEvent();
  const [one = person(), , third = person(), ann = person()] = await crowd(event, 4);
  const stream = await listen(event, ann);
  expect(stream.answer.statusCode).toBe(200);
  expect(stream.answer.headers['content-type']).toBe('text/event-stream; charset=utf-8');
  expect(stream.answer.headers['cache-control']).toContain('no-store');
  await soon('the first position', () => stream.told.length === 1);
  expect(stream.told[0]).toMatchObject({ event: 'RANK_UPDATE', id: '2', data: { position: 2, peopleAhead: 1 } });
  const retry = Number(/^retry: (\d+)\n\n/.exec(stream.text())?.[1]);
  expect(retry).toBeGreaterThanOrEqual(1_000);
  expect(retry).toBeLessThanOrEqual(10_000);

  await call('POST', `/api/queue/leave/${event}`, { as: third });
  await runJob('queue-snapshots');
  await soon('the next position', () => stream.told.length === 2);
  expect(stream.told[1]).toMatchObject({ data: { position: 1 } });

  await call('POST', `/api/queue/leave/${event}`, { as: one });
  await admit(event);
  clock.advance(2_000);
  await runJob('queue-snapshots');
  await soon('the turn', () => stream.told.length === 4);
  expect(stream.told.slice(2).map((told) => told.event)).toEqual(['ACTIVE_TURN', 'ENTRY_TOKEN']);
  const entryToken = String(stream.told[3]?.data.entryToken);
  expect((await seats(event, ann, { 'x-queue-entry-token': entryToken })).statusCode).toBe(pastTheGate);
});

test('a push is neither a claim nor a sign of life', async () => {
  const event = anEvent();
  const [one = person(), , ann = person()] = await crowd(event, 3);
  const stream = await listen(event, ann);
  await soon('the first position', () => stream.told.length === 1);
  const seen = async () => {
    const trace = await store.trace({ eventId: event, userId: ann.userId });
    if (trace.status !== 'ok') throw new Error('the event has no state');
    return trace;
  };
  const { seenAtMs } = await seen();
  clock.advance(2_000);
  await runJob('queue-snapshots');
  await runJob('queue-signs-of-life');
  expect((await seen()).seenAtMs).toBe(seenAtMs);
  await call('POST', `/api/queue/leave/${event}`, { as: one });
  await admit(event);
  clock.advance(2_000);
  await runJob('queue-snapshots');
  await soon('the turn', () => stream.told.length === 3);
  expect((await seen()).slot).toMatchObject({ claimed: false });
  await status(event, ann);
  expect((await seen()).slot).toMatchObject({ claimed: true });
});

test('a stream is identified by cookie or header, never by the query string', async () => {
  const event = anEvent();
  const [, , ann = person()] = await crowd(event, 3);
  const ticket = ann.cookies.get(`urr-queue-ticket-${event}`) ?? '';
  const nobody = { ...ann, cookies: new Map<string, string>() };
  expect((await listen(event, nobody, { 'x-queue-ticket': ticket })).answer.statusCode).toBe(200);
  expect((await listen(event, nobody, { authorization: `Bearer ${ann.accessToken}` })).answer.statusCode).toBe(200);
  expect((await listen(event, nobody)).answer.statusCode).toBe(401);
  for (const query of [`ticket=${ticket}`, `token=${ann.accessToken}`, `userId=${ann.userId}`]) {
    const refused = await call('GET', `/api/queue/stream/${event}?${query}`, { as: ann });
    expect([refused.statusCode, refused.json().code]).toEqual([400, 'VALIDATION_FAILED']);
  }
  const stranger = await call('GET', `/api/queue/stream/${event}`, { as: person() });
  expect([stranger.statusCode, stranger.json().code]).toEqual([409, 'NO_PLACE']);
});

test('a stream that comes back goes on from the smallest position it has shown', async () => {
  const event = anEvent();
  const people = await crowd(event, 5);
  const ann = people.at(-1) ?? person();
  const again = await listen(event, ann, { 'last-event-id': '2' });
  const same = await listen(event, ann, { 'last-event-id': '3' });
  const senseless = await listen(event, ann, { 'last-event-id': '-1; x' });
  const streams = [again, same, senseless];
  await soon('what each goes on from', () => streams.every(({ told }) => told.length === 1));
  await runJob('queue-snapshots');
  expect(streams.map(({ told }) => told.map(({ id }) => id))).toEqual([['2'], ['3'], ['3']]);
  for (const one of people.slice(2, 4)) await call('POST', `/api/queue/leave/${event}`, { as: one });
  await runJob('queue-snapshots');
  await soon('the next position', () => again.told.length === 2 && same.told.length === 2);
  expect(again.told[1]).toMatchObject({ data: { position: 1 } });
});

test('what an operator does and an outage of the store reach those who do not move', async () => {
  const event = anEvent();
  const [, , ann = person()] = await crowd(event, 3);
  const operator = person('operator');
  const stream = await listen(event, ann);
  await soon('the first position', () => stream.told.length === 1);
  await call('POST', `/api/queue/admin/${event}/pause`, { as: operator });
  await runJob('queue-snapshots');
  await soon('the pause', () => stream.told.at(-1)?.data.paused === true);
  await call('POST', `/api/queue/admin/${event}/message`, { as: operator, body: { message: '잠시 점검합니다.' } });
  await runJob('queue-snapshots');
  await soon('the message', () => stream.told.at(-1)?.data.message === '잠시 점검합니다.');
  outage.on = true;
  await runJob('queue-snapshots');
  await soon('the outage', () => stream.told.at(-1)?.data.stale === true);
  outage.on = false;
  await runJob('queue-snapshots');
  await soon('the end of the outage', () => stream.told.at(-1)?.data.stale === false);
  expect(stream.told.map(({ id }) => id)).toEqual(stream.told.map(() => '1'));
});

test('anyone who gave up the place elsewhere has the stream ended', async () => {
  const event = anEvent();
  const [one = person(), , ann = person()] = await crowd(event, 4);
  const stream = await listen(event, ann);
  await call('POST', `/api/queue/leave/${event}`, { as: one });
  await call('POST', `/api/queue/leave/${event}`, { as: { ...ann, cookies: new Map() } });
  await admit(event);
  clock.advance(2_000);
  await runJob('queue-snapshots');
  await soon('the end of the stream', stream.isOver);
});

test('whose place an operator clears learns it with the next snapshot, and so does whose slot an operator ends', async () => {
  const event = anEvent();
  const operator = person('operator');
  const [one = person(), , ann = person(), ben = person()] = await crowd(event, 4);
  const [first, second] = [await listen(event, ann), await listen(event, ben)];
  await soon('the first positions', () => first.told.length === 1 && second.told.length === 1);
  await call('POST', `/api/queue/leave/${event}`, { as: one });
  await admit(event);
  clock.advance(2_000);
  await runJob('queue-snapshots');
  await soon('the turn', () => first.told.some((told) => told.event === 'ACTIVE_TURN'));
  await call('POST', `/api/queue/admin/${event}/users/${ann.userId}/end-slot`, { as: operator });
  await call('POST', `/api/queue/admin/${event}/clear`, { as: operator });
  clock.advance(2_000);
  await runJob('queue-snapshots');
  await soon('the end of both streams', () => first.isOver() && second.isOver());
  expect([first.told.at(-1)?.event, second.told.at(-1)?.event]).toEqual(['PLACE_OVER', 'PLACE_OVER']);
  expect(await status(event, ben)).toMatchObject({ status: 'none' });
});

test('a HEAD of the stream is answered and over', async () => {
  const event = anEvent();
  const [, , ann = person()] = await crowd(event, 3);
  const head = await call('HEAD', `/api/queue/stream/${event}`, { as: ann });
  expect([head.statusCode, head.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
});

test('the seventh stream of one user takes the place of the oldest', async () => {
  const event = anEvent();
  const [, , ann = person()] = await crowd(event, 3);
  const streams: Listener[] = [];
  for (let i = 0; i < 7; i++) streams.push(await listen(event, ann));
  await soon('the end of the oldest', () => streams.findIndex((stream) => !stream.isOver()) === 1);
});

test('a stream that ends is forgotten, and a stopping module ends those that are open', async () => {
  const event = anEvent();
  const [, , ann = person(), bob = person()] = await crowd(event, 4);
  (await listen(event, ann)).end();
  const stream = await listen(event, bob);
  await soon('the first position', () => stream.told.length === 1);
  await queue.instance.stop?.();
  await soon('the end of the stream', stream.isOver);
});
