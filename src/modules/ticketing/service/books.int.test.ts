import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Database } from '#platform/postgres/database.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aClock } from '#test/kit/clock.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { aBoxOffice } from '../testing/a-box-office.ts';
import { aDrawing } from '../testing/a-show.ts';
import { createEventBooks } from './books.ts';

const { url } = await aDatabase();
const database = createDatabase({ url, poolMax: 4 });
atEnd(() => database.close());
const office = aBoxOffice(database);

/** The same database, with its statements counted. */
function counting(): { database: Database; queries: () => number } {
  let count = 0;
  const query: Database['query'] = (...call) => {
    count += 1;
    return database.query(...call);
  };
  return { database: { ...database, query }, queries: () => count };
}

test('an event is read once and then known, however many ask at once', async () => {
  const event = await office.show(aDrawing());
  const { database: counted, queries } = counting();
  const books = createEventBooks({ database: counted, clock: aClock() });
  const found = await Promise.all(Array.from({ length: 50 }, () => books.get(event.eventId)));
  expect(new Set(found).size).toBe(1);
  expect(found[0]).toMatchObject({ eventId: event.eventId, version: 1, isReady: true, isCancelled: false });
  expect(queries()).toBe(1);
});

test('what another process has heard is known after the next refresh, and only what changed is read', async () => {
  const [one, other] = [await office.show(aDrawing()), await office.show(aDrawing())];
  const { database: counted, queries } = counting();
  const books = createEventBooks({ database: counted, clock: aClock() });
  const [before, kept] = [await books.get(one.eventId), await books.get(other.eventId)];
  await books.refresh();
  await office.hear({ data: { ...one, version: 2, purchaseLimit: 1 } });
  const asked = queries();
  await books.refresh();
  const after = await books.get(one.eventId);
  expect(after).toMatchObject({ version: 2, facts: { purchaseLimit: 1 } });
  expect(await books.get(other.eventId)).toBe(kept);
  expect(queries() - asked).toBe(2);
  // The plan is large and the same: it is not read again.
  expect(after?.plan).toBe(before?.plan);
  await office.hear({ type: 'EVENT_CANCELLED', data: { ...one, version: 3 } });
  await books.refresh();
  expect(await books.get(one.eventId)).toMatchObject({ isCancelled: true });
});

test('an address that nobody knows costs one query a second, and an event that comes is found', async () => {
  const { database: counted, queries } = counting();
  const clock = aClock();
  const books = createEventBooks({ database: counted, clock });
  const eventId = randomUUID();
  for (let times = 0; times < 10; times++) expect(await books.get(eventId)).toBeNull();
  expect(queries()).toBe(1);
  await books.refresh();
  await office.show(aDrawing(), { eventId });
  await books.refresh();
  expect(await books.get(eventId)).toMatchObject({ eventId, isReady: true });
});

test('those who ask to renew together share one read that began after they asked', async () => {
  const event = await office.show(aDrawing());
  const { database: counted, queries } = counting();
  const books = createEventBooks({ database: counted, clock: aClock() });
  const first = books.get(event.eventId);
  const renewed = Promise.all(Array.from({ length: 20 }, () => books.renew(event.eventId)));
  await first;
  expect(new Set(await renewed).size).toBe(1);
  expect(queries()).toBe(2);
});

test('what is known stays known while the database is away', async () => {
  const event = await office.show(aDrawing());
  const own = createDatabase({ url, poolMax: 1 });
  const books = createEventBooks({ database: own, clock: aClock() });
  await books.get(event.eventId);
  await own.close();
  await expect(books.refresh()).rejects.toThrow();
  expect(await books.get(event.eventId)).toMatchObject({ isReady: true });
});
