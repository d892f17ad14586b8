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
/** So long that no answer is late on a slow machine: a shield that is bypassed cannot lie. */
const patient = { patienceMs: 60_000 };
/** For a server that is gone. What it has noted stays until a slow machine has looked. */
const impatient = { patienceMs: 250, entryMs: 600_000 };
const database = await aTicketingDatabase();
const random = createSeededRandom(testSeed());
const bus = { publish: async () => undefined, wakeRelays: () => undefined };

type ShieldOptions = Pick<Parameters<typeof createRedisShield>[0], 'patienceMs' | 'entryMs'>;

/** A process of ticketing as a buyer meets it: holds, free confirmations, releases. */
function aProcess(redisUrl: string, options: ShieldOptions) {
  const redis = createRedis({ url: redisUrl, commandTimeoutMs: 120_000, logger: silentLogger });
  atEnd(() => redis.close());
  const deps = {
    ...{ database, bus, clock: systemClock, random: systemRandom, logger: silentLogger, metrics: createMetrics() },
    ids: createIds({ clock: systemClock, random: systemRandom }),
    catalog: { layoutById: async () => ({ layout: null }), markSoldOut: async () => ({ found: true }) },
    tiers: { tierOf: async () => 'general' as const },
  };
  const shield = watched(createRedisShield({ ...deps, redis, ...options }));
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

/** Does this again and again until the sale is over. Answers how often it had an effect. */
async function meanwhile(sale: Promise<unknown>, act: () => Promise<boolean>): Promise<number> {
  let times = 0;
  let isOver = false;
  const ended = sale.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    if (await act()) times++;
    await Promise.race([ended.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, 5))]);
  }
  await ended;
  return times;
}

async function aFreeSale(options: ShieldOptions) {
  const { eventId } = await aSale(database, { seats: seatCount, priceKrw: 0, purchaseLimit: 20 });
  const redis = await startRedis({ dir: await aFolder('lying-redis'), args: ['--appendonly', 'no'] });
  atEnd(() => redis.stop());
  const processes = [aProcess(redis.url, options), aProcess(redis.url, options)];
  const refused = () => processes.reduce((sum, { shield }) => sum + shield.refused, 0);
  /** Two ask for a seat that is sold, together: one alone would not ask the shield. */
  async function expectTaken(): Promise<void> {
    const { holds } = random.pick(processes);
    const asking = [randomUUID(), randomUUID()].map((userId) => {
      const idempotency = { key: randomUUID(), method: 'POST', route: '/api/seats/reserve', fingerprint: 'f' };
      const call = { eventId, offer: saleOffer, slotId: 's', seatNos: [1], items: [], replaces: null, idempotency };
      return holds.hold({ ...call, userId });
    });
    expect((await Promise.all(asking)).map(({ status }) => status)).toEqual(['taken', 'taken']);
  }
  const refusesAgain = () => {
    const before = refused();
    return eventually(
      async () => {
        await expectTaken();
        return refused() > before;
      },
      { withinMs: 120_000, what: 'the shield to refuse again' },
    );
  };
  return { eventId, redis, processes, refused, refusesAgain };
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
  test.each<[string, (call: { redis: RedisEngine; eventId: string }) => Promise<boolean>]>([
    [
      'with locks of nobody planted, some for ever',
      async ({ redis, eventId }) => {
        const [seatNo, lock] = [aSeat(), `${random.between(1, 99)} ${randomUUID()}`];
        const ends = random.pick([[], ['PX', 1_000], ['PX', 3_000], ['PX', 600_000]] as (string | number)[][]);
        return (await ask(redis.port, 'SET', keyOf(eventId, seatNo), lock, ...ends)) === 'OK';
      },
    ],
    [
      'with live locks removed',
      async ({ redis }) => {
        const keys = (await ask(redis.port, 'KEYS', '*')) as string[];
        return keys.length > 0 && (await ask(redis.port, 'DEL', random.pick(keys))) === 1;
      },
    ],
    [
      'emptied again and again',
      async ({ redis }) => {
        const keys = Number(await ask(redis.port, 'DBSIZE'));
        await ask(redis.port, 'FLUSHALL');
        return keys > 0;
      },
    ],
  ])('%s: every seat is sold once, and nobody sees a fault', async (_, lie) => {
    const { eventId, redis, processes, refused, refusesAgain } = await aFreeSale(patient);
    const sale = sellAll(eventId, processes);
    const lies = await meanwhile(sale, () => lie({ redis, eventId }));
    expect(lies).toBeGreaterThan(0);
    for (const outcome of await sale) expect(['granted', 'taken', 'busy']).toContain(outcome);
    // The lies were heard: nobody went past the shield.
    expect(refused()).toBeGreaterThan(0);
    expect(await soldOnce(eventId)).toEqual({ live: seatCount, seats: seatCount });
    await refusesAgain();
    await checkLedger(database);
  });

  test('killed in the middle: the sale goes on without it, and with it when it is back', async () => {
    const { eventId, redis, processes, refusesAgain } = await aFreeSale(impatient);
    const sale = sellAll(eventId, processes);
    const soldSome = async () => ((await soldOnce(eventId))?.live ?? 0) >= 5;
    await eventually(soldSome, { withinMs: 60_000, what: 'the first seats to be sold' });
    await redis.kill();
    for (const outcome of await sale) expect(['granted', 'taken', 'busy']).toContain(outcome);
    expect(await soldOnce(eventId)).toEqual({ live: seatCount, seats: seatCount });
    await redis.restart();
    await refusesAgain();
    await checkLedger(database);
  });
});
