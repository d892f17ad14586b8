import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { aLayout, anArtist, anEvent, aVenue } from '#test/kit/builders/catalog.ts';
import { eventually } from '#test/kit/faults.ts';
import { aStage, jsonCall, refusalOf } from '#test/kit/stage.ts';

const { send, users, draftId, apps } = await aStage('together');
const database = apps[0]?.urr.engines.database;
const token = users.seller.accessToken;

async function make(path: string, body?: unknown): Promise<string> {
  const { status, text } = await send(jsonCall({ method: 'POST', path: `/api/seller/${path}`, token, body }));
  expect([status < 300, text]).toEqual([true, text]);
  return JSON.parse(text).id;
}

/** Two sections of 15 seats, VIP and R, and a standing area. */
async function aShow(): Promise<string> {
  const [artistId, venueId] = [await make('artists', anArtist()), await make('venues', aVenue())];
  const layoutId = await make('layouts', aLayout(venueId, { standing: [40] }));
  const eventId = await make(
    'events',
    anEvent({ artistId, venueId, layoutId }, Date.now(), { standingPrices: [{ areaId: 'Z1', priceKrw: 70_000 }] }),
  );
  await make(`events/${eventId}/publish`);
  return eventId;
}

const ticketsOf = async (eventId: string) => JSON.parse((await send({ path: `/api/tickets/event/${eventId}` })).text);
const seat = (change: string, eventId: string) =>
  database?.query(`UPDATE ticketing.seats SET ${change} AND event_id = $1`, [eventId]);

test('everybody sees what is left; a hold whose time is over is left', async () => {
  const eventId = await aShow();
  await eventually(
    async () => (await database?.query('SELECT FROM ticketing.plans WHERE event_id = $1', [eventId]))?.rowCount === 1,
    { withinMs: 60_000, what: 'the seats' },
  );
  const someone = `fence = 1, reservation_id = '${randomUUID()}', user_id = '${randomUUID()}'`;
  await seat(`state = 1, ${someone}, held_until = urr.now() - interval '1 second' WHERE seat_no = 0`, eventId);
  await seat(`state = 1, ${someone}, held_until = urr.now() + interval '1 hour' WHERE seat_no = 1`, eventId);
  await seat(`state = 3, ${someone} WHERE seat_no = 29`, eventId);
  const answer = await eventually(
    async () => {
      const tickets = await ticketsOf(eventId);
      return tickets.ready === true && tickets;
    },
    { withinMs: 60_000, what: 'what is left' },
  );
  expect(answer).toEqual({
    eventId,
    ready: true,
    grades: [
      { grade: 'VIP', priceKrw: 165_000, left: 14 },
      { grade: 'R', priceKrw: 143_000, left: 14 },
    ],
    ticketTypes: [
      { ticketTypeId: expect.any(String), areaId: 'Z1', name: '스탠딩 1', priceKrw: 70_000, capacity: 40, left: 40 },
    ],
  });
  const { ticketTypeId } = answer.ticketTypes[0];
  const one = await send({ path: `/api/tickets/availability/${ticketTypeId}` });
  expect(JSON.parse(one.text)).toEqual({ ticketTypeId, eventId, capacity: 40, left: 40 });
});

test('nothing is left of a cancelled event', async () => {
  const eventId = await aShow();
  await eventually(async () => (await ticketsOf(eventId)).ready === true, { withinMs: 60_000, what: 'the seats' });
  const cancel = { method: 'POST', path: `/api/seller/events/${eventId}/cancel`, token, body: { reason: '태풍' } };
  expect((await send(jsonCall(cancel))).status).toBe(200);
  await eventually(async () => (await ticketsOf(eventId)).ready === false, {
    withinMs: 60_000,
    what: 'the cancellation',
  });
  expect((await ticketsOf(eventId)).grades.map(({ left }: { left: number }) => left)).toEqual([0, 0]);
});

test.each([
  ['an event that is not public', `event/${draftId}`, '404 NOT_FOUND'],
  ['an event that nobody knows', `event/${randomUUID()}`, '404 NOT_FOUND'],
  ['a ticket type that nobody knows', `availability/${randomUUID()}`, '404 NOT_FOUND'],
  ['what is no id', 'availability/1', '400 VALIDATION_FAILED'],
])('%s has no tickets', async (_, path, refusal) => {
  expect(refusalOf(await send({ path: `/api/tickets/${path}` }))).toBe(refusal);
});
