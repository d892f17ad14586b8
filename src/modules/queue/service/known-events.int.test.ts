import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { catalogEvents, type EventSnapshot, type LiveEventFacts } from '#modules/catalog/contract.ts';
import { createEmbeddedBus } from '#platform/bus/embedded/embedded-bus.ts';
import { systemClock } from '#platform/clock.ts';
import { isFault, platformErrors } from '#platform/errors.ts';
import { createIds } from '#platform/ids.ts';
import { systemRandom } from '#platform/random.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { aClock } from '#test/kit/clock.ts';
import { eventFactsConsumer } from '../consumers/event-facts.ts';
import { saveFacts } from '../storage/facts.ts';
import { aJournal } from '../testing/a-journal.ts';
import { someEventFacts } from '../testing/queue-processes.ts';
import { createKnownEvents } from './known-events.ts';

const { database } = await aJournal();

function aSnapshot(eventId: string, overrides: Partial<EventSnapshot> = {}): EventSnapshot {
  const named = { id: randomUUID(), name: '우르르', nameEn: null };
  return {
    eventId,
    version: 1,
    sellerId: randomUUID(),
    title: '먼 데서 온 바람',
    titleEn: null,
    artist: named,
    venue: named,
    layoutId: randomUUID(),
    startsAt: '2099-05-01T10:00:00.000Z',
    doorsAt: null,
    saleOpensAt: '2026-01-01T00:00:00.000Z',
    saleClosesAt: '2099-05-01T00:00:00.000Z',
    phases: [],
    prices: [],
    ticketTypes: [],
    seatCount: 10,
    capacity: 10,
    purchaseLimit: 4,
    hot: false,
    queueEnabled: true,
    queueThreshold: null,
    ...overrides,
  };
}

function aCatalogClient(events: EventSnapshot[] = []) {
  const client = {
    asked: 0,
    away: false,
    async eventFacts({ eventId }: { eventId: string }) {
      client.asked += 1;
      if (client.away) throw platformErrors.fault('ROLE_UNAVAILABLE');
      const event = events.find((each) => each.eventId === eventId);
      if (event === undefined) return { event: null };
      const live: LiveEventFacts = { ...event, status: 'on_sale', soldOut: false, cancelledAt: null };
      return { event: live };
    },
  };
  return client;
}

function aProcess(catalog = aCatalogClient(), clock = aClock()) {
  return { catalog, clock, known: createKnownEvents({ database, catalog, clock, logger: silentLogger }) };
}

test('catalog is asked once for an event, by whichever process comes first', async () => {
  const eventId = randomUUID();
  const catalog = aCatalogClient([aSnapshot(eventId, { queueThreshold: 40 })]);
  const [one, two] = [aProcess(catalog), aProcess(catalog)];
  const answers = await Promise.all([one.known.get(eventId), one.known.get(eventId), one.known.get(eventId)]);
  expect(answers.map((facts) => facts?.threshold)).toEqual([40, 40, 40]);
  catalog.away = true;
  // Another process, started after catalog left, still knows it.
  expect(await two.known.get(eventId)).toMatchObject({ artist: '우르르', queueEnabled: true, cancelled: false });
  expect(catalog.asked).toBe(1);
});

test('an event that nobody knows costs one question in two seconds', async () => {
  const { known, catalog, clock } = aProcess();
  const eventId = randomUUID();
  for (let n = 0; n < 5; n++) expect(await known.get(eventId)).toBeNull();
  expect(catalog.asked).toBe(1);
  clock.advance(2_001);
  expect(await known.get(eventId)).toBeNull();
  expect(catalog.asked).toBe(2);
});

test('an unknown event is no missing event while catalog is away', async () => {
  const { known, catalog } = aProcess();
  catalog.away = true;
  const eventId = randomUUID();
  await expect(known.get(eventId)).rejects.toSatisfy((error) => isFault(error, 'ROLE_UNAVAILABLE'));
});

test('the newest version stays, whatever the order of arrival', async () => {
  const eventId = randomUUID();
  const { known } = aProcess();
  const versions = [3, 1, 2].map((version) => someEventFacts(eventId, { version, title: `v${version}` }));
  await saveFacts(database, versions);
  await saveFacts(database, [someEventFacts(eventId, { version: 2, title: 'v2' })]);
  expect((await known.get(eventId))?.title).toBe('v3');
  known.apply(someEventFacts(eventId, { version: 2, title: 'v2' }));
  expect((await known.get(eventId))?.title).toBe('v3');
});

