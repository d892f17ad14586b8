import { expect, it } from 'vitest';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aClock } from '#test/kit/clock.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { createProtectedCallWatch, createRedisReports, createRedisStore } from './index.ts';
import { createOriginLoop } from './service/origin-loop.ts';
import { aBegin, ids, present } from './storage/conformance/harness.ts';
import { redisStores } from './testing/redis-stores.ts';

const step = { admitMax: 9, parkMax: 9, absentMs: 90_000, claimMs: 120_000, activeTtlMs: 600_000 };

describeWith('redis', 'a gateway in a process of its own', () => {
  it('claims slots and tells how the origin is doing through Redis alone', async () => {
    const { store, connect, close } = await redisStores.create();
    atEnd(async () => close?.());
    const clock = aClock();
    const shared = { clock, logger: silentLogger, config: { activeSeenTtlMs: null } };
    const redis = connect();
    const gateway = createProtectedCallWatch({
      ...shared,
      store: createRedisStore({ redis }),
      reports: createRedisReports({ redis }),
      loop: null,
    });
    const closedLoop = { p95TargetMs: 500, errorRateTarget: 0.1, shareMin: 0.1, stepPerSecond: 0.05 };
    const loop = createOriginLoop({ config: closedLoop, clock, logger: silentLogger });
    const queue = createProtectedCallWatch({
      ...shared,
      store,
      reports: createRedisReports({ redis: connect() }),
      loop,
    });

    const eventId = ids.next();
    const { nowMs: _itsOwn, ...begin } = aBegin(eventId);
    await store.begin(begin);
    const [ann, ben] = [ids.next(), ids.next()];
    for (const userId of [ann, ben]) {
      await store.enter({ eventId, userId, mode: 'enter', lane: 1, roomOn: false, activeTtlMs: 600_000 });
    }
    await store.configure({ eventId, changes: { threshold: 2 } });
    const { admitted } = present(await store.admit({ eventId, ...step, activeSeenTtlMs: null }));
    const slot = admitted.find(({ userId }) => userId === ann);
    if (slot === undefined) throw new Error('she was admitted');

    gateway.calls.entered({ eventId, userId: ann, slotId: slot.slotId });
    for (let n = 0; n < 50; n++) gateway.calls.answered({ ms: 3_000, failed: false });
    await run(gateway);
    await run(queue);
    expect(await store.trace({ eventId, userId: ann })).toMatchObject({ slot: { claimed: true } });
    expect(await store.trace({ eventId, userId: ben })).toMatchObject({ slot: { claimed: false } });
    expect(loop.share()).toMatchObject({ share: 0.5, reason: 'origin-slow', health: { calls: 50 } });
  });
});

async function run({ jobs }: Pick<ReturnType<typeof createProtectedCallWatch>, 'jobs'>): Promise<void> {
  for (const job of jobs) await job.run(new AbortController().signal);
}
