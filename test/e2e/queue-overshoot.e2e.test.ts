import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { eventKeys } from '#modules/queue/storage/redis-keys.ts';
import { createRedisStore } from '#modules/queue/storage/redis-store.ts';
import { systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import { systemRandom } from '#platform/random.ts';
import { createRedis } from '#platform/redis/client.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { startRedis } from '#test/kit/engines/redis.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import type { RushOrder, RushReady, RushReport } from '#test/kit/queue/rush.ts';
import { createSlotLedger } from '#test/kit/queue/slot-ledger.ts';
import { watchSlots } from '#test/kit/queue/watch.ts';

const processes = 8;
const users = 10_000;
const threshold = 100;
const hangGuardMs = 300_000;
const rushFile = fileURLToPath(new URL('../kit/queue/rush.ts', import.meta.url));

describeWith('redis', '8 processes let 10,000 users in', () => {
  test('at no instant are there more slots than the threshold', async () => {
    const engine = await startRedis({ dir: await aFolder('rush-redis'), args: ['--appendonly', 'no'] });
    atEnd(() => engine.stop());
    const eventId = createIds({ clock: systemClock, random: systemRandom }).next();
    const redis = createRedis({ url: engine.url, commandTimeoutMs: 10_000, logger: silentLogger });
    atEnd(() => redis.close());
    await createRedisStore({ redis }).begin({
      eventId,
      epoch: 1,
      era: 1,
      room: { on: false, era: 0, version: 0 },
      settings: { threshold, paused: false, closed: false, message: null },
      slots: [],
      denied: [],
      spent: [],
      returned: [],
      sequence: 0,
      watermark: 0,
      recoveringMs: 0,
    });
    const watch = watchSlots({ url: engine.url, eventId, everyMs: 1 });
    const ledger = await createSlotLedger({ url: engine.url, key: eventKeys(eventId).active });

    const order: RushOrder = { url: engine.url, eventId, users: users / processes, entriesAtOnce: 50 };
    const children = await Promise.all(Array.from({ length: processes }, startRush));
    const reports = await Promise.all(children.map((child) => runRush(child, order)));
    await watch.stop();
    const counted = await ledger.stop();

    expect(reports.flatMap(({ error }) => error ?? [])).toEqual([]);
    expect(reports.reduce((sum, { shopped }) => sum + shopped, 0)).toBe(users);
    // Every single change of the set of slots, in the order in which the server made it.
    expect(counted.added).toBe(users);
    expect(counted.most).toBe(threshold);
    expect(watch.samples).toBeGreaterThan(0);
    expect(watch.most).toBeLessThanOrEqual(threshold);
    expect(Math.max(...reports.map(({ mostActive }) => mostActive))).toBeLessThanOrEqual(threshold);
    // All of them took part, or it would not have been a race.
    expect(reports.filter(({ admitted }) => admitted > 0).length).toBeGreaterThan(processes / 2);
  });
});

async function startRush(): Promise<ChildProcess> {
  const child = fork(rushFile);
  atEnd(async () => void child.kill('SIGKILL'));
  const [said] = (await once(child, 'message', { signal: AbortSignal.timeout(hangGuardMs) })) as [RushReady];
  expect(said).toBe('ready');
  return child;
}

async function runRush(child: ChildProcess, order: RushOrder): Promise<RushReport> {
  child.send(order);
  const [report] = (await once(child, 'message', { signal: AbortSignal.timeout(hangGuardMs) })) as [RushReport];
  child.disconnect();
  return report;
}
