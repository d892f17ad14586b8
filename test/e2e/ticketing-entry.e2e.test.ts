import { beforeAll, expect, test } from 'vitest';
import type { Reservation, Ticket } from '#modules/ticketing/schemas.ts';
import type { Database } from '#platform/postgres/database.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import type { EngineName } from '#test/kit/engines/engine.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { startRedis } from '#test/kit/engines/redis.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually } from '#test/kit/faults.ts';
import { startUrrProcess } from '#test/kit/processes.ts';
import { createQueueCaller, slotIn } from '#test/kit/queue/caller.ts';
import { aShowOnSale, aSignedIn, type SomebodySignedIn } from '#test/kit/queue/show.ts';
import { createSendRaw, type RawAnswer, type SendRaw } from '#test/kit/raw-http.ts';
import { jsonCall } from '#test/kit/stage.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import { expectCountersToMatch, hasSeats } from '#test/kit/ticketing/counts.ts';
import { anEntryToken, aShopper } from '#test/kit/ticketing/entry.ts';

interface House {
  /** Of the gateway. */
  readonly url: string;
  readonly databaseUrl: string;
}

const unknownType = '01900000-0000-7000-8000-000000000000';

/** Everything behind the gate, as anybody could call it for an event. */
const gatedCalls = (eventId: string) => [
  { path: `/api/seats/events/${eventId}` },
  { path: `/api/seats/events/${eventId}/sections/S1` },
  { path: `/api/seats/events/${eventId}/stream?since=0` },
  { path: '/api/seats/reserve', body: { eventId, seatIds: ['S1-1-1'] } },
  { path: '/api/seats/best-available', body: { eventId, count: 1, together: false } },
  { path: '/api/reservations', body: { eventId, items: [{ ticketTypeId: unknownType, quantity: 1 }] } },
];

