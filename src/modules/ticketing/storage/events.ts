import type { EventSnapshot } from '#modules/catalog/contract.ts';
import type { Queryable, Transaction } from '#platform/postgres/database.ts';
import { fingerprintOf, firstOpeningMs } from '../domain/offer.ts';
import type { PlanDocument } from '../domain/seat-plan.ts';

/** An event as a message on catalog-events tells of it. */
export interface HeardEvent {
  readonly facts: EventSnapshot;
  readonly cancelled: { readonly at: string; readonly reason: string } | null;
}

/** The highest version stays, whatever the order of arrival; what is cancelled stays so. */
export async function saveEvents(tx: Transaction, events: readonly HeardEvent[]): Promise<void> {
  const newest = new Map<string, HeardEvent>();
  for (const event of events) {
    const { eventId, version } = event.facts;
    if (version > (newest.get(eventId)?.facts.version ?? 0)) newest.set(eventId, event);
  }
  // In order of id, so that two that write the same events do not wait for each other in a circle.
  const rows = [...newest.values()].map(rowOf).sort((a, b) => (a.event_id < b.event_id ? -1 : 1));
  if (rows.length === 0) return;
  await tx.query(
    `INSERT INTO ticketing.events AS known (event_id, version, facts, offer, seller_id, sale_opens_at, sale_closes_at, starts_at,
       doors_at, purchase_limit, return_delay_max_ms, cancelled_at, cancel_reason, sells_from, changed_at, offer_at)
     SELECT heard.*, urr.now(), urr.now() FROM jsonb_to_recordset($1::jsonb) AS heard (event_id uuid, version integer, facts jsonb, offer text,
       seller_id uuid, sale_opens_at timestamptz, sale_closes_at timestamptz, starts_at timestamptz, doors_at timestamptz,
       purchase_limit integer, return_delay_max_ms integer, cancelled_at timestamptz, cancel_reason text, sells_from timestamptz)
     ON CONFLICT (event_id) DO UPDATE SET
       version = excluded.version, facts = excluded.facts, offer = excluded.offer, seller_id = excluded.seller_id,
       sale_opens_at = excluded.sale_opens_at, sale_closes_at = excluded.sale_closes_at, starts_at = excluded.starts_at,
       doors_at = excluded.doors_at, purchase_limit = excluded.purchase_limit,
       return_delay_max_ms = excluded.return_delay_max_ms, sells_from = excluded.sells_from,
       cancelled_at = coalesce(known.cancelled_at, excluded.cancelled_at),
       cancel_reason = coalesce(known.cancel_reason, excluded.cancel_reason),
       offer_at = CASE WHEN known.offer = excluded.offer THEN known.offer_at ELSE excluded.offer_at END,
       changed_at = excluded.changed_at
     WHERE known.version < excluded.version`,
    [JSON.stringify(rows)],
  );
}

function rowOf({ facts, cancelled }: HeardEvent) {
  return {
    event_id: facts.eventId,
    version: facts.version,
    facts,
    offer: fingerprintOf(facts),
    seller_id: facts.sellerId,
    sale_opens_at: facts.saleOpensAt,
    sale_closes_at: facts.saleClosesAt,
    starts_at: facts.startsAt,
    doors_at: facts.doorsAt,
    purchase_limit: facts.purchaseLimit,
    return_delay_max_ms: (facts.seatReturnDelayMaxSeconds ?? 0) * 1_000,
    cancelled_at: cancelled?.at ?? null,
    cancel_reason: cancelled?.reason ?? null,
    sells_from: new Date(firstOpeningMs(facts)).toISOString(),
  };
}

export interface EventRow {
  readonly version: number;
  readonly facts: EventSnapshot;
  readonly offer: string;
  readonly built_offer: string | null;
  readonly is_cancelled: boolean;
  readonly plan_offer: string | null;
  readonly layout_id: string | null;
  /** Null where there is none, or where it is the one that the caller has. */
  readonly plan: PlanDocument | null;
}

/** `planKnown`: the offer of the plan that the caller has already. It may be large, so it is not read again. */
export async function eventById(on: Queryable, eventId: string, planKnown: string | null): Promise<EventRow | null> {
  const { rows } = await on.query<EventRow>(
    `SELECT e.version, e.facts, e.offer, e.built_offer, e.cancelled_at IS NOT NULL AS is_cancelled, p.offer AS plan_offer, p.layout_id,
       CASE WHEN p.offer = $2 THEN NULL ELSE p.plan END AS plan
     FROM ticketing.events e LEFT JOIN ticketing.plans p USING (event_id) WHERE event_id = $1`,
    [eventId, planKnown],
  );
  return rows[0] ?? null;
}

export interface ChangedEvent {
  readonly event_id: string;
  readonly version: number;
  readonly is_ready: boolean;
  readonly is_cancelled: boolean;
  readonly plan_offer: string | null;
}

/** What changed since, and the database's time before that was read. */
export async function eventsChangedSince(
  on: Queryable,
  since: Date | null,
): Promise<{ now: Date; events: ChangedEvent[] }> {
  const { rows } = await on.query<{ now: Date } & Partial<ChangedEvent>>(
    `SELECT clock.now, changed.* FROM (SELECT urr.now() AS now) AS clock LEFT JOIN (
       SELECT event_id, version, coalesce(built_offer = offer, false) AS is_ready, cancelled_at IS NOT NULL AS is_cancelled,
         built_offer AS plan_offer
       FROM ticketing.events WHERE changed_at > $1
     ) AS changed ON true`,
    [since],
  );
  const now = rows[0]?.now ?? new Date(0);
  return { now, events: rows.filter((row): row is { now: Date } & ChangedEvent => row.event_id != null) };
}

export async function hasReservations(on: Queryable, eventId: string): Promise<boolean> {
  const { rows } = await on.query<{ found: boolean }>(
    'SELECT EXISTS (SELECT FROM ticketing.reservations WHERE event_id = $1) AS found',
    [eventId],
  );
  return rows[0]?.found === true;
}
