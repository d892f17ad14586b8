import type { Database } from '#platform/postgres/database.ts';
import { type BuiltEvent, builtProblem } from '../domain/replay-built.ts';
import { createPlacesReplay } from '../domain/replay-places.ts';
import { replayReservation } from '../domain/replay-reservation.ts';
import { replaySeat } from '../domain/replay-seat.ts';
import { replayTicket } from '../domain/replay-ticket.ts';
import { readBuilt } from '../storage/ledger-built.ts';
import {
  readBuyers,
  readPlaces,
  readPlacesRows,
  readReservations,
  readSeats,
  readTickets,
} from '../storage/ledger-histories.ts';
import { inLedgerSnapshot, type LedgerSnapshot } from '../storage/ledger-snapshot.ts';

export interface LedgerReport {
  /** How many of each were looked at. */
  readonly checked: Readonly<Record<CheckedThing, number>>;
  /** The first that was found, in words and with ids. The check ends there. */
  readonly contradiction: string | null;
}

const checkedThings = ['events', 'ledgerRows', 'seats', 'reservations', 'tickets', 'ticketTypes', 'buyers'] as const;
type CheckedThing = (typeof checkedThings)[number];
type Checked = Record<CheckedThing, number>;

export interface CheckLedgerOptions {
  /** One event instead of all. */
  readonly eventId?: string;
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}

export type CheckLedgerVerdict =
  | { readonly status: 'checked'; readonly report: LedgerReport }
  /** Nothing in ticketing's tables is of this event. */
  | { readonly status: 'unknown-event' };

interface EventCheck {
  readonly snapshot: LedgerSnapshot;
  readonly eventId: string;
  readonly built: BuiltEvent;
  /** Counts things that were looked at. */
  readonly count: (thing: CheckedThing, by: number) => void;
}

/** In this order, so that the first contradiction is the one nearest to its cause. The money of payments will be one more. */
const checks: readonly ((check: EventCheck) => Promise<string | null>)[] = [
  checkBuilt,
  checkSeats,
  checkReservations,
  checkTickets,
  checkPlaces,
  checkBuyers,
];

/**
 * Replays the ledger, event by event, and compares it with the rows as they stand, all in one snapshot, so that a sale may go on
 * meanwhile. Memory: a page, whatever the size of an event.
 */
export function checkLedger(
  database: Pick<Database, 'session'>,
  options: CheckLedgerOptions = {},
): Promise<CheckLedgerVerdict> {
  return inLedgerSnapshot(database, async (snapshot) => {
    const { eventIds, total } = await whatToCheck(snapshot, options.eventId);
    if (options.eventId !== undefined && eventIds.length === 0) return { status: 'unknown-event' };
    const checked: Checked = {
      events: 0,
      ledgerRows: 0,
      seats: 0,
      reservations: 0,
      tickets: 0,
      ticketTypes: 0,
      buyers: 0,
    };
    let done = 0;
    const count: EventCheck['count'] = (thing, by) => {
      checked[thing] += by;
      if (thing === 'events' || thing === 'ledgerRows' || thing === 'ticketTypes') return;
      done += by;
      options.onProgress?.({ done: Math.min(done, total), total });
    };
    for (const eventId of eventIds) {
      const built = await readBuilt(snapshot, eventId);
      count('events', 1);
      count('ledgerRows', built.ledgerRows);
      for (const check of checks) {
        const problem = await check({ snapshot, eventId, built, count });
        if (problem !== null)
          return { status: 'checked', report: { checked, contradiction: `event ${eventId}: ${problem}` } };
      }
    }
    options.onProgress?.({ done: total, total });
    return { status: 'checked', report: { checked, contradiction: null } };
  });
}

/** Also what no event owns: the ledger and buyers refer to none. */
async function whatToCheck(
  snapshot: LedgerSnapshot,
  eventId: string | undefined,
): Promise<{ eventIds: string[]; total: number }> {
  const rows = await snapshot.rows<{ id: string }>(
    `SELECT event_id AS id FROM ticketing.events WHERE $1::uuid IS NULL OR event_id = $1
     UNION SELECT event_id FROM ticketing.ledger WHERE $1::uuid IS NULL OR event_id = $1
     UNION SELECT event_id FROM ticketing.buyers WHERE $1::uuid IS NULL OR event_id = $1 ORDER BY 1`,
    [eventId ?? null],
  );
  const counted = await snapshot.rows<{ total: number }>(
    `SELECT ((SELECT count(*) FROM ticketing.seats WHERE $1::uuid IS NULL OR event_id = $1)
           + (SELECT count(*) FROM ticketing.reservations WHERE $1::uuid IS NULL OR event_id = $1)
           + (SELECT count(*) FROM ticketing.tickets WHERE $1::uuid IS NULL OR event_id = $1)
           + (SELECT count(*) FROM ticketing.buyers WHERE $1::uuid IS NULL OR event_id = $1))::integer AS total`,
    [eventId ?? null],
  );
  return { eventIds: rows.map(({ id }) => id), total: counted[0]?.total ?? 0 };
}

async function checkBuilt({ built }: EventCheck): Promise<string | null> {
  return builtProblem(built);
}

async function checkSeats({ snapshot, eventId, built, count }: EventCheck): Promise<string | null> {
  for await (const page of readSeats(snapshot, eventId)) {
    count('seats', page.length);
    for (const seat of page) {
      const problem = replaySeat(seat, { builds: built.builds.length, seatCount: built.seatCount });
      if (problem !== null) return problem;
    }
  }
  return null;
}

async function checkReservations({ snapshot, eventId, built, count }: EventCheck): Promise<string | null> {
  for await (const page of readReservations(snapshot, eventId)) {
    count('reservations', page.length);
    for (const reservation of page) {
      const problem = replayReservation(reservation, built.now);
      if (problem !== null) return problem;
    }
  }
  return null;
}

async function checkTickets({ snapshot, eventId, count }: EventCheck): Promise<string | null> {
  for await (const page of readTickets(snapshot, eventId)) {
    count('tickets', page.length);
    for (const ticket of page) {
      const problem = replayTicket(ticket);
      if (problem !== null) return problem;
    }
  }
  return null;
}

async function checkPlaces({ snapshot, eventId, built, count }: EventCheck): Promise<string | null> {
  const replays = built.builds.map(({ capacities }) => createPlacesReplay(capacities));
  for await (const page of readPlaces(snapshot, eventId)) {
    for (const step of page) {
      const replay = replays[step.build - 1];
      const problem =
        replay === undefined ? `ledger row ${step.id} takes places before any were built` : replay.add(step);
      if (problem !== null) return problem;
    }
  }
  for (const replay of replays.slice(0, -1)) {
    const taken = replay.taken();
    if (taken !== null) return `places were built again while ${taken}`;
  }
  const rows = await readPlacesRows(snapshot, eventId);
  count('ticketTypes', rows.length);
  return (replays.at(-1) ?? createPlacesReplay(new Map())).compare(rows);
}

async function checkBuyers({ snapshot, eventId, count }: EventCheck): Promise<string | null> {
  for await (const page of readBuyers(snapshot, eventId)) {
    count('buyers', page.length);
    for (const { userId, live, counted } of page) {
      if ((live ?? 0) !== counted)
        return `buyer ${userId} counts ${live ?? 'nothing'}; reservations and tickets come to ${counted}`;
    }
  }
  return null;
}