function describeEntry(name: string, needed: readonly EngineName[], start: () => Promise<House>): void {
  describeWith(needed, name, () => {
    let send: SendRaw;
    let url: string;
    let database: Database;
    beforeAll(async () => {
      const house = await start();
      url = house.url;
      send = createSendRaw(url);
      database = createDatabase({ url: house.databaseUrl, poolMax: 2 });
      atEnd(() => database.close());
    });

    async function aShow(): Promise<string> {
      const prices = ['VIP', 'R'].map((grade) => ({ grade, priceKrw: 0 }));
      const eventId = await aShowOnSale(url, { prices });
      await eventually(() => hasSeats(database, eventId), { withinMs: 60_000, what: 'the seats to be built' });
      return eventId;
    }

    const call = (
      who: SomebodySignedIn,
      { path, body, entry, method }: { path: string; body?: unknown; entry?: string; method?: string },
    ) =>
      send(
        jsonCall({
          ...{ path, token: who.accessToken, headers: entry === undefined ? {} : { 'x-queue-entry-token': entry } },
          ...(body !== undefined && { body }),
          ...(method !== undefined && { method }),
        }),
      );

    async function expectClosed(eventId: string, who: SomebodySignedIn, entry?: string): Promise<void> {
      for (const each of gatedCalls(eventId)) {
        const answer = await call(who, { ...each, ...(entry !== undefined && { entry }) });
        expect([each.path, answer.status, problemOf(answer)]).toEqual([
          each.path,
          403,
          { code: 'ENTRY_TOKEN_REQUIRED', redirectTo: `/queue/${eventId}` },
        ]);
      }
    }

    /** In a slot that the queue gave, in line for nothing. */
    async function enter(eventId: string, who: SomebodySignedIn): Promise<string> {
      const { answer, text } = await createQueueCaller(eventId, () => url).check(who);
      if (answer?.status !== 'active' || answer.entryToken === undefined) throw new Error(text);
      return answer.entryToken;
    }

    async function reserve(who: SomebodySignedIn, eventId: string, seatId: string, entry: string) {
      const answer = await call(who, { path: '/api/seats/reserve', body: { eventId, seatIds: [seatId] }, entry });
      expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
      return JSON.parse(answer.text) as Reservation;
    }

    test('a token that is forged, expired, of another event or somebody else’s, or none, is sent to the queue', async () => {
      const [eventId, other] = [await aShow(), await aShow()];
      const ann = aShopper(eventId);
      const claims = { sub: eventId, uid: ann.userId, jti: ann.slotId };
      const [header, payload = '', mac = ''] = ann.entryToken.split('.');
      const forgedPayload = Buffer.from(payload, 'base64url').toString().replace(ann.slotId, `${eventId}.9.9`);
      const unsigned = Buffer.from('{"alg":"none","typ":"entry+jwt"}').toString('base64url');
      for (const token of [
        undefined,
        '',
        'nonsense',
        [header, Buffer.from(forgedPayload).toString('base64url'), mac].join('.'),
        [header, payload, mac.split('').reverse().join('')].join('.'),
        [unsigned, payload, ''].join('.'),
        // Signed by us, for another purpose.
        ann.accessToken,
        anEntryToken(claims, { expiresAtMs: Date.now() - 1_000 }),
        anEntryToken({ ...claims, sub: other }),
        aShopper(eventId).entryToken,
      ])
        await expectClosed(eventId, ann, token);
      // The very same calls, with what was given out.
      const answers = await Promise.all(
        gatedCalls(eventId).map((each) => call(ann, { ...each, entry: ann.entryToken })),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 201, 201, 400]);
    });

    test('a body that names another event than the token is for another event', async () => {
      const [eventId, other] = [await aShow(), await aShow()];
      const ann = aShopper(eventId);
      await expectClosed(other, ann, ann.entryToken);
      const { rowCount } = await database.query('SELECT FROM ticketing.reservations WHERE event_id = $1', [other]);
      expect(rowCount).toBe(0);
    });

    test('the token of a slot that was given up opens nothing any more', async () => {
      const eventId = await aShow();
      const ann = aSignedIn();
      const entry = await enter(eventId, ann);
      const map = { path: `/api/seats/events/${eventId}`, entry };
      expect((await call(ann, map)).status).toBe(200);
      await createQueueCaller(eventId, () => url).leave(ann);
      await eventually(async () => (await call(ann, map)).status === 403, {
        withinMs: 60_000,
        what: 'the gateway to hear of it',
      });
      await expectClosed(eventId, ann, entry);
    });

    test('what was bought is reached without a slot: reservations, tickets, QR, the door, cancelling', async () => {
      const eventId = await aShow();
      const ann = aShopper(eventId);
      const held = await reserve(ann, eventId, 'S1-1-1', ann.entryToken);
      const get = async <T>(path: string): Promise<T> => {
        const { status, text } = await call(ann, { path });
        expect([path, status]).toEqual([path, 200]);
        return JSON.parse(text) as T;
      };
      const post = (who: SomebodySignedIn, path: string, body: unknown = {}) => call(who, { path, body });
      expect((await call(ann, { path: `/api/reservations/${held.id}/confirm`, method: 'POST' })).status).toBe(200);
      const { items: reservations } = await get<{ items: Reservation[] }>('/api/reservations/my');
      expect(reservations.map(({ id, status }) => [id, status])).toEqual([[held.id, 'confirmed']]);
      expect(await get(`/api/reservations/${held.id}`)).toMatchObject({ id: held.id });
      const { items: tickets } = await get<{ items: Ticket[] }>('/api/tickets/my');
      const [ticket] = tickets;
      expect(ticket).toMatchObject({ reservationId: held.id, state: 'issued' });
      const { code } = await get<{ code: string }>(`/api/tickets/${ticket?.id}/qr`);
      const second = await reserve(ann, eventId, 'S1-1-2', ann.entryToken);
      expect((await post(ann, `/api/reservations/${second.id}/cancel`)).status).toBe(200);
      const door = await post(aSignedIn('operator'), '/api/check-in', { code });
      expect([door.status, door.text]).toEqual([200, expect.stringContaining(ticket?.id ?? '-')]);
      expect((await post(aSignedIn('operator'), '/api/check-in', { code })).status).toBe(409);
      await expectCountersToMatch(database, eventId);
    });

    test('a confirmation that is delivered again does not end the buyer’s next slot', async () => {
      const eventId = await aShow();
      const ann = aSignedIn();
      const caller = createQueueCaller(eventId, () => url);
      const first = await enter(eventId, ann);
      const held = await reserve(ann, eventId, 'S1-1-1', first);
      await call(ann, { path: `/api/reservations/${held.id}/confirm`, method: 'POST' });
      const ended = await eventually(
        async () => {
          const { answer } = await caller.status(ann, null);
          return answer?.status === 'none' && answer;
        },
        { withinMs: 60_000, what: 'the slot to end with the purchase' },
      );
      expect(ended.entryToken).toBeUndefined();
      const next = await enter(eventId, ann);
      expect(slotIn(next).slotId).not.toBe(slotIn(first).slotId);

      const again = await deliverAgain(database, held.id);
      await eventually(() => wasHandled(database, again), { withinMs: 60_000, what: 'it to be handled' });
      const { answer } = await caller.status(ann, null);
      expect(answer?.status).toBe('active');
      // A token of the same slot, made anew: it says when.
      expect(slotIn(answer?.entryToken ?? '').slotId).toBe(slotIn(next).slotId);
      expect((await call(ann, { path: `/api/seats/events/${eventId}`, entry: next })).status).toBe(200);
      await reserve(ann, eventId, 'S1-1-2', next);
    });

    test('the ledger agrees with all of it', async () => {
      await checkLedger(database);
    });
  });
}

