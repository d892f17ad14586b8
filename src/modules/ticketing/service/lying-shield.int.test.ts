import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import { systemRandom } from '#platform/random.ts';
import { createRedis } from '#platform/redis/client.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { createMetrics } from '#platform/telemetry/metrics.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { ask, type RedisEngine, startRedis } from '#test/kit/engines/redis.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually } from '#test/kit/faults.ts';
import { testSeed } from '#test/kit/seed.ts';
import { createSeededRandom } from '#test/kit/seeded-random.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import type { SeatShield } from '../ports.ts';
import { createRedisShield } from '../storage/redis-shield.ts';
import { aSale, saleOffer } from '../testing/a-sale.ts';
import { aTicketingDatabase } from '../testing/a-ticketing-database.ts';
import { createAftermath } from './aftermath.ts';
import { createEventBooks } from './books.ts';
import { createHolds } from './holds.ts';
import { createReservations } from './reservations.ts';

const seatCount = 60;
const buyers = 24;
const database = await aTicketingDatabase();
const random = createSeededRandom(testSeed());
const bus = { publish: async () => undefined, wakeRelays: () => undefined };

/** A process of ticketing as a buyer meets it: holds, free confirmations, releases. */
function aProcess(redisUrl: string) {
  const redis = createRedis({ url: redisUrl, commandTimeoutMs: 2_000, logger: silentLogger });
  atEnd(() => redis.close());
  const deps = {
    ...{ database, bus, clock: systemClock, random: systemRandom, logger: silentLogger, metrics: createMetrics() },
    ids: createIds({ clock: systemClock, random: systemRandom }),
    catalog: { layoutById: async () => ({ layout: null }), markSoldOut: async () => ({ found: true }) },
    tiers: { tierOf: async () => 'general' as const },
  };
  const shield = watched(createRedisShield({ ...deps, redis }));
  const books = createEventBooks(deps);
  const holds = createHolds({ ...deps, shield, books });
  atEnd(() => holds.stop());
  return { holds, shield, reservations: createReservations({ ...deps, aftermath: createAftermath({ bus, shield }) }) };
}

/** Counts the seats that it refused. */
function watched(shield: SeatShield): SeatShield & { refused: number } {
  const counting = {
    ...shield,
    refused: 0,
    async taken(...call: Parameters<SeatShield['taken']>) {
      const answer = await shield.taken(...call);
      counting.refused += answer.flat().length;
      return answer;
    },
  };
  return counting;
}

/** Buyers try until every seat is sold, some giving up what they got. Answers what was refused, by its name. */
async function sellAll(eventId: string, processes: readonly ReturnType<typeof aProcess>[]): Promise<Set<string>> {
  const outcomes = new Set<string>();
  const sold = new Set<number>();
  const tryOnce = async () => {
    const free = Array.from({ length: seatCount }, (_, seatNo) => seatNo).filter((seatNo) => !sold.has(seatNo));
    const seatNos = random.shuffle(free).slice(0, random.between(1, 2));
    const userId = randomUUID();
    const { holds, reservations } = random.pick(processes);
    const idempotency = { key: randomUUID(), method: 'POST', route: '/api/seats/reserve', fingerprint: 'f' };
    const call = { eventId, offer: saleOffer, slotId: 's', seatNos, items: [], replaces: null, idempotency };
    const verdict = await holds.hold({ ...call, userId });
    outcomes.add(verdict.status);
    if (verdict.status !== 'granted') return;
    const { id: reservationId } = verdict.reservation;
    if (random.fraction() < 0.3) await reservations.cancel({ reservationId, userId, ticketIds: null });
    else {
      expect(await reservations.confirm({ reservationId, userId })).toMatchObject({ status: 'confirmed' });
      for (const seatNo of seatNos) sold.add(seatNo);
    }
  };
  const deadline = Date.now() + 120_000;
  await Promise.all(
    Array.from({ length: buyers }, async () => {
      while (sold.size < seatCount && Date.now() < deadline) await tryOnce();
    }),
  );
  expect(sold.size).toBe(seatCount);
  return outcomes;
}

