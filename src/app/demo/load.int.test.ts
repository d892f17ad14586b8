import { expect, test } from 'vitest';
import { layoutDocumentOf, seatsOf } from '#modules/catalog/contract.ts';
import type { Clock } from '#platform/clock.ts';
import { startTestApp } from '#test/kit/app.ts';
import { aClock } from '#test/kit/clock.ts';
import { demoId } from './ids.ts';
import { loadDemo } from './load.ts';
import { demoShows } from './shows.ts';
import { demoVenues } from './venues.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const clock = aClock();
const { urr } = await startTestApp({ roles: ['auth', 'catalog'], clock });
const password = 'urr-demo';
const load = (options: { hasSales?: (id: string) => Promise<boolean>; clock?: Clock } = {}) =>
  loadDemo({ urr, password, clock, ...options });

async function statuses(): Promise<Record<string, string>> {
  const response = await fetch(`${urr.url}/api/events?limit=100`);
  const { items } = (await response.json()) as { items: { id: string; status: string }[] };
  return Object.fromEntries(items.map((event) => [event.id, event.status]));
}

/** Every row of every table that the demonstration writes, to see whether anything changed. */
async function contents(): Promise<unknown> {
  const { database } = urr.engines;
  const tables = [
    'catalog.artists',
    'catalog.venues',
    'catalog.layouts',
    'catalog.events',
    'auth.users',
    'urr.audit_log',
  ];
  return Promise.all(
    tables.map(
      async (table) => (await database?.query(`SELECT count(*), max(xmin::text::bigint) FROM ${table}`))?.rows,
    ),
  );
}

const wanted = Object.fromEntries(demoShows.map((show) => [show.id, show.status]));

test('every show is in the state that it is there for, and a second load changes nothing', async () => {
  await Promise.all([load(), load()]);
  expect(await statuses()).toEqual(wanted);
  const before = await contents();
  await load();
  expect(await contents()).toEqual(before);
});

test('the accounts can be signed in to', async () => {
  for (const email of [
    'admin@urr.test',
    'operator@urr.test',
    'seller@urr.test',
    'buyer1@urr.test',
    'buyer20@urr.test',
  ]) {
    const response = await fetch(`${urr.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    });
    expect([email, response.status]).toEqual([email, 200]);
  }
});

test('after days away the shows make sense again, except one that somebody bought', async () => {
  const aboutToOpen = demoId('event', 3);
  clock.advance(11 * minuteMs);
  await load({ hasSales: async (id) => id === aboutToOpen });
  expect(await statuses()).toEqual({ ...wanted, [aboutToOpen]: 'on_sale' });
  await load();
  expect(await statuses()).toEqual(wanted);
  clock.advance(100 * dayMs);
  await load();
  clock.advance(5_000);
  expect(await statuses()).toEqual(wanted);
});

test.each([
  ['hall', 1_200, 0],
  ['arena', 8_040, 0],
  ['club', 0, 800],
] as const)('the %s has %d seats and %d standing places, and no two seats overlap', (name, seats, standing) => {
  const drawing = layoutDocumentOf(demoVenues[name].draw());
  const all = [...seatsOf(drawing)];
  expect(all).toHaveLength(seats);
  expect(drawing.standingAreas.reduce((sum, area) => sum + area.capacity, 0)).toBe(standing);
  const gapMin = 30;
  const sorted = all.toSorted((a, b) => a.x - b.x);
  for (const [index, seat] of sorted.entries()) {
    expect(Math.min(seat.x, seat.y)).toBeGreaterThanOrEqual(0);
    for (let next = index + 1; next < sorted.length; next++) {
      const other = sorted[next];
      if (other === undefined || other.x - seat.x >= gapMin) break;
      const distance = Math.hypot(other.x - seat.x, other.y - seat.y);
      if (distance < gapMin) throw new Error(`${seat.seatId} and ${other.seatId} are ${distance} apart`);
    }
  }
});

test('the hall has a stage, floors, and places for wheelchairs with a companion each', async () => {
  const response = await fetch(`${urr.url}/api/layouts/${demoVenues.hall.layoutId}`);
  const hall = (await response.json()) as { sections: { floor: string }[]; seatMarks: Record<string, number[]> };
  expect(hall).toMatchObject({ stage: { name: '무대' }, texts: [{ text: '출입구' }] });
  expect(hall.sections.map(({ floor }) => floor)).toEqual(['1층', '1층', '1층', '2층', '2층', '2층']);
  expect(hall.seatMarks.accessible).toHaveLength(4);
  expect(hall.seatMarks.companion).toHaveLength(4);
});
