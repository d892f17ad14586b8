import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { testSeed } from '#test/kit/seed.ts';
import { createSeededRandom, type SeededRandom } from '#test/kit/seeded-random.ts';
import { seatState } from '../domain/seat.ts';
import { checkLedger } from '../service/check-ledger.ts';
import { aSale, type Sale } from '../testing/a-sale.ts';
import { aTicketingDatabase } from '../testing/a-ticketing-database.ts';
import { HoldModel, type ModelRequest, type ModelVerdict } from '../testing/hold-model.ts';
import { type HoldAnswer, holdBatch, type PreparedHold } from './holds.ts';
import { sweepLapsed } from './transitions.ts';

/**
 * Random batches against the model, which decides one by one: every verdict and every row is compared. `URR_TEST_SEED` plays other
 * ones; a failure names the seed and the batch.
 */
const sales = 40;
const batchesPerSale = 50;
const seatCount = 10;
const purchaseLimit = 4;
const beginMs = Date.parse('2027-03-01T11:00:00.000Z');

const database = await aTicketingDatabase();
await database.query('CREATE TABLE public.test_clock (at timestamptz)');
await database.query('INSERT INTO public.test_clock VALUES ($1)', [new Date(beginMs)]);
await database.query(
  `CREATE OR REPLACE FUNCTION urr.now() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE AS 'SELECT at FROM public.test_clock'`,
);

test(`${sales * batchesPerSale} random batches are decided as one by one`, async () => {
  const seed = testSeed();
  const seen = new Map<string, number>();
  for (let n = 0; n < sales; n++) {
    const random = createSeededRandom(seed + n);
    const sale = await aSale(database, {
      ...{ seats: seatCount, priceKrw: 0, purchaseLimit, nowMs: beginMs },
      ticketTypes: [
        { capacity: 6, priceKrw: 0 },
        { capacity: 130, priceKrw: 0 },
      ],
    });
    await play({ sale, random, seen, what: `seed ${seed}, sale ${n}` });
  }
  // Each of these happened: else the generator has gone blind.
  for (const verdict of [
    'granted',
    'same',
    'replayed',
    'mismatch',
    'taken',
    'short',
    'limit',
    'unknown-replaced',
    'tier-not-open',
  ]) {
    expect(seen.get(verdict) ?? 0, verdict).toBeGreaterThan(10);
  }
});

async function play({
  sale,
  random,
  seen,
  what,
}: {
  sale: Sale;
  random: SeededRandom;
  seen: Map<string, number>;
  what: string;
}) {
  const users = Array.from({ length: 6 }, () => randomUUID());
  const model = new HoldModel({
    seats: seatCount,
    ticketTypes: new Map(sale.ticketTypes.map(({ ticketTypeId, capacity }) => [ticketTypeId, capacity])),
    limit: purchaseLimit,
  });
  const sent: ModelRequest[] = [];
  let nowMs = beginMs;
  for (let n = 0; n < batchesPerSale; n++) {
    nowMs += random.pick([0, 1_000, 60_000, 150_000, 299_999, 1]);
    await database.query('UPDATE public.test_clock SET at = $1', [new Date(nowMs)]);
    const requests = aBatch({ sale, random, users, model, sent, nowMs });
    const holds = requests.map((request) => prepared(sale, request));
    const { answers } = await holdBatch(database, {
      eventId: sale.eventId,
      version: 1,
      holds,
      skipLocked: random.fraction() < 0.1,
      isAgain: random.fraction() < 0.2,
    });
    const expected = model.decide(requests, nowMs);
    expect(answers.map(comparable), `${what}, batch ${n}`).toEqual(expected);
    for (const { verdict } of expected) seen.set(verdict, (seen.get(verdict) ?? 0) + 1);
    sent.push(...requests);
    await betweenBatches({ random, model, nowMs });
    expect(await rowsOf(sale), `${what}, after batch ${n}`).toEqual(rowsOfModel(model));
  }
  const checked = await checkLedger(database, { eventId: sale.eventId });
  expect(checked, what).toMatchObject({ status: 'checked', report: { contradiction: null } });
}

/** Some are alone. Users come twice, seats overlap, keys repeat, and what is replaced may be anybody's. */
function aBatch(options: {
  sale: Sale;
  random: SeededRandom;
  users: string[];
  model: HoldModel;
  sent: ModelRequest[];
  nowMs: number;
}): ModelRequest[] {
  const { sale, random, users, model, sent, nowMs } = options;
  const keys = new Set<string>();
  const requests: ModelRequest[] = [];
  for (let count = random.fraction() < 0.3 ? 1 : random.between(2, 8); count > 0; count--) {
    const again = random.fraction() < 0.1 && sent.length > 0 ? random.pick(sent) : null;
    const userId = random.pick(users);
    const isSeats = random.fraction() < 0.65;
    const own = [...model.reservations].filter(([, { userId: owner }]) => owner === userId);
    const all = [...model.reservations.keys()];
    const ofOwn =
      own.length > 0 && random.fraction() < 0.3 ? own[random.between(0, own.length - 1)]?.[1].seatNos : undefined;
    const request: ModelRequest = {
      ...{ userId, reservationId: randomUUID(), key: randomUUID(), fingerprint: 'a' },
      seatNos: !isSeats ? [] : ofOwn?.length ? random.shuffle(ofOwn) : someSeats(random),
      items: isSeats ? [] : someItems(sale, random),
      replaces: replacedOf({ random, own: own.map(([id]) => id), all }),
      opensAtMs: random.fraction() < 0.05 ? random.pick([null, nowMs + 1, nowMs]) : 0,
      ...(again && { userId: again.userId, key: again.key, fingerprint: random.fraction() < 0.7 ? 'a' : 'b' }),
    };
    const name = `${request.userId} ${request.key}`;
    if (!keys.has(name)) requests.push(request);
    keys.add(name);
  }
  return requests;
}