function problemOf({ text }: RawAnswer): unknown {
  const { code, redirectTo } = JSON.parse(text) as Record<string, unknown>;
  return { code, redirectTo };
}

/** As long after the first time that nobody remembers its id: a new message with the same content. */
async function deliverAgain(database: Database, reservationId: string): Promise<string> {
  const { rows } = await database.query<{ id: string }>(
    `SELECT urr.append_event(topic, 3, key, type, 1, envelope -> 'data', urr.now()) AS id FROM urr.outbox
      WHERE topic = 'reservation-events' AND key = $1 AND type = 'RESERVATION_CONFIRMED'`,
    [reservationId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the outbox has no confirmation of this reservation');
  return row.id;
}

async function wasHandled(database: Database, eventId: string): Promise<boolean> {
  const handled = "SELECT FROM urr.inbox WHERE consumer_group = 'ticketing-end-slots' AND event_id = $1";
  return (await database.query(handled, [eventId])).rowCount === 1;
}

const limits = { URR_RATE_POLL_PER_MINUTE: '1000000', URR_RATE_RESERVE_PER_MINUTE: '1000000' };

describeEntry('the gate with all roles in one process', [], async () => {
  const { url: databaseUrl } = await aDatabase();
  const { url } = await startUrrProcess({ env: { ...limits, URR_DATABASE_URL: databaseUrl } });
  return { url, databaseUrl };
});

describeEntry('the gate with gateway and ticketing in processes of their own', ['redis'], async () => {
  const { url: databaseUrl } = await aDatabase();
  const redis = await startRedis({ dir: await aFolder('entry-redis'), args: ['--appendonly', 'no'] });
  atEnd(() => redis.stop());
  const env = { ...limits, URR_DATABASE_URL: databaseUrl, URR_REDIS_URL: redis.url };
  const rest = await startUrrProcess({ args: ['--roles', 'auth,catalog,queue,queue-hot'], env });
  const peers = { ...env, URR_AUTH_URL: rest.url, URR_CATALOG_URL: rest.url, URR_QUEUE_URL: rest.url };
  const ticketing = await startUrrProcess({ args: ['--roles', 'ticketing'], env: peers });
  const gateway = await startUrrProcess({
    args: ['--roles', 'gateway'],
    env: { ...peers, URR_TICKETING_URL: ticketing.url },
  });
  return { url: gateway.url, databaseUrl };
});
