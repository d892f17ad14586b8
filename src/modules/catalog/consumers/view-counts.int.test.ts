import { afterAll, expect, test } from 'vitest';
import { createEmbeddedBus } from '#platform/bus/embedded/embedded-bus.ts';
import { systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import { systemRandom } from '#platform/random.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { createViewBuffer } from '../jobs/view-buffer.ts';
import { aCatalog } from '../testing/a-catalog.ts';
import { catalogEvents, catalogViews } from '../topics.ts';
import { viewCountsConsumer } from './view-counts.ts';

const { database, catalog, nextId } = await aCatalog();
const ids = createIds({ clock: systemClock, random: systemRandom });
const bus = createEmbeddedBus({ database, topics: [catalogEvents, catalogViews], clock: systemClock, ids });
await bus.start();
const stopConsuming = await bus.consume(viewCountsConsumer);
afterAll(async () => {
  await stopConsuming();
  await bus.stop();
});

const actor = { userId: nextId(), role: 'seller' } as const;
async function anEventId(): Promise<string> {
  const draft = {
    title: '공연',
    titleEn: null,
    description: '',
    descriptionEn: null,
    imageUrl: null,
    artistId: null,
    venueId: null,
    layoutId: null,
    startsAt: null,
    doorsAt: null,
    saleOpensAt: null,
    saleClosesAt: null,
    prices: [],
    standingPrices: [],
    phases: [],
    purchaseLimit: 4,
    hot: false,
    queueEnabled: true,
    queueThreshold: null,
    seatReturnDelayMaxSeconds: 0,
  };
  const create = catalog.service.events.create;
  return (await database.transaction((tx) => create(tx, actor, { ownerId: actor.userId, draft }))).id;
}

async function viewsOf(id: string): Promise<number> {
  return (await catalog.service.events.get(actor, id)).views;
}

test('views of several processes add up, through the bus', async () => {
  const [one, other] = [await anEventId(), await anEventId()];
  const processes = [1, 2].map(() => createViewBuffer({ bus, clock: systemClock, logger: silentLogger }));
  for (const views of processes) {
    for (let i = 0; i < 10; i++) views.record(one);
    views.record(other);
    // Of an event that is gone by the time it is counted.
    views.record(nextId());
    await views.flush();
  }
  await expect.poll(() => viewsOf(one), { timeout: 20_000 }).toBe(20);
  await expect.poll(() => viewsOf(other), { timeout: 20_000 }).toBe(2);
  const last = createViewBuffer({ bus, clock: systemClock, logger: silentLogger });
  last.record(one);
  await last.flush();
  await expect.poll(() => viewsOf(one), { timeout: 20_000 }).toBe(21);
});
