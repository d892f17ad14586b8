import { expect, test } from 'vitest';
import { aQueue, type Person } from './testing/a-queue.ts';

const threshold = 20;
const crowdSize = 400;
const limits = { activeTtlMs: 120_000, absentMs: 20_000, claimMs: 30_000, recoveringMs: 5_000 };
const queue = await aQueue({ threshold, ...limits });
const { anEvent, person, check, status, call, clock, runJob, store } = queue;

type Manner = 'ordinary' | 'leaves' | 'sleeps' | 'never-claims';

interface Buyer extends Person {
  readonly manner: Manner;
  readonly tab: Person;
}

/** One in ten of each unusual kind, spread over the line behind those who get a slot at once. */
function mannerOf(index: number): Manner {
  if (index < threshold) return 'ordinary';
  return ({ 3: 'leaves', 5: 'sleeps', 7: 'never-claims' } as const)[index % 10] ?? 'ordinary';
}

/**
 * A whole sale through the routes and the jobs: everybody has two tabs, some leave, some fall asleep and wake up late,
 * some do not come when it is their turn, and the store loses everything in the middle.
 */
test('everybody is admitted in the order of entering or gone by their own act, and never too many shop', async () => {
  const event = anEvent();
  const buyers: Buyer[] = Array.from({ length: crowdSize }, (_, index) => {
    const one = person();
    return { ...one, manner: mannerOf(index), tab: { ...one, cookies: new Map() } };
  });
  for (const buyer of buyers) {
    const first = await check(event, buyer);
    const second = await check(event, buyer.tab);
    expect(second.position).toBe(first.position);
  }

  const admitted: string[] = [];
  const done = new Set<string>();
  const asleepUntil = clock.now() + 150_000;
  for (const buyer of buyers) {
    if (buyer.manner !== 'leaves') continue;
    await call('POST', `/api/queue/leave/${event}`, { as: buyer });
    done.add(buyer.userId);
  }

  for (let second = 0; second < 900 && done.size < buyers.length; second++) {
    clock.advance(1_000);
    if (second === 40) store.wipe();
    await runJob('queue-admission');
    await runJob('queue-snapshots');
    await runJob('queue-signs-of-life');
    const snapshot = await store.snapshot({ eventId: event });
    if (snapshot.status === 'ok') expect(snapshot.active).toBeLessThanOrEqual(threshold);
    for (const buyer of buyers) {
      if (done.has(buyer.userId) || second % 5 !== 0) continue;
      if (buyer.manner === 'sleeps' && clock.now() < asleepUntil) continue;
      if (buyer.manner === 'never-claims') {
        await call('POST', `/api/queue/heartbeat/${event}`, { as: buyer, anonymous: true });
        const trace = await store.trace({ eventId: event, userId: buyer.userId });
        if (trace.status === 'ok' && trace.place === 'none') done.add(buyer.userId);
        continue;
      }
      const answer = await status(event, buyer, { anonymous: true });
      expect(answer.status).not.toBe('none');
      if (answer.status !== 'active') continue;
      admitted.push(buyer.userId);
      done.add(buyer.userId);
      await call('POST', `/api/queue/leave/${event}`, { as: fresh(buyer) });
    }
  }

  expect(buyers.filter(({ userId }) => !done.has(userId)).map(({ manner }) => manner)).toEqual([]);
  const ordinary = buyers.filter(({ manner }) => manner === 'ordinary').map(({ userId }) => userId);
  expect(admitted.filter((userId) => ordinary.includes(userId))).toEqual(ordinary);
  const sleepers = buyers.filter(({ manner }) => manner === 'sleeps').map(({ userId }) => userId);
  expect(admitted.filter((userId) => sleepers.includes(userId)).sort()).toEqual([...sleepers].sort());
});

/** The access token outlives the sale here; the cookies are those of the browser. */
function fresh(buyer: Buyer): Person {
  return { ...buyer, cookies: new Map(buyer.cookies) };
}
