import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { cookieNames, cookiePrefixes } from '#platform/http/names.ts';
import { createWaitingTickets } from '../service/waiting-tickets.ts';
import { aQueue, type Person, queueSecrets } from '../testing/a-queue.ts';
import { pastTheGate } from '../testing/seats-behind.ts';

const queue = await aQueue({ threshold: 1 });
const { app, anEvent, person, check, status, call, clock } = queue;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const ticketName = (eventId: string) => cookiePrefixes.waitingTicket + eventId;
const entryName = (eventId: string) => cookiePrefixes.entryToken + eventId;
/** An event whose only slot is taken. */
async function aFullEvent(): Promise<string> {
  const eventId = anEvent();
  await check(eventId, person());
  return eventId;
}

test('an answer takes away an entry token that is over, and says nothing of one that was never there', async () => {
  const eventId = await aFullEvent();
  const ann = person();
  const set = async () => {
    const { cookies } = await call('POST', `/api/queue/check/${eventId}`, { as: ann });
    return cookies.map(({ name, maxAge }) => ({ name, over: maxAge === 0 }));
  };
  const ticket = { name: ticketName(eventId), over: false };
  expect(await set()).toEqual([ticket]);
  ann.cookies.set(entryName(eventId), 'of a slot that is over');
  expect(await set()).toEqual([ticket, { name: entryName(eventId), over: true }]);
});

test.each([
  ['an hour after the close of the sale', 2 * hourMs, 3 * 3_600],
  ['a week at most', 30 * dayMs, 7 * 24 * 3_600],
])('a ticket is kept until %s', async (_, closesInMs, seconds) => {
  const eventId = anEvent({ saleClosesAt: new Date(clock.now() + closesInMs).toISOString() });
  const { cookies } = await call('POST', `/api/queue/check/${eventId}`, { as: person() });
  expect(cookies.find(({ name }) => name === ticketName(eventId))?.maxAge).toBe(seconds);
});

/** What a browser sends beside its cookies, about. */
const browserHeaders = {
  accept: '*/*',
  'accept-encoding': 'gzip, deflate, br, zstd',
  'accept-language': 'ko-KR,ko;q=0.9,en-US;q=0.8,en;q=0.7',
  referer: 'https://tickets.example.com/queue/00000000-0000-7000-8000-000000000000',
  'sec-ch-ua': '"Chromium";v="142", "Google Chrome";v="142", "Not_A Brand";v="99"',
  'sec-ch-ua-mobile': '?1',
  'sec-ch-ua-platform': '"Android"',
  'sec-fetch-dest': 'empty',
  'sec-fetch-mode': 'cors',
  'sec-fetch-site': 'same-origin',
  'user-agent':
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
};

/** Somebody with a cookie jar, over a socket. Notes how long the head of each request is. */
async function aBrowser(who: Person) {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const jar = new Map([[cookieNames.access as string, who.accessToken]]);
  const heads: number[] = [];
  const read = async (answer: IncomingMessage) => {
    for (const line of answer.headers['set-cookie'] ?? []) {
      const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*)(.*)$/.exec(line) ?? [];
      expect(attributes).toMatch(/; Path=\/; SameSite=Lax; HttpOnly$/);
      if (attributes.startsWith('; Max-Age=0;')) jar.delete(name);
      else jar.set(name, value);
    }
    return { status: answer.statusCode, body: (await answer.toArray()).join('') };
  };
  return {
    jar,
    heads,
    named: (prefix: string) => [...jar.keys()].filter((name) => name.startsWith(prefix)),
    go: (method: 'GET' | 'POST', path: string) =>
      new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
        const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
        const headers = { ...browserHeaders, host: 'tickets.example.com', cookie };
        const asked = request({ port, method, path, headers }, (answer) => {
          read(answer).then(resolve, reject);
        });
        asked.once('error', reject);
        asked.end();
        // As it goes over the wire: the request line and all headers.
        heads.push(Buffer.byteLength(`${method} ${path} HTTP/1.1\r\n`) + headBytes(asked.getHeaders()));
      }),
  };
}

function headBytes(headers: object): number {
  return Object.entries(headers).reduce((sum, [name, value]) => sum + `${name}: ${value}\r\n`.length, 0);
}

