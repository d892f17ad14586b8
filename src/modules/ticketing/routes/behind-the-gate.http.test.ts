import { randomUUID } from 'node:crypto';
import { get } from 'node:http';
import { expect, test } from 'vitest';
import { startTestApp } from '#test/kit/app.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { eventually } from '#test/kit/faults.ts';
import { createQueueCaller } from '#test/kit/queue/caller.ts';
import { aShowOnSale, aSignedIn, type SomebodySignedIn } from '#test/kit/queue/show.ts';
import { createSendRaw } from '#test/kit/raw-http.ts';
import { jsonCall, refusalOf } from '#test/kit/stage.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';

const { url, urr } = await startTestApp({
  env: { URR_RATE_POLL_PER_MINUTE: '1000000', URR_RATE_CHECK_PER_MINUTE: '1000000' },
});
const send = createSendRaw(url);
const eventId = await aShowOnSale(url);
const queue = createQueueCaller(eventId, () => url);
const mapPath = `/api/seats/events/${eventId}`;

async function aBuyerInTurn(): Promise<SomebodySignedIn & { entryToken: string }> {
  const buyer = aSignedIn('buyer');
  const entryToken = await eventually(async () => (await queue.check(buyer)).answer?.entryToken ?? false, {
    withinMs: 60_000,
    what: 'a turn',
  });
  return { ...buyer, entryToken };
}

const withToken = (entryToken: string, more: Record<string, string> = {}) => ({
  'x-queue-entry-token': entryToken,
  ...more,
});
const wish = { eventId, count: 2, together: true };

test('without an entry token of one’s own nothing of the map is shown, and nothing is given', async () => {
  const [ann, bea] = [await aBuyerInTurn(), aSignedIn('buyer')];
  for (const headers of [{}, withToken(ann.entryToken), withToken('forged')])
    for (const call of [
      { path: mapPath },
      { path: `${mapPath}/sections/A` },
      { path: `${mapPath}/stream` },
      { path: '/api/seats/best-available', body: wish },
    ])
      expect(refusalOf(await send(jsonCall({ ...call, token: bea.accessToken, headers })))).toMatch(/^403 /);
  expect(refusalOf(await send(jsonCall({ path: mapPath })))).toBe('401 UNAUTHENTICATED');
});

test('best available through the gateway: held, shown as mine, told to others, and the same again for the same key', async () => {
  const [ann, bea] = [await aBuyerInTurn(), await aBuyerInTurn()];
  const see = (who: typeof ann) =>
    send(jsonCall({ path: mapPath, token: who.accessToken, headers: withToken(who.entryToken) }));
  await eventually(async () => (await see(ann)).status === 200, { withinMs: 60_000, what: 'the seats to be built' });
  let told = '';
  const stream = get(`${url}${mapPath}/stream`, {
    headers: { authorization: `Bearer ${bea.accessToken}`, ...withToken(bea.entryToken) },
  });
  stream.on('response', (answer) =>
    answer.on('data', (chunk) => {
      told += chunk;
    }),
  );
  stream.on('error', () => undefined);
  atEnd(async () => void stream.destroy());
  await eventually(() => told.includes('event: SEATS'), { withinMs: 30_000, what: 'the stream to begin' });

  const reserve = (body: unknown, key: string) =>
    send(
      jsonCall({
        path: '/api/seats/best-available',
        token: ann.accessToken,
        body,
        headers: withToken(ann.entryToken, { 'idempotency-key': key }),
      }),
    );
  const key = randomUUID();
  const first = await reserve(wish, key);
  expect(first.status).toBe(201);
  const reservation = JSON.parse(first.text);
  expect(reservation.seats).toHaveLength(2);
  const again = await reserve(wish, key);
  expect([again.status, again.headers['idempotent-replayed'], JSON.parse(again.text).id]).toEqual([
    201,
    'true',
    reservation.id,
  ]);
  expect(refusalOf(await reserve({ ...wish, count: 1 }, key))).toBe('422 IDEMPOTENCY_MISMATCH');

  await eventually(() => /"seats":\[\[\d+,1\],\[\d+,1\]\]/.test(told), { withinMs: 30_000, what: 'others to be told' });
  await eventually(async () => JSON.parse((await see(ann)).text).mine?.id === reservation.id, {
    withinMs: 30_000,
    what: 'it to be mine',
  });
  expect(JSON.parse((await see(bea)).text).mine).toBeNull();
  for (const unknown of [{ section: 'NOSUCH' }, { grade: 'NOSUCH' }])
    expect(refusalOf(await reserve({ ...wish, ...unknown }, randomUUID()))).toBe('400 VALIDATION_FAILED');
  const nothing = await reserve({ ...wish, maxPriceKrw: 0 }, randomUUID());
  expect([refusalOf(nothing), JSON.parse(nothing.text).wouldFit.length > 0]).toEqual(['409 NOTHING_FITS', true]);
  if (urr.engines.database !== null) await checkLedger(urr.engines.database);
});

test('what was given back cannot be confirmed, and the refusal says what it is now', async () => {
  const cid = await aBuyerInTurn();
  const post = (path: string, body: unknown) =>
    send(jsonCall({ path, token: cid.accessToken, body, headers: withToken(cid.entryToken) }));
  const held = await eventually(
    async () => {
      const answer = await post('/api/seats/best-available', wish);
      return answer.status === 201 && (JSON.parse(answer.text) as { id: string });
    },
    { withinMs: 60_000, what: 'the seats to be built' },
  );
  const cancelled = await post(`/api/reservations/${held.id}/cancel`, {});
  expect(JSON.parse(cancelled.text)).toMatchObject({ id: held.id, status: 'released' });
  const confirmed = await post(`/api/reservations/${held.id}/confirm`, {});
  expect([confirmed.status, JSON.parse(confirmed.text)]).toEqual([
    409,
    expect.objectContaining({ status: 409, code: 'RESERVATION_CLOSED', reservationStatus: 'released' }),
  ]);
  const instead = await post('/api/seats/best-available', { ...wish, replaces: randomUUID() });
  expect(refusalOf(instead)).toBe('404 NOT_FOUND');
});
