import { expect, test } from 'vitest';
import { startTestApp } from '#test/kit/app.ts';
import { aLayout, anArtist, anEvent, aVenue, type LayoutShape } from '#test/kit/builders/catalog.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { eventually } from '#test/kit/faults.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';

const env = { URR_DATABASE_URL: (await aDatabase()).url };
const catalog = await startTestApp({ roles: ['auth', 'catalog'], env });
const ticketing = await startTestApp({
  roles: ['gateway', 'queue', 'ticketing'],
  env: { ...env, URR_AUTH_URL: catalog.url, URR_CATALOG_URL: catalog.url },
});

const { service } = catalog.urr.modules.auth ?? {};
const { database } = catalog.urr.engines;
if (service === undefined || database == null) throw new Error('there is no auth');
const [seller] = await service.ensureUsers([
  { email: 'seller@a.test', password: 'a-password', name: 'A', role: 'seller' },
]);
if (seller === undefined) throw new Error('there is no seller');
const { accessToken } = await service.sessions.open(database, seller);

async function make(path: string, body?: unknown): Promise<string> {
  const answer = await fetch(`${ticketing.url}/api/seller/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${accessToken}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const said = (await answer.json()) as { id: string };
  expect([answer.status < 300, said]).toEqual([true, said]);
  return said.id;
}

async function aShow(shape: LayoutShape): Promise<string> {
  const [artistId, venueId] = [await make('artists', anArtist()), await make('venues', aVenue())];
  const layoutId = await make('layouts', aLayout(venueId, shape));
  const eventId = await make('events', anEvent({ artistId, venueId, layoutId }, Date.now()));
  await make(`events/${eventId}/publish`);
  return eventId;
}

interface Tickets {
  readonly ready: boolean;
  readonly grades: readonly { readonly left: number }[];
}

const ticketsOf = async (eventId: string) =>
  (await (await fetch(`${ticketing.url}/api/tickets/event/${eventId}`)).json()) as Tickets;
const isReady = (eventId: string) => async () => (await ticketsOf(eventId)).ready === true;

test('ticketing in another process than catalog builds 100,000 seats, and offers them while catalog is away', async () => {
  const eventId = await aShow({ sections: 100, rows: 20, seats: 50 });
  await eventually(isReady(eventId), { withinMs: 60_000, what: 'the seats' });
  expect((await ticketsOf(eventId)).grades.map(({ left }) => left)).toEqual([50_000, 50_000]);
  await catalog.stop();
  expect(await ticketsOf(eventId)).toMatchObject({ ready: true });
  await checkLedger(env.URR_DATABASE_URL);
});
