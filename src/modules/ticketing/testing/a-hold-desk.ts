import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import type { Database } from '#platform/postgres/database.ts';
import { systemRandom } from '#platform/random.ts';
import { createMetrics } from '#platform/telemetry/metrics.ts';
import type { HoldRequest, HoldVerdict, TicketingDeps } from '../ports.ts';
import { createEventBooks, type RefreshedBooks } from '../service/books.ts';
import { checkLedger } from '../service/check-ledger.ts';
import { createHolds } from '../service/holds.ts';
import type { Sale } from './a-sale.ts';

export type Wish = Partial<Omit<HoldRequest, 'eventId' | 'idempotency'>> & {
  readonly key?: string;
  readonly fingerprint?: string;
};

/** One process that grants holds. */
export interface HoldDesk {
  readonly books: RefreshedBooks;
  hold(sale: Pick<Sale, 'eventId'>, wish: Wish): Promise<HoldVerdict>;
}

export function aHoldDesk(
  database: Database,
  deps: Partial<Pick<TicketingDeps, 'tiers' | 'shield' | 'random'>> = {},
): HoldDesk {
  const books = createEventBooks({ database, clock: systemClock });
  const holds = createHolds({
    ...{ database, books, clock: systemClock, random: systemRandom, metrics: createMetrics() },
    ids: createIds({ clock: systemClock, random: systemRandom }),
    bus: { publish: async () => undefined, wakeRelays: () => undefined },
    tiers: { tierOf: async () => 'general' },
    shield: null,
    ...deps,
  });
  return {
    books,
    hold: async ({ eventId }, { key = randomUUID(), fingerprint = 'a body', ...wish }) =>
      holds.hold({
        ...{ offer: (await books.get(eventId))?.plan?.offer ?? '' },
        ...{ eventId, userId: randomUUID(), slotId: 'slot', seatNos: [], items: [], replaces: null },
        ...wish,
        idempotency: { key, method: 'POST', route: '/api/seats/reserve', fingerprint },
      }),
  };
}

/** How often each verdict came. */
export function tally(verdicts: readonly HoldVerdict[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of verdicts) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** The ledger tells the same as the rows, and the counters are what the reservations add up to. */
export async function expectConsistent(database: Database, { eventId }: Pick<Sale, 'eventId'>): Promise<void> {
  expect(await checkLedger(database, { eventId })).toMatchObject({
    status: 'checked',
    report: { contradiction: null },
  });
  const { rows } = await database.query(
    `SELECT type.ticket_type_id FROM ticketing.ticket_types AS type WHERE event_id = $1 AND capacity <>
       (SELECT sum(places_left) FROM ticketing.shards AS s WHERE s.ticket_type_id = type.ticket_type_id) +
       (SELECT coalesce(sum((item ->> 'quantity')::integer), 0) FROM ticketing.reservations AS r, jsonb_array_elements(r.lines -> 'items') AS item
        WHERE r.event_id = $1 AND r.status IN ('pending', 'paying', 'waiting_for_deposit', 'confirmed')
          AND (item ->> 'ticketTypeId')::uuid = type.ticket_type_id)`,
    [eventId],
  );
  expect(rows).toEqual([]);
}