test('an event that was unknown is known as soon as it is told', async () => {
  const { known } = aProcess();
  const eventId = randomUUID();
  await known.refresh();
  expect(await known.get(eventId)).toBeNull();
  await saveFacts(database, [someEventFacts(eventId)]);
  await known.refresh();
  expect((await known.get(eventId))?.eventId).toBe(eventId);
});

test('a starting process knows every open sale without asking anybody', async () => {
  const clock = aClock();
  const open = someEventFacts(randomUUID());
  const notYet = someEventFacts(randomUUID(), { opensAtMs: clock.now() + 1_000 });
  const over = someEventFacts(randomUUID(), { closesAtMs: clock.now() });
  const cancelled = someEventFacts(randomUUID(), { cancelled: true });
  await saveFacts(database, [open, notYet, over, cancelled]);
  const { known, catalog } = aProcess(aCatalogClient(), clock);
  await known.refresh();
  const onSale = known.onSale().map(({ eventId }) => eventId);
  expect(onSale).toContain(open.eventId);
  for (const { eventId } of [notYet, over, cancelled]) expect(onSale).not.toContain(eventId);
  clock.advance(1_000);
  expect(known.onSale().map(({ eventId }) => eventId)).toContain(notYet.eventId);
  expect(catalog.asked).toBe(0);
});

test('a change in the catalog reaches every process through the bus', async () => {
  const ids = createIds({ clock: systemClock, random: systemRandom });
  const bus = createEmbeddedBus({ database, topics: [catalogEvents], clock: systemClock, ids });
  await bus.start();
  const stop = await bus.consume(eventFactsConsumer);
  afterAll(async () => {
    await stop();
    await bus.stop();
  });
  const eventId = randomUUID();
  const processes = [aProcess(), aProcess()];
  const publish = (type: 'EVENT_PUBLISHED' | 'EVENT_CHANGED', data: EventSnapshot) =>
    bus.publishNow(catalogEvents, [{ type, key: eventId, data }]);
  const title = async ({ known }: (typeof processes)[number]) => {
    await known.refresh();
    return (await known.get(eventId))?.title;
  };
  await publish('EVENT_PUBLISHED', aSnapshot(eventId, { title: '하나' }));
  for (const process of processes) await expect.poll(() => title(process), { timeout: 20_000 }).toBe('하나');
  await publish('EVENT_CHANGED', aSnapshot(eventId, { version: 2, title: '둘' }));
  for (const process of processes) await expect.poll(() => title(process), { timeout: 20_000 }).toBe('둘');
  const cancelled = { ...aSnapshot(eventId, { version: 3 }), cancelledAt: '2027-01-01T00:00:00.000Z', reason: '비' };
  await bus.publishNow(catalogEvents, [{ type: 'EVENT_CANCELLED', key: eventId, data: cancelled }]);
  for (const { known } of processes) {
    await expect
      .poll(async () => known.refresh().then(() => known.get(eventId)), { timeout: 20_000 })
      .toMatchObject({ cancelled: true });
  }
});

test('what a newer catalog says is not lost on an older queue: it waits in the letters', async () => {
  const newer = {
    ...catalogEvents,
    types: { ...catalogEvents.types, EVENT_CANCELLED: { ...catalogEvents.types.EVENT_CANCELLED, version: 2 } },
  };
  const ids = createIds({ clock: systemClock, random: systemRandom });
  const publishing = createEmbeddedBus({ database, topics: [newer], clock: systemClock, ids });
  const bus = createEmbeddedBus({ database, topics: [catalogEvents], clock: systemClock, ids });
  await bus.start();
  const stop = await bus.consume(eventFactsConsumer);
  afterAll(async () => {
    await stop();
    await bus.stop();
    await publishing.stop();
  });
  const eventId = randomUUID();
  const cancelled = { ...aSnapshot(eventId), cancelledAt: '2027-01-01T00:00:00.000Z', reason: '비' };
  await publishing.publishNow(newer, [{ type: 'EVENT_CANCELLED', key: eventId, data: cancelled }]);
  const reasons = async () => (await bus.letters({ group: 'queue-facts', limit: 10 })).map(({ reason }) => reason);
  await expect
    .poll(reasons, { timeout: 20_000 })
    .toEqual(['EVENT_CANCELLED has version 2; this program reads up to 1']);
});
