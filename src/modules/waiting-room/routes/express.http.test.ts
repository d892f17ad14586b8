import type { RequestOptions } from 'node:http';
import { expect, test } from 'vitest';
import { type Answer, bothWays, comparable } from '#test/kit/both-ways.ts';
import { aWaitingRoom } from '../testing/a-waiting-room.ts';

/** Of one caller in this file: the last test uses up what is left of one. */
const watchesMax = 60;
const room = await aWaitingRoom({ rateLimits: { watch: { capacity: watchesMax, refillMs: 3_600_000 } } });
const { act, aRoom, anEvent, assign, browser, clock, staff } = room;
const { send, usually } = await bothWays(room.app);

const eventId = await aRoom();
await act('message', eventId, { message: '곧 다시 시작합니다 — “soon”' });
await act('pause', eventId);
const [ann, ben] = [browser(), browser()];
for (let n = 0; n < 200; n++) await assign(eventId);
const { requestId } = await assign(eventId, ann);
const others = await assign(eventId, ben);
const otherEvent = await aRoom();
await act('pause', otherEvent);

const status = `/vwr/status/${eventId}`;
const check = `/vwr/check/${eventId}/${requestId}`;
const cookie = `urr-vwr-request-${eventId}=${requestId}`;
const { accessToken } = staff('buyer');
const bearer = { authorization: `Bearer ${accessToken}` };

let addresses = 0;
/** Of an address of its own, so that no test counts against another. */
function fromAnew(options: RequestOptions): RequestOptions {
  addresses += 1;
  return { ...options, headers: { 'x-forwarded-for': `203.0.113.${addresses}`, ...options.headers } };
}

const ordinary: Record<string, RequestOptions> = {
  'a look at the status': { path: status },
  'a look with the cookies of a browser': { path: status, headers: { cookie: `${cookie}; other=1` } },
  'a look by somebody signed in': { path: status, headers: bearer },
  'a look with a session that has run out': { path: status, headers: { authorization: `${bearer.authorization}x` } },
  'a look with a request id of its own': { path: status, headers: { 'x-request-id': 'abcdefgh-1' } },
  'a look that pretends to come from inside': { path: status, headers: { 'x-user-id': 'eve', 'x-user-role': 'admin' } },
  'a check': { path: check },
  'a check with its cookie': { path: check, headers: { cookie } },
  'a check by somebody signed in': { path: check, headers: { ...bearer, cookie } },
};

test.each(Object.entries(ordinary))('%s is answered at once, and as usual', async (_, options) => {
  const call = fromAnew(options);
  const quick = await send(call);
  expect([quick.status, quick.express]).toEqual([200, true]);
  expect(comparable(quick)).toEqual(comparable(await usually(call)));
  expect(Number(quick.headers['content-length'])).toBe(Buffer.byteLength(quick.body));
});

test('what is answered at once is the document and the place', async () => {
  const { body, headers } = await send(fromAnew({ path: status }));
  expect(JSON.parse(body)).toMatchObject({ eventId, phase: 'paused', message: '곧 다시 시작합니다 — “soon”' });
  expect(headers['cache-control']).toBe('public, max-age=1');
  const checked = await send(fromAnew({ path: check }));
  expect(JSON.parse(checked.body)).toMatchObject({ admitted: false, requestId, position: 201, ahead: 200 });
  expect(checked.headers['cache-control']).toBe('no-store');
  expect(checked.body).not.toContain('endsAtMs');
});

