import { expect, test } from 'vitest';
import type { EventSummary } from '../../events/event-types.ts';
import { arrange } from './arrange.ts';

const now = Date.parse('2026-12-01T00:00:00Z');
const hour = 3_600_000;

function anEvent(id: string, opensInHours: number, status: EventSummary['status'] = 'announced'): EventSummary {
  const at = (hours: number) => new Date(now + hours * hour).toISOString();
  return {
    id,
    status,
    title: id,
    titleEn: null,
    artist: { id: 'a', name: 'a', nameEn: null },
    venue: { id: 'v', name: 'v', nameEn: null },
    startsAt: at(900),
    doorsAt: null,
    saleOpensAt: at(opensInHours),
    saleClosesAt: at(800),
    imageUrl: null,
    hot: false,
    priceMinKrw: 0,
    priceMaxKrw: 0,
  };
}

const ids = (events: readonly EventSummary[]) => events.map((event) => event.id);

test('the sale that opens first leads, the others follow in order', () => {
  const home = arrange({
    onSale: [],
    announced: [anEvent('late', 9), anEvent('first', 1), anEvent('second', 2)],
    nowMs: now,
  });
  expect(home.next?.id).toBe('first');
  expect(ids(home.later)).toEqual(['second', 'late']);
});

test('a sale that opened since the lists were read is on sale', () => {
  const home = arrange({ onSale: [anEvent('old', -5, 'on_sale')], announced: [anEvent('new', 0)], nowMs: now });
  expect(home.next).toBeNull();
  expect(ids(home.open)).toEqual(['new', 'old']);
  expect(home.open[0]?.status).toBe('on_sale');
});

test('an event that stands in both lists is shown once', () => {
  const home = arrange({ onSale: [anEvent('a', 0, 'on_sale')], announced: [anEvent('a', 0)], nowMs: now });
  expect(ids(home.open)).toEqual(['a']);
});
