import { expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { startTestApp } from '#test/kit/app.ts';
import { eventually } from '#test/kit/faults.ts';
import { afterRuns } from '#test/kit/queue/seen.ts';
import { aShowOnSale, aSignedIn } from '#test/kit/queue/show.ts';
import { createSendRaw, type SendRaw } from '#test/kit/raw-http.ts';
import { jsonCall, refusalOf } from '#test/kit/stage.ts';

/** All roles, and a gateway in a place of its own whose time the test moves on. */
const whole = await startTestApp();
let passedMs = 0;
const apart = await startTestApp({
  roles: ['gateway'],
  env: {
    ...Object.fromEntries(
      ['AUTH', 'CATALOG', 'QUEUE', 'TICKETING', 'PAYMENTS', 'WAITING_ROOM'].map((role) => [
        `URR_${role}_URL`,
        whole.url,
      ]),
    ),
  },
  clock: { now: systemClock.now, monotonicMs: () => systemClock.monotonicMs() + passedMs },
});
const doors: readonly SendRaw[] = [createSendRaw(whole.url), createSendRaw(apart.url)];
const operator = aSignedIn('operator');

const act = async (action: string, eventId: string, body?: unknown) => {
  const method = action === 'schedule' ? 'PUT' : 'POST';
  const path = `/api/admin/vwr/${action}/${eventId}`;
  const answer = await doors[0]?.(jsonCall({ method, path, token: operator.accessToken, body }));
  expect([action, answer?.status]).toEqual([action, 200]);
};

/** What each gateway says to nginx about the page of this event. */
async function decided(eventId: string): Promise<unknown[]> {
  const headers = { 'x-original-uri': `/events/${eventId}`, 'x-original-method': 'GET' };
  return Promise.all(doors.map(async (send) => (await send({ path: '/vwr/decide', headers })).status));
}
const becomes = (eventId: string, statuses: readonly number[]) =>
  eventually(async () => JSON.stringify(await decided(eventId)) === JSON.stringify(statuses), {
    withinMs: 60_000,
    what: `the decision about ${eventId} to be ${statuses}`,
  });

test('a switch reaches every process; calls are told where to go, and who waits in tier 2 goes on', async () => {
  const eventId = await aShowOnSale(whole.url);
  const check = (send: SendRaw, token: string) =>
    send(jsonCall({ method: 'POST', path: `/api/queue/check/${eventId}`, token }));
  const early = aSignedIn('buyer');
  for (const send of doors) expect((await check(send, early.accessToken)).status).toBe(200);
  expect(await decided(eventId)).toEqual([200, 200]);

  await act('activate', eventId);
  await becomes(eventId, [403, 403]);
  for (const send of doors) {
    const path = `/api/tickets/event/${eventId}`;
    const refused = await send(jsonCall({ path, token: aSignedIn('buyer').accessToken }));
    // Known or not as a route: nobody without a pass gets beyond the room.
    expect([403, 404]).toContain(refused.status);
    const seats = await send(jsonCall({ path: `/api/seats/events/${eventId}`, token: early.accessToken }));
    expect([refusalOf(seats), JSON.parse(seats.text).redirectTo]).toEqual([
      '403 WAITING_ROOM_REQUIRED',
      `/vwr/${eventId}`,
    ]);
    expect(refusalOf(await check(send, aSignedIn('buyer').accessToken))).toBe('403 WAITING_ROOM_REQUIRED');
    expect((await check(send, early.accessToken)).status).toBe(200);
  }

  await act('deactivate', eventId);
  await becomes(eventId, [200, 200]);
  for (const send of doors) expect((await check(send, aSignedIn('buyer').accessToken)).status).toBe(200);
});

test('with the waiting room away what was last said counts, and after ten minutes each room’s own fail mode', async () => {
  const [openly, closed] = [await aShowOnSale(whole.url), await aShowOnSale(whole.url)];
  for (const eventId of [openly, closed]) await act('activate', eventId);
  await act('schedule', openly, { failMode: 'open' });
  await act('schedule', closed, { failMode: 'closed' });
  for (const eventId of [openly, closed]) await becomes(eventId, [403, 403]);
  // The gateway apart has heard of the fail mode as well: its next questions were answered after it was set.
  await afterRuns([apart.url], 'waiting-rooms-mirror', 1);
  await whole.stop();
  const [, send] = doors;
  const says = async (eventId: string) =>
    (
      await send?.({
        path: '/vwr/decide',
        headers: { 'x-original-uri': `/events/${eventId}`, 'x-original-method': 'GET' },
      })
    )?.status;
  expect([await says(openly), await says(closed)]).toEqual([403, 403]);
  passedMs = 600_000;
  await eventually(async () => (await says(openly)) === 200, { withinMs: 60_000, what: 'the room to fail open' });
  expect(await says(closed)).toBe(403);
});
