import { eventStatus, layoutDocumentOf } from '#modules/catalog/contract.ts';
import type { Actor, CatalogService, EventDraft, EventTimes } from '#modules/catalog/index.ts';
import { assert } from '#platform/assert.ts';
import { type Clock, systemClock } from '#platform/clock.ts';
import { isFault } from '#platform/errors.ts';
import type { Database } from '#platform/postgres/database.ts';
import type { RunningUrr } from '../start.ts';
import { demoAccounts, sellerEmail } from './accounts.ts';
import { demoArtists } from './artists.ts';
import { type DemoShow, demoShows } from './shows.ts';
import { demoVenues } from './venues.ts';

export interface DemoOptions {
  readonly urr: Pick<RunningUrr, 'modules' | 'engines'>;
  readonly password: string;
  readonly clock?: Clock;
  /** A show somebody has bought tickets for keeps its dates. */
  readonly hasSales?: (eventId: string) => Promise<boolean>;
}

/**
 * Accounts, artists, venues and shows to look at, in every state. Safe to repeat: what is there stays, and shows that
 * time has carried out of the state they are there for move to new dates.
 */
export async function loadDemo({
  urr,
  password,
  clock = systemClock,
  hasSales = urr.modules.ticketing?.hasReservations ?? nothingSold,
}: DemoOptions): Promise<void> {
  const { auth, catalog } = urr.modules;
  const { database } = urr.engines;
  assert(auth && catalog && database, 'the demonstration data needs the roles auth and catalog');

  await oneAtATime(database, async () => {
    const users = await auth.service.ensureUsers(demoAccounts(password));
    const seller = users.find((user) => user.email === sellerEmail);
    assert(seller, `${sellerEmail} is one of the accounts`);
    const actor = { userId: seller.id, role: seller.role };
    const stage = { service: catalog.service, database, clock, actor };
    await addArtists(stage);
    await addVenues(stage);
    for (const show of demoShows) await putOn(stage, show, hasSales);
  });
}

interface Stage {
  readonly service: CatalogService;
  readonly database: Database;
  readonly clock: Clock;
  readonly actor: Actor;
}

const nothingSold = async (_eventId: string) => false;
const lockNumber = 7_277_003;

/** Two processes that start together must not both add the same thing. */
function oneAtATime(database: Database, work: () => Promise<void>): Promise<void> {
  return database.transaction(
    async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock($1)', [lockNumber]);
      await work();
    },
    { retry: false },
  );
}

async function addArtists({ service, database, actor }: Stage): Promise<void> {
  for (const artist of Object.values(demoArtists)) {
    if ((await service.artists.find(artist.id)) !== null) continue;
    await database.transaction((tx) => service.artists.create(tx, actor, { ...artist, ownerId: actor.userId }));
  }
}

async function addVenues({ service, database, actor }: Stage): Promise<void> {
  for (const { layoutId, layoutName, draw, ...venue } of Object.values(demoVenues)) {
    if ((await service.venues.find(venue.id)) !== null) continue;
    await database.transaction(async (tx) => {
      await service.venues.create(tx, actor, { ...venue, ownerId: actor.userId });
      const layout = {
        id: layoutId,
        name: layoutName,
        document: layoutDocumentOf(draw()),
        venueId: venue.id,
        ownerId: actor.userId,
      };
      await service.layouts.create(tx, actor, layout);
    });
  }
}

async function putOn({ service, database, clock, actor }: Stage, show: DemoShow, hasSales: typeof nothingSold) {
  const { events } = service;
  const now = clock.now();
  const times = show.times(now);
  let event = await orNull(events.get(actor, show.id));
  if (event === null) {
    // A show that is over could not be published any more: it is announced for tomorrow first, and moved below.
    const draft = draftOf(show, show.status === 'ended' ? tomorrow(now) : times);
    await database.transaction((tx) => events.create(tx, actor, { id: show.id, ownerId: actor.userId, draft }));
    event = await events.publish(actor, show.id);
  }
  if (event.publishedAt === null || event.cancelledAt !== null) return;
  if (show.status === 'sold_out' && !event.soldOut) await events.setSoldOut(show.id, true);
  const status = eventStatus({ ...event, soldOut: show.status === 'sold_out' }, now);
  if (status === show.status || (await hasSales(show.id))) return;
  await events.restage(actor, show.id, times);
}

function draftOf(show: DemoShow, times: EventTimes): EventDraft {
  const venue = demoVenues[show.venue];
  return {
    imageUrl: null,
    prices: [],
    standingPrices: [],
    purchaseLimit: 4,
    hot: false,
    queueEnabled: true,
    queueThreshold: null,
    seatReturnDelayMaxSeconds: 0,
    ...show.facts,
    ...times,
    artistId: demoArtists[show.artist].id,
    venueId: venue.id,
    layoutId: venue.layoutId,
  };
}

function tomorrow(nowMs: number): EventTimes {
  const startsAt = nowMs + 86_400_000;
  return { startsAt, doorsAt: null, saleOpensAt: nowMs, saleClosesAt: startsAt, phases: [] };
}

async function orNull<Thing>(asked: Promise<Thing>): Promise<Thing | null> {
  try {
    return await asked;
  } catch (error) {
    if (isFault(error, 'NOT_FOUND')) return null;
    throw error;
  }
}