function someSeats(random: SeededRandom): number[] {
  const first = random.between(0, seatCount - 1);
  return random.shuffle(Array.from({ length: random.between(1, 4) }, (_, n) => (first + n) % seatCount));
}

function someItems(sale: Sale, random: SeededRandom): ModelRequest['items'] {
  const types = random.shuffle(sale.ticketTypes).slice(0, random.between(1, 2));
  return types.map(({ ticketTypeId }) => ({
    ticketTypeId,
    quantity: random.between(1, random.fraction() < 0.1 ? 9 : 3),
  }));
}

function replacedOf({ random, own, all }: { random: SeededRandom; own: string[]; all: string[] }): string | null {
  const draw = random.fraction();
  if (draw < 0.35 && own.length > 0) return random.pick(own.slice(-3));
  if (draw < 0.4 && all.length > 0) return random.pick(all);
  return draw < 0.42 ? randomUUID() : null;
}

/** Payments begin, tickets are issued, and sometimes the sweeper comes. */
async function betweenBatches({ random, model, nowMs }: { random: SeededRandom; model: HoldModel; nowMs: number }) {
  for (const [id, reservation] of model.reservations) {
    if (reservation.status !== 'pending' || reservation.expiresAtMs <= nowMs || random.fraction() > 0.04) continue;
    if (random.fraction() < 0.5) {
      await database.query('SELECT ticketing.pin($1, $2, $3, 0)', [id, randomUUID(), reservation.userId]);
      model.move(id, { status: 'paying', seatState: seatState.paying });
    } else {
      await database.query('SELECT ticketing.confirm_free($1, $2)', [id, reservation.userId]);
      model.move(id, { status: 'confirmed', seatState: seatState.sold });
    }
  }
  if (random.fraction() > 0.15) return;
  while ((await sweepLapsed(database, 1_000)).ended > 0);
  for (const [id, { status, expiresAtMs }] of model.reservations) {
    if (status === 'pending' && expiresAtMs <= nowMs) model.end(id, 'expired');
  }
}

function prepared(sale: Sale, request: ModelRequest): PreparedHold {
  const seats = request.seatNos.map((seatNo) => ({
    seatNo,
    seatId: sale.seatId(seatNo),
    grade: 'R',
    priceKrw: 0,
    feeKrw: 0,
  }));
  const items = request.items.map((item) => ({ ...item, areaId: 'Z', priceKrw: 0, feeKrw: 0 }));
  const ticketCount = seats.length + items.reduce((sum, { quantity }) => sum + quantity, 0);
  return {
    request: {
      ...{
        eventId: sale.eventId,
        userId: request.userId,
        slotId: 'slot',
        seatNos: request.seatNos,
        items: request.items,
      },
      replaces: request.replaces,
      idempotency: { key: request.key, method: 'POST', route: '/r', fingerprint: request.fingerprint },
    },
    ...{ reservationId: request.reservationId, number: request.reservationId, opensAtMs: request.opensAtMs },
    lines: { seats, items, ticketCount, feeKrw: 0, totalKrw: 0 },
  };
}

function comparable(answer: HoldAnswer): ModelVerdict {
  switch (answer.verdict) {
    case 'granted':
      return { verdict: 'granted', fence: answer.fence, expiresAtMs: answer.expiresAtMs };
    case 'taken':
      return { verdict: 'taken', seatNos: answer.seats.map(({ seatNo }) => seatNo) };
    case 'short':
      return { verdict: 'short', left: answer.left.map(({ left }) => left) };
    case 'limit':
      return { verdict: 'limit', have: answer.have };
    default:
      return answer as ModelVerdict; // Any other that comes is one that the model does not have, and fails.
  }
}

async function rowsOf({ eventId }: Sale) {
  const { rows: seats } = await database.query(
    `SELECT state, reservation_id AS "reservationId", user_id AS "userId", (extract(epoch FROM held_until) * 1000)::float8 AS "heldUntilMs", fence, step
     FROM ticketing.seats WHERE event_id = $1 ORDER BY seat_no`,
    [eventId],
  );
  const { rows: reservations } = await database.query<Record<string, unknown>>(
    `SELECT id, user_id AS "userId", status, seat_nos AS "seatNos", ticket_count AS count,
       (extract(epoch FROM expires_at) * 1000)::float8 AS "expiresAtMs", fence, version
     FROM ticketing.reservations WHERE event_id = $1 ORDER BY id`,
    [eventId],
  );
  const { rows: buyers } = await database.query(
    'SELECT user_id AS id, live FROM ticketing.buyers WHERE event_id = $1 AND live <> 0 ORDER BY 1',
    [eventId],
  );
  const { rows: left } = await database.query(
    `SELECT ticket_type_id AS id, sum(places_left)::integer AS left FROM ticketing.shards JOIN ticketing.ticket_types USING (ticket_type_id)
     WHERE event_id = $1 GROUP BY 1 ORDER BY 1`,
    [eventId],
  );
  return { seats, reservations, buyers, left };
}

function rowsOfModel(model: HoldModel) {
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  return {
    seats: model.seats.map((seat) => ({ ...seat })),
    reservations: [...model.reservations].map(([id, { items: _, ...rest }]) => ({ id, ...rest })).sort(byId),
    buyers: [...model.live]
      .filter(([, live]) => live !== 0)
      .map(([id, live]) => ({ id, live }))
      .sort(byId),
    left: [...model.left].map(([id, left]) => ({ id, left })).sort(byId),
  };
}
