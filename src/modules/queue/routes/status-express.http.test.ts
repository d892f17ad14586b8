import type { RequestOptions } from 'node:http';
import { expect, test } from 'vitest';
import { cookiePrefixes } from '#platform/http/names.ts';
import { type Answer, bothWays, comparable } from '#test/kit/both-ways.ts';
import { createWaitingTickets } from '../service/waiting-tickets.ts';
import { aQueue, queueSecrets } from '../testing/a-queue.ts';

const formerSecret = 'former-secret-0123456789-0123456789-abcd';
/** As many polls as one user may make in this file: the last test uses up what is left. */
const pollsMax = 100;
const queue = await aQueue(
  {},
  {
    waitingTicketSecrets: [queueSecrets.ticket, formerSecret],
    rateLimits: { poll: { capacity: pollsMax, refillMs: 3_600_000 } },
  },
);
const { app, anEvent, person, check, clock, runJob, outage } = queue;
const { send, usually } = await bothWays(app);

const event = anEvent();
const people = Array.from({ length: 1_010 }, () => person());
for (const one of people) await check(event, one);
await runJob('queue-snapshots');
const ann = people.at(-3) ?? person();
const ticket = ann.cookies.get(cookiePrefixes.waitingTicket + event) ?? '';
const path = `/api/queue/status/${event}`;
const bearer = { authorization: `Bearer ${ann.accessToken}` };
const cookie = `${cookiePrefixes.waitingTicket}${event}=${ticket}`;

const ordinary: Record<string, RequestOptions> = {
  'with the ticket in the header': { path, headers: { 'x-queue-ticket': ticket } },
  'with the ticket in its cookie': { path, headers: { cookie } },
  'signed in, with the ticket': { path, headers: { ...bearer, cookie } },
  'with a session that has run out': { path, headers: { authorization: `${bearer.authorization}x`, cookie } },
  'through a proxy, not signed in': { path, headers: { cookie, 'x-forwarded-for': '203.0.113.9' } },
  'with a request id of its own': { path, headers: { cookie, 'x-request-id': 'abcdefgh-1' } },
  'that pretends to come from inside': { path, headers: { cookie, 'x-user-id': 'eve', 'x-user-role': 'admin' } },
};

test.each(Object.entries(ordinary))('a poll %s is answered at once, and as usual', async (_, options) => {
  const quick = await send(options);
  expect(quick.express).toBe(true);
  expect(quick.status).toBe(200);
  expect(JSON.parse(quick.body)).toMatchObject({ status: 'waiting', position: 1_006 });
  expect(comparable(quick)).toEqual(comparable(await usually(options)));
});

const other = people.at(-5) ?? person();
const extraordinary: Record<string, RequestOptions> = {
  'without anything': { path },
  'with an edited ticket': { path, headers: { 'x-queue-ticket': `${ticket}x` } },
  'with the ticket of another event': { path: `/api/queue/status/${anEvent()}`, headers: { 'x-queue-ticket': ticket } },
  'with the ticket of another user': {
    path,
    headers: { ...bearer, 'x-queue-ticket': other.cookies.get(cookiePrefixes.waitingTicket + event) ?? '' },
  },
  'with a query': { path: `${path}?position=1`, headers: { cookie } },
  'of the versioned path': { path: `/api/v1/queue/status/${event}`, headers: { cookie } },
  'with a slash behind': { path: `${path}/`, headers: { cookie } },
  'of an id that is none': { path: `/api/queue/status/${'x'.repeat(36)}`, headers: { cookie } },
  'that announces a body': { path, headers: { cookie, 'content-length': '0' } },
  'by HEAD': { method: 'HEAD', path, headers: { cookie } },
  'by a page of another origin': { path, headers: { cookie, origin: 'https://elsewhere.example' } },
  'with a token that is no good and a good ticket': { path, headers: { authorization: 'Bearer x', cookie } },
  'near the front': {
    path,
    headers: { 'x-queue-ticket': people[10]?.cookies.get(cookiePrefixes.waitingTicket + event) ?? '' },
  },
};

test.each(Object.entries(extraordinary))('a call %s takes the usual way', async (_, options) => {
  const slow = await send(options);
  expect(slow.express).toBe(false);
  expect(comparable(slow)).toEqual(comparable(await usually(options)));
});