/** Does this again and again until the sale is over. */
async function meanwhile(sale: Promise<unknown>, act: () => Promise<unknown>): Promise<number> {
  let times = 0;
  let isOver = false;
  const ended = sale.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await act();
    times++;
    await Promise.race([ended.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, 5))]);
  }
  await ended;
  return times;
}

async function aFreeSale() {
  const { eventId } = await aSale(database, { seats: seatCount, priceKrw: 0, purchaseLimit: 20 });
  const redis = await startRedis({ dir: await aFolder('lying-redis'), args: ['--appendonly', 'no'] });
  atEnd(() => redis.stop());
  return { eventId, redis, processes: [aProcess(redis.url), aProcess(redis.url)] };
}

const aSeat = () => random.between(0, seatCount - 1);
const keyOf = (eventId: string, seatNo: number) => `{${eventId}}:seat-shield:${seatNo}`;
/** Held and sold: what a seat is for the buyer who was told so, and for nobody else. */
const soldOnce = async (eventId: string) => {
  const { rows } = await database.query<{ live: number; seats: number }>(
    `SELECT count(*)::integer AS live, count(DISTINCT seat_no)::integer AS seats FROM ticketing.tickets
     WHERE event_id = $1 AND state <> 'void'`,
    [eventId],
  );
  return rows[0];
};

describeWith('redis', 'a shield that lies', () => {
  test.each<[string, (call: { redis: RedisEngine; eventId: string }) => Promise<unknown>]>([
    [
      'with locks of nobody planted, some for ever',
      async ({ redis, eventId }) => {
        const [seatNo, lock] = [aSeat(), `${random.between(1, 99)} ${randomUUID()}`];
        const ends = random.pick([[], ['PX', 1_000], ['PX', 3_000], ['PX', 600_000]] as (string | number)[][]);
        await ask(redis.port, 'SET', keyOf(eventId, seatNo), lock, ...ends);
      },
    ],
    ['with live locks removed', ({ redis, eventId }) => ask(redis.port, 'DEL', keyOf(eventId, aSeat()))],
    ['emptied again and again', ({ redis }) => ask(redis.port, 'FLUSHALL')],
  ])('%s: every seat is sold once, and nobody sees a fault', async (_, lie) => {
    const { eventId, redis, processes } = await aFreeSale();
    const sale = sellAll(eventId, processes);
    expect(await meanwhile(sale, () => lie({ redis, eventId }))).toBeGreaterThan(3);
    for (const outcome of await sale) expect(['granted', 'taken', 'busy']).toContain(outcome);
    expect(await soldOnce(eventId)).toEqual({ live: seatCount, seats: seatCount });
    await checkLedger(database);
  });

  test('killed in the middle: the sale goes on without it, and with it when it is back', async () => {
    const { eventId, redis, processes } = await aFreeSale();
    const sale = sellAll(eventId, processes);
    const soldSome = async () => ((await soldOnce(eventId))?.live ?? 0) >= 5;
    await eventually(soldSome, { withinMs: 60_000, what: 'the first seats to be sold' });
    await redis.kill();
    for (const outcome of await sale) expect(['granted', 'taken', 'busy']).toContain(outcome);
    expect(await soldOnce(eventId)).toEqual({ live: seatCount, seats: seatCount });
    await redis.restart();
    const { holds, shield } = processes[0] as ReturnType<typeof aProcess>;
    await eventually(
      async () => {
        const idempotency = { key: randomUUID(), method: 'POST', route: '/api/seats/reserve', fingerprint: 'f' };
        const call = { eventId, offer: saleOffer, slotId: 's', seatNos: [1], items: [], replaces: null, idempotency };
        expect((await holds.hold({ ...call, userId: randomUUID() })).status).toBe('taken');
        return shield.refused > 0;
      },
      { withinMs: 30_000, what: 'the shield to refuse again' },
    );
    await checkLedger(database);
  });
});
