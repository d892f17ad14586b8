import { expect } from 'vitest';
import { eventKeys } from '#modules/queue/storage/redis-keys.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { ask, startRedis } from '#test/kit/engines/redis.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually } from '#test/kit/faults.ts';
import { startUrrProcess, type UrrProcess } from '#test/kit/processes.ts';
import { createQueueCaller, parseSlotId } from '#test/kit/queue/caller.ts';
import { type Admission, mostShoppers, notFirstComeFirst, passedOver } from '#test/kit/queue/laws.ts';
import { aShowOnSale } from '#test/kit/queue/show.ts';
import { aVisit, type Behaviour, type Visit, walk } from '#test/kit/queue/visitor.ts';
import { watchSlots } from '#test/kit/queue/watch.ts';

const threshold = 100;
const absentMs = 5_000;
const env = {
  URR_QUEUE_THRESHOLD: String(threshold),
  // Longer than anybody sleeps, and than a slot that comes back after a loss may stay unclaimed.
  URR_QUEUE_ACTIVE_TTL_SECONDS: '20',
  URR_QUEUE_ABSENT_SECONDS: String(absentMs / 1_000),
  // Longer than the longest poll of anybody here, and what a busy machine may add.
  URR_QUEUE_CLAIM_SECONDS: '10',
  URR_QUEUE_ADMISSION_INTERVAL_MS: '250',
  // Longer than the longest poll of anybody here, as the default is longer than the longest of all.
  URR_QUEUE_RECOVERING_SECONDS: '7',
  // So few that most polls of a thousand are answered from memory, as on a busy night.
  URR_QUEUE_EXACT_POSITIONS: '200',
  URR_RATE_POLL_PER_MINUTE: '1000000',
  URR_RATE_CHECK_PER_MINUTE: '1000000',
};
const times = { shopMs: 400, sleepMs: 12_000, leaveWithinMs: 10_000, heartbeatMs: 1_500 };

function behaviourOf(n: number): Behaviour {
  if (n % 100 === 7) return 'keeper';
  if (n % 10 === 3) return 'sleeper';
  if (n % 20 === 5) return 'leaver';
  return n % 50 === 11 ? 'no-show' : 'steady';
}

/**
 * So many users enter at once; some sleep, some leave, some never claim, each in two tabs. In the middle the store loses
 * everything, and later a process is killed. Nobody loses a place, nobody is passed over, and all are through in the end.
 */