test('two hundred queues in one browser: the head of each request stays under 4 kB, and every place is still found', async () => {
  const ann = person();
  const { jar, heads, named, go } = await aBrowser(ann);
  const events: string[] = [];
  for (let n = 0; n < 200; n++) {
    clock.advance(1_000);
    // In every other one she gets a slot at once.
    const eventId = n % 2 === 0 ? await aFullEvent() : anEvent();
    events.push(eventId);
    expect((await go('POST', `/api/queue/check/${eventId}`)).status).toBe(200);
    expect(jar.has(ticketName(eventId))).toBe(true);
    expect(jar.has(entryName(eventId))).toBe(n % 2 === 1);
  }
  expect(Math.max(...heads)).toBeLessThan(4_096);
  expect(named(cookiePrefixes.waitingTicket)).toEqual(events.slice(-8).map(ticketName));
  expect(named(cookiePrefixes.entryToken).at(-1)).toBe(entryName(events.at(-1) ?? ''));

  const [first = '', second = ''] = events;
  expect(JSON.parse((await go('GET', `/api/queue/status/${first}`)).body)).toMatchObject({
    status: 'waiting',
    position: 1,
  });
  expect(JSON.parse((await go('GET', `/api/queue/status/${second}`)).body)).toMatchObject({ status: 'active' });
  expect(jar.has(ticketName(second)) && jar.has(entryName(second))).toBe(true);
  expect((await go('GET', `/api/seats/events/${second}`)).status).toBe(pastTheGate);
  expect(Math.max(...heads)).toBeLessThan(4_096);
});

test('cookies of somebody else and such as prove nothing are taken away, and push none of the own ones out', async () => {
  const [ann, eve] = [person(), person()];
  const events: string[] = [];
  for (let n = 0; n < 8; n++) {
    clock.advance(1_000);
    events.push(await aFullEvent());
    await check(events[n] ?? '', ann);
  }
  const own = [...ann.cookies.keys()];
  clock.advance(1_000);
  const foreign = await aFullEvent();
  await check(foreign, eve);
  ann.cookies.set(ticketName(foreign), eve.cookies.get(ticketName(foreign)) ?? '');
  const elsewhere = anEvent();
  ann.cookies.set(ticketName(elsewhere), ann.cookies.get(own[0] ?? '') ?? '');
  ann.cookies.set(ticketName('unreadable'), 'x');
  ann.cookies.set(entryName('unreadable'), 'x');
  ann.cookies.set('another-urr-queue-ticket-x', 'x');
  await check(events[7] ?? '', ann);
  expect([...ann.cookies.keys()]).toEqual([...own, 'another-urr-queue-ticket-x']);
});

test('a cookie that a sibling domain planted over an own one neither ends it nor hides it', async () => {
  const ann = person();
  const [first, second] = [await aFullEvent(), await aFullEvent()];
  await check(first, ann);
  const { ticket = '' } = await check(second, ann);
  const planted = `${ticketName(first)}=planted; ${ticketName(second)}=planted`;
  const cookie = `${planted}; ${[...ann.cookies].map(([name, value]) => `${name}=${value}`).join('; ')}`;
  const answer = await call('POST', `/api/queue/check/${second}`, { as: ann, headers: { cookie } });
  expect(answer.cookies).toEqual([expect.objectContaining({ name: ticketName(second), value: ticket })]);
  // Without being signed in, too: the ticket alone says who asks.
  const byTicket = await call('GET', `/api/queue/status/${second}`, { headers: { cookie } });
  expect(byTicket.json()).toMatchObject({ status: 'waiting', ticket });
});

test('however many are planted, the own ones that are too many go first, and the answer stays short', async () => {
  const ann = person();
  const tickets = createWaitingTickets({ secrets: [queueSecrets.ticket] });
  const old = Array.from({ length: 12 }, (_, n) => {
    const eventId = `00000000-0000-7000-8000-0000000000${10 + n}`;
    const facts = { eventId, userId: ann.userId, order: n + 1, epoch: 1, predicted: null };
    return `${ticketName(eventId)}=${tickets.seal({ ...facts, takenAtMs: clock.now() - dayMs + n })}`;
  });
  const planted = Array.from({ length: 60 }, (_, n) => `${ticketName(`planted-${n}`)}=x`);
  const eventId = await aFullEvent();
  const cookie = [...planted, ...old].join('; ');
  const { cookies } = await call('POST', `/api/queue/check/${eventId}`, { as: ann, headers: { cookie } });
  const erased = cookies.filter(({ maxAge }) => maxAge === 0).map(({ name }) => name);
  expect(erased).toHaveLength(16);
  expect(erased.slice(0, 5)).toEqual(old.slice(0, 5).map((text) => text.slice(0, text.indexOf('='))));
});

test('a ticket from a clock that was ahead takes one of the places, and no more', async () => {
  const ann = person();
  clock.advance(hourMs / 2);
  const ahead = await aFullEvent();
  await check(ahead, ann);
  clock.advance(-hourMs / 2);
  const events: string[] = [];
  for (let n = 0; n < 9; n++) {
    events.push(await aFullEvent());
    await check(events[n] ?? '', ann);
    clock.advance(1_000);
  }
  expect([...ann.cookies.keys()].sort()).toEqual([ahead, ...events.slice(-7)].map(ticketName).sort());
  expect(await status(events[0] ?? '', ann)).toMatchObject({ status: 'waiting' });
});