const answersTold = async () => {
  await runJob('queue-snapshots');
  const { values } = (await queue.deps.metrics.registry.getSingleMetric('urr_queue_answers_total')?.get()) ?? {
    values: [],
  };
  return values.reduce((sum, { value }) => sum + value, 0);
};

test.each(['by a page of another origin', 'with a token that is no good and a good ticket', 'near the front'])(
  'a call %s is counted once, and answered once',
  async (name) => {
    const before = await answersTold();
    await send(extraordinary[name] ?? {});
    expect((await answersTold()) - before).toBe(1);
  },
);

/** The same place, sealed before the secret was rotated. */
function sealedBefore(text: string): string {
  const opened = createWaitingTickets({ secrets: [queueSecrets.ticket] }).open(text);
  if (opened?.kind !== 'waiting') throw new Error('no waiting ticket');
  return createWaitingTickets({ secrets: [formerSecret] }).seal(opened);
}

const isSealedNow = (text: string) => createWaitingTickets({ secrets: [queueSecrets.ticket] }).open(text) !== null;

test('a ticket of the former secret is answered with one of the first, in body and cookie, without a look at the store', async () => {
  const looks = queue.storeCalls.get('enter') ?? 0;
  const former = sealedBefore(ticket);
  expect(isSealedNow(former)).toBe(false);
  const ways = [{ 'x-queue-ticket': former }, { cookie: `${cookiePrefixes.waitingTicket}${event}=${former}` }];
  for (const headers of ways) {
    const polled = await send({ path, headers });
    expect(polled).toMatchObject({ status: 200, express: false });
    const renewed = JSON.parse(polled.body).ticket;
    expect(isSealedNow(renewed)).toBe(true);
    expect(JSON.parse(polled.body)).toMatchObject({ status: 'waiting', position: 1_006 });
    expect([polled.headers['set-cookie'] ?? []].flat().join()).toContain(
      `${cookiePrefixes.waitingTicket}${event}=${renewed};`,
    );
    expect((await send({ path, headers: { 'x-queue-ticket': renewed } })).express).toBe(true);
  }
  expect(queue.storeCalls.get('enter') ?? 0).toBe(looks);
});

test.each([
  ['a check', 'POST', `/api/queue/check/${event}`],
  ['a status near the front', 'GET', path],
  ['a heartbeat', 'POST', `/api/queue/heartbeat/${event}`],
])('%s renews such a ticket as well', async (_, method, url) => {
  const ben = people[10] ?? person();
  const former = sealedBefore(ben.cookies.get(cookiePrefixes.waitingTicket + event) ?? '');
  const headers = {
    authorization: `Bearer ${ben.accessToken}`,
    cookie: `${cookiePrefixes.waitingTicket}${event}=${former}`,
    'sec-fetch-site': 'same-origin',
  };
  const answer = await send({ method, path: url, headers });
  const [, renewed = ''] =
    [answer.headers['set-cookie'] ?? []]
      .flat()
      .join()
      .match(/=([^;]+);/) ?? [];
  expect(isSealedNow(renewed)).toBe(true);
});

test('polls are answered while the store is away, also at once', async () => {
  outage.on = true;
  clock.advance(1_000);
  await runJob('queue-snapshots');
  const { express, body } = await send({ path, headers: { cookie } });
  outage.on = false;
  expect(express).toBe(true);
  expect(JSON.parse(body)).toMatchObject({ status: 'waiting', stale: true, nextPoll: 10 });
});

test('anyone who polls so gives a sign of life', async () => {
  await runJob('queue-snapshots');
  clock.advance(60_000);
  await runJob('queue-signs-of-life');
  await send({ path, headers: { cookie } });
  await runJob('queue-signs-of-life');
  const trace = await queue.store.trace({ eventId: event, userId: ann.userId });
  expect(trace).toMatchObject({ seenAtMs: clock.now() });
});

test('polls spend the same tokens either way, and too many are refused with the usual words', async () => {
  const options = { path, headers: { cookie } };
  const left = ({ headers }: Answer) => Number(headers['ratelimit-remaining']);
  const first = left(await send(options));
  expect(left(await usually(options))).toBe(first - 1);
  for (let n = first - 1; n > 0; n--) {
    const poll = await send(options);
    expect([poll.express, poll.status, left(poll)]).toEqual([true, 200, n - 1]);
  }
  const refused = await send(options);
  expect(refused).toMatchObject({ express: false, status: 429 });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(comparable(refused)).toEqual(comparable(await usually(options)));
});