const extraordinary: Record<string, RequestOptions> = {
  'a look with a query': { path: `${status}?a=1` },
  'a look under the prefix': { path: `/vwr-api${status}` },
  'a look with a slash behind': { path: `${status}/` },
  'a look at no room': { path: `/vwr/status/${anEvent()}` },
  'a look at an id that is none': { path: `/vwr/status/${'x'.repeat(36)}` },
  'a look at the id in capitals': { path: `/vwr/status/${eventId.toUpperCase()}` },
  'a look at an encoded id': { path: `/vwr/status/%${eventId.charCodeAt(0).toString(16)}${eventId.slice(1)}` },
  'a look at the room of the site': { path: '/vwr/status/*' },
  'a look by HEAD': { method: 'HEAD', path: status },
  'a look that announces a body': { path: status, headers: { 'content-length': '0' } },
  'a look by a page of another origin': { path: status, headers: { origin: 'https://elsewhere.example' } },
  'a look that would make a header vanish': { path: status, headers: { connection: 'close, x-forwarded-for' } },
  'a check with an edited requestId': { path: `${check}x` },
  'a check with an encoded requestId': { path: check.replace('uvr1', '%75vr1') },
  'a check with a query': { path: `${check}?a=1` },
  'a check with a slash behind': { path: `${check}/` },
  'a check without a requestId': { path: `/vwr/check/${eventId}/` },
  'a check in another room': { path: `/vwr/check/${otherEvent}/${requestId}` },
  'a check of somebody else’s number': { path: `/vwr/check/${eventId}/${others.requestId}`, headers: { cookie } },
};

test.each(Object.entries(extraordinary))('%s takes the usual way', async (_, options) => {
  const call = fromAnew(options);
  const slow = await send(call);
  expect(slow.express).toBe(false);
  expect(comparable(slow)).toEqual(comparable(await usually(call)));
});

test('a path with two readings is refused', async () => {
  for (const path of [`/vwr/status/../status/${eventId}`, `/vwr/status//${eventId.slice(1)}`])
    expect(await send(fromAnew({ path }))).toMatchObject({ express: false, status: 400 });
});

test('a check near the turn, at it and after the room was switched off takes the usual way, which gives the pass', async () => {
  const event = await aRoom();
  await act('pause', event);
  const places = [];
  for (let n = 0; n < 60; n++) places.push(await assign(event));
  const path = `/vwr/check/${event}/${places[55]?.requestId}`;
  const ask = () => send(fromAnew({ path }));
  expect(await ask()).toMatchObject({ express: true });
  await act('advance', event, { batchSize: 30 });
  expect(await ask()).toMatchObject({ express: false, status: 200 });
  await act('advance', event, { batchSize: 30 });
  const served = await ask();
  expect(served.express).toBe(false);
  expect(JSON.parse(served.body)).toMatchObject({ admitted: true });
  expect(String(served.headers['set-cookie'])).toContain(`urr-vwr-token-${event}=`);
  await act('deactivate', event);
  const last = await send(fromAnew({ path: `/vwr/check/${event}/${places[59]?.requestId}` }));
  expect(last.express).toBe(false);
  expect(JSON.parse(last.body)).toMatchObject({ admitted: true });
});

test('a change of the room is in the document a quarter of a second later', async () => {
  const look = async () => JSON.parse((await send(fromAnew({ path: `/vwr/status/${otherEvent}` }))).body);
  expect(await look()).toMatchObject({ message: null });
  await act('message', otherEvent, { message: 'one moment' });
  clock.advance(250);
  expect(await look()).toMatchObject({ message: 'one moment' });
});

const left = ({ headers }: Answer) => Number(headers['ratelimit-remaining']);

test('calls spend the same tokens either way, by address and by user, and too many are refused with the usual words', async () => {
  const call = fromAnew({ path: status });
  const slow = await usually(call);
  expect(left(slow)).toBe(watchesMax - 1);
  // With a session it is the user who is counted, wherever the calls come from.
  const signedIn = { headers: { ...bearer, 'x-forwarded-for': '198.51.100.1' }, path: check };
  const before = left(await usually(signedIn));
  expect(left(await send({ ...signedIn, headers: { ...bearer, 'x-forwarded-for': '198.51.100.2' } }))).toBe(before - 1);
  for (let n = left(slow) - 1; n >= 0; n--) {
    const quick = await send(call);
    expect([quick.express, quick.status, left(quick)]).toEqual([true, 200, n]);
  }
  const refused = await send(call);
  expect(refused).toMatchObject({ express: false, status: 429 });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(comparable(refused)).toEqual(comparable(await usually(call)));
  // What the lane had no answer for was counted once.
  const elsewhere = fromAnew({ path: `${check}x` });
  await send(elsewhere);
  expect(left(await send({ ...elsewhere, path: status }))).toBe(watchesMax - 2);
});
