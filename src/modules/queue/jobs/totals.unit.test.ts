import { expect, test } from 'vitest';
import { createIds } from '#platform/ids.ts';
import { systemRandom } from '#platform/random.ts';
import { aClock } from '#test/kit/clock.ts';
import type { EventView } from '../service/event-view.ts';
import type { Snapshots } from '../service/snapshots.ts';
import { aQueueBus } from '../testing/a-queue-bus.ts';
import { createTotalsJob } from './totals.ts';

function aWorld() {
  const clock = aClock();
  const ids = createIds({ clock, random: systemRandom });
  const bus = aQueueBus({ clock, ids });
  const eventId = ids.next();
  const totals = { joined: 3, admitted: 1, left: 0, noShows: 0, forgotten: 0 };
  // The job reads these two facts of a view and nothing else.
  const snapshot = { epoch: 1, totals };
  const view = { eventId, snapshot } as unknown as EventView;
  const snapshots = { views: () => [view] } as unknown as Snapshots;
  const job = createTotalsJob({ bus, clock, snapshots });
  return {
    bus,
    snapshot,
    totals,
    run: () => job.run(new AbortController().signal),
    said: () => bus.sent.get('queue-events') ?? [],
  };
}

test('totals are told when they changed, and only then', async () => {
  const { totals, run, said } = aWorld();
  await run();
  await run();
  expect(said()).toHaveLength(1);
  expect(said()[0]?.data).toMatchObject({ epoch: 1, joined: 3, admitted: 1, left: 0, noShows: 0 });
  totals.joined = 4;
  await run();
  expect(said()).toHaveLength(2);
});

test('a minute that the broker did not take is told with the next', async () => {
  const { bus, run, said } = aWorld();
  bus.away = true;
  await expect(run()).rejects.toThrow();
  bus.away = false;
  await run();
  expect(said()).toHaveLength(1);
});

test('of an event that left the store the last totals stand', async () => {
  const { snapshot, run, said } = aWorld();
  await run();
  snapshot.epoch = 0;
  snapshot.totals = { joined: 0, admitted: 0, left: 0, noShows: 0, forgotten: 0 };
  await run();
  expect(said()).toHaveLength(1);
});