export async function walkACrowd(users: number): Promise<void> {
  const walkMaxMs = 120_000 + users * 60;
  const database = await aDatabase();
  const redis = await startRedis({ dir: await aFolder('walk-redis'), args: ['--appendonly', 'no'] });
  atEnd(() => redis.stop());
  const start = () => startUrrProcess({ env: { ...env, URR_DATABASE_URL: database.url, URR_REDIS_URL: redis.url } });
  const doomed = await start();
  const survivor = await start();
  const living: UrrProcess[] = [doomed, survivor];
  const eventId = await aShowOnSale(survivor.url);
  const watch = watchSlots({ url: redis.url, eventId, everyMs: 5 });
  let turn = 0;
  const caller = createQueueCaller(eventId, () => living[turn++ % living.length]?.url ?? '');
  const stop = new AbortController();
  const visits: Visit[] = Array.from({ length: users }, (_, n) => aVisit(behaviourOf(n)));
  const walks = visits.map((visit) =>
    walk(visit, caller, times, stop.signal).catch((error: unknown) => void visit.complaints.push(String(error))),
  );
  const done = () => visits.filter(({ outcome, complaints }) => outcome !== null || complaints.length > 0).length;
  const progress = (share: number, what: string) =>
    eventually(() => done() >= users * share, {
      withinMs: walkMaxMs,
      what: `${what}; ${done()} of ${users} are done`,
    });

  await progress(0.25, 'a quarter to be through');
  const fromMs = Date.now();
  await ask(redis.port, 'FLUSHALL');
  const loss = { fromMs, untilMs: Date.now() };
  await progress(0.5, 'half to be through');
  living.shift();
  await doomed.kill();
  await eventually(
    () =>
      visits.every(
        ({ outcome, behaviour, complaints }) => behaviour === 'no-show' || outcome !== null || complaints.length > 0,
      ),
    {
      withinMs: walkMaxMs,
      what: 'everybody to be through',
    },
  ).finally(() => console.log(tally(visits)));
  // Anyone who never comes is admitted, put back, admitted once more, and dropped.
  const keys = eventKeys(eventId);
  await eventually(
    async () => {
      const left = await Promise.all(
        [keys.queue, keys.parked, keys.active].map((key) => ask(redis.port, 'ZCARD', key)),
      );
      return left.every((count) => count === 0);
    },
    { withinMs: 60_000, what: 'nobody to be in line or in a slot any more' },
  );
  const operator = createDatabase({ url: database.url, poolMax: 1 });
  atEnd(() => operator.close());
  const admissions = await eventually(
    async () => {
      const all = await admissionsOf(eventId);
      const told = visits.flatMap(({ slots }) => slots);
      return told.every(({ slotId }) => all.some((each) => each.slotId === slotId)) && all;
    },
    { withinMs: 20_000, what: 'the journal to know every slot that anybody was told of' },
  );
  stop.abort();
  await Promise.all(walks);
  await watch.stop();

  expect(
    visits.flatMap(({ complaints, behaviour, order }) => complaints.map((text) => `${behaviour} ${order}: ${text}`)),
  ).toEqual([]);
  expect(notFirstComeFirst(visits)).toEqual([]);
  expect(passedOver(visits, admissions, { absentMs, loss })).toEqual([]);
  expect(watch.samples).toBeGreaterThan(0);
  expect(watch.most).toBeLessThanOrEqual(threshold);
  expect(watch.most).toBeGreaterThan(threshold / 2);
  expect(mostShoppers(visits)).toBeLessThanOrEqual(threshold);

  for (const { behaviour, outcome } of visits) {
    if (behaviour !== 'no-show') expect(outcome).toBe(behaviour === 'leaver' ? 'left' : 'shopped');
  }
  // Two chances, not three, also if the store was lost in between.
  const chances = (visit: Visit) => admissions.filter(({ userId }) => userId === visit.who.userId).length;
  const noShows = visits.filter(({ behaviour }) => behaviour === 'no-show');
  const wrongChances = noShows.filter((visit) => chances(visit) !== 2);
  expect(noShows.length).toBeGreaterThan(0);
  expect(
    wrongChances.map((visit) => {
      const silentMs = (visit.silentFromMs ?? 0) - loss.untilMs;
      return `${visit.order}: ${chances(visit)} chances, silent ${silentMs} ms after the loss`;
    }),
  ).toEqual([]);
  // Some were called just before they left.
  for (const visit of visits) if (visit.behaviour === 'leaver') expect(chances(visit)).toBeLessThanOrEqual(1);
  const orders = visits.map(({ order }) => order);
  expect(new Set(orders).size).toBe(users);
  // Proofs of presence there were: without them the law above would say nothing.
  const steady = visits.filter(({ behaviour }) => behaviour === 'steady');
  expect(steady.filter(({ signs }) => signs.length >= 2).length).toBeGreaterThan(steady.length * 0.7);

  // An old ticket gives nothing again, whenever its place was over.
  const after = createQueueCaller(eventId, () => survivor.url);
  const again: string[] = [];
  for (const { who, ticket, left, slots, behaviour } of visits) {
    if (ticket === null) continue;
    const { answer, text } = await after.status(who, ticket);
    if (answer?.status === 'none') continue;
    const leftMs = (left?.sentMs ?? 0) - loss.untilMs;
    again.push(`${behaviour} with ${slots.length} slots, left ${leftMs} ms after the loss: ${text}`);
  }
  expect(again).toEqual([]);
  // Polls were answered in both ways.
  for (const by of ['snapshot', 'store']) expect([by, await answersBy(survivor.url, by)]).not.toEqual([by, 0]);
  // One loss is one new epoch, however many processes notice it.
  const { rows: heads } = await operator.query<{ epoch: number }>(
    'SELECT epoch FROM queue.events WHERE event_id = $1',
    [eventId],
  );
  expect(heads).toEqual([{ epoch: 2 }]);

  async function admissionsOf(event: string): Promise<Admission[]> {
    const { rows } = await operator.query<{ user: string; slot: string }>(
      'SELECT user_id AS "user", slot_id AS slot FROM queue.slots WHERE event_id = $1',
      [event],
    );
    return rows.map(({ user, slot }) => ({ userId: user, ...parseSlotId(slot) }));
  }
}

/** How many polls this process has answered so. */
async function answersBy(url: string, by: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^urr_queue_answers_total\\{by="${by}"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
}

function tally(visits: readonly Visit[]): string {
  const counts = new Map<string, number>();
  for (const { behaviour, outcome, complaints } of visits) {
    const what = `${behaviour} ${complaints.length > 0 ? 'COMPLAINS' : (outcome ?? 'is not through')}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  const complaints = visits.flatMap((visit) =>
    visit.complaints.map((text) => `${visit.behaviour} ${visit.order}: ${text}`),
  );
  return [...[...counts].map(([what, count]) => `${what}: ${count}`), ...complaints.slice(0, 5)].join('\n');
}
