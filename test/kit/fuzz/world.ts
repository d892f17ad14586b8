import { createHash } from 'node:crypto';
import { type Role, roles } from '#platform/http/identity.ts';
import type { TestApp } from '#test/kit/app.ts';
import { aLayout, anArtist, anEvent, aVenue } from '#test/kit/builders/catalog.ts';
import { createSendRaw } from '#test/kit/raw-http.ts';
import type { FuzzCaller, FuzzContext } from './calls.ts';
import { entryCookie } from './entries.ts';
import { paidOrders } from './paid-orders.ts';
import { aSoldShow } from './sold-show.ts';

const password = 'fuzz-password';
/** An event that does not exist. */
const nowhere = '00000000-0000-7000-8000-000000000000';

export interface FuzzWorldSize {
  /** Of artists, venues, layouts, drafts and published events, each. */
  readonly copies: number;
  /** Each has a refresh token that can be spent once; signing out spends them too. */
  readonly sessions: number;
}

/**
 * Things for the fuzzer to find: a user of every role with a token, and artists, venues, layouts and events in every
 * state, enough of each that some are left when others were changed, cancelled or thrown away.
 */
export async function aFuzzWorld(
  app: TestApp,
  { copies, sessions: sessionCount }: FuzzWorldSize,
): Promise<FuzzContext> {
  const auth = app.urr.modules.auth;
  if (auth === null) throw new Error('the fuzzer makes its users in this process');
  const send = createSendRaw(app.url);
  const people = roles.map((role) => ({ email: `${role}@fuzz.test`, password, name: `A ${role}`, role }));
  const crowd = Array.from({ length: copies }, (_, n) => ({
    ...{ email: `crowd${n}@fuzz.test`, password, name: `One of the crowd ${n}`, role: 'buyer' as const },
  }));
  // Nobody names the guest, so that no administrator of the fuzzer ends their sessions.
  const guest = { email: 'guest@fuzz.test', password, name: 'A guest', role: 'buyer' as const };
  const leaving = Array.from({ length: copies }, (_, n) => ({
    ...{ email: `leaver${n}@fuzz.test`, password, name: `A leaver ${n}`, role: 'buyer' as const },
  }));
  const [signedIn, ...users] = await auth.service.ensureUsers([guest, ...people, ...crowd]);
  const open = (user: typeof signedIn) => {
    if (user === undefined) throw new Error('a user was not made');
    return auth.service.sessions.open(database(app), user);
  };
  const leavers: FuzzCaller[] = [];
  for (const user of await auth.service.ensureUsers(leaving))
    leavers.push({ accessToken: (await open(user)).accessToken });
  const sessions = await oneByOne(sessionCount, () => open(signedIn));
  const tokens: Record<string, string> = {};
  for (const [n, { role }] of people.entries()) tokens[role] = (await open(users[n])).accessToken;

  async function make(path: string, body: unknown): Promise<string> {
    const answer = await send({
      method: 'POST',
      path: `/api/seller/${path}`,
      headers: {
        authorization: `Bearer ${tokens.seller}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    return (JSON.parse(answer.text) as { id: string }).id;
  }
  const many = (work: (n: number) => Promise<string>) => oneByOne(copies, work);

  const artistId = await many((n) => make('artists', anArtist({ name: `Artist ${n}` })));
  const venueId = await many((n) => make('venues', aVenue({ name: `Venue ${n}` })));
  const [artist = '', venue = ''] = [artistId[0], venueId[0]];
  const layoutId = await many((n) => make('layouts', aLayout(venue, { standing: n % 2 === 0 ? [] : [100] })));
  const body = anEvent({ artistId: artist, venueId: venue, layoutId: layoutId[0] ?? '' }, Date.now());
  const drafts = await many(() => make('events', body));
  const published = await many(() => make('events', body));
  for (const id of published) await make(`events/${id}/publish`, undefined);

  const userIds = users.map(({ id }) => id);
  const idOf = (role: Role) => userIds[roles.indexOf(role)] ?? '';
  const sold = await aSoldShow(database(app), { buyerId: idOf('buyer'), sellerId: idOf('seller'), copies });
  const orders = await paidOrders(database(app), send, {
    ...{ buyerId: idOf('buyer'), accessToken: tokens.buyer ?? '', copies },
  });
  const [withRoom = '', withProof = ''] = published;
  const requestIds = await numbersOf(withRoom);
  await operate('POST', `activate/${withProof}`);
  await operate('PUT', `schedule/${withProof}`, { proofDigits: 1 });
  const behindTheGate = [sold.eventId, sold.unopenedEventId, nowhere];
  const callers = people.map(
    ({ role }, n): FuzzCaller => ({
      accessToken: tokens[role] ?? '',
      cookie: entryCookie(userIds[n] ?? '', behindTheGate),
    }),
  );
  return {
    callers,
    leavers,
    known: {
      artistId,
      venueId,
      layoutId,
      eventId: [
        ...[...drafts, ...published, ...Array<string>(2 * copies).fill(sold.eventId)],
        ...Array.from({ length: copies }, (_, n) => (n % 2 === 0 ? withRoom : withProof)),
        ...[sold.unopenedEventId, nowhere],
      ],
      userId: userIds,
      sellerId: userIds.slice(0, roles.length),
      // Addresses of users, and some that are still free to register.
      email: [
        ...people.map(({ email }) => email),
        ...Array.from({ length: copies }, (_, n) => `stranger${n}@fuzz.test`),
      ],
      password: [password],
      refreshToken: sessions.map(({ refreshToken }) => refreshToken),
      token: Object.values(tokens),
      provider: ['fake'],
      reservationId: sold.reservationIds,
      replaces: sold.reservationIds,
      ticketId: sold.ticketIds,
      ticketTypeId: sold.ticketTypeIds,
      code: sold.codes,
      seatIds: sold.seatIds,
      grade: ['VIP', 'R'],
      section: ['A'],
      cursor: await cursors(),
      // What was just made is at version 1; a random one would only ever be told that somebody was faster.
      version: ['1'],
      referenceId: orders.reservationIds,
      orderId: orders.orderIds,
      paymentKey: orders.paymentKeys,
      manualId: orders.manualIds,
      amount: [`${orders.amountKrw}`],
      number: ['4242424242424242', '4000000000000002'],
      requestId: requestIds,
    },
  };

  async function operate(method: string, path: string, body?: unknown): Promise<void> {
    const headers = { authorization: `Bearer ${tokens.operator}`, 'content-type': 'application/json' };
    const call = { method, path: `/api/admin/vwr/${path}`, headers, body: JSON.stringify(body ?? {}) };
    const { status, text } = await send(call);
    if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
  }

  /** What visitors of this event's waiting room were given. */
  async function numbersOf(eventId: string): Promise<string[]> {
    await operate('POST', `activate/${eventId}`);
    return many(async () => {
      const { text } = await send({ method: 'POST', path: `/vwr/assign/${eventId}` });
      return (JSON.parse(text) as { requestId: string }).requestId;
    });
  }

  async function cursors(): Promise<string[]> {
    const lists = await Promise.all(
      ['events', 'artists', 'venues'].map((list) => send({ path: `/api/${list}?limit=2` })),
    );
    return lists.flatMap(({ text }) => (JSON.parse(text) as { nextCursor: string | null }).nextCursor ?? []);
  }
}

/** All at once would wait for a few connections, which a busy machine does not hand to everybody within the limit. */
async function oneByOne<Thing>(count: number, make: (n: number) => Promise<Thing>): Promise<Thing[]> {
  const things: Thing[] = [];
  for (let n = 0; n < count; n++) things.push(await make(n));
  return things;
}

function database(app: TestApp) {
  const { database } = app.urr.engines;
  if (database === null) throw new Error('the fuzzer needs the database of this process');
  return database;
}

/** Every operation draws numbers of its own from the one seed, so that adding one does not change the others. */
export function seedFor(operation: string, seed: number): number {
  return createHash('sha256').update(`${seed} ${operation}`).digest().readInt32BE();
}
