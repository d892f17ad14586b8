import type { Queryable } from '#platform/postgres/database.ts';
import type { EventFacts } from '../ports.ts';

export interface FactsPage {
  readonly facts: readonly EventFacts[];
  /** The latest change among them, by the database's clock; null: there was none. */
  readonly changedAt: Date | null;
}

/** The highest version stays, whatever the order of arrival. */
export async function saveFacts(on: Queryable, facts: readonly EventFacts[]): Promise<void> {
  const newest = new Map<string, EventFacts>();
  for (const each of facts) {
    if (each.version > (newest.get(each.eventId)?.version ?? 0)) newest.set(each.eventId, each);
  }
  const rows = [...newest.values()].sort((a, b) => (a.eventId < b.eventId ? -1 : 1));
  await on.query(
    `INSERT INTO queue.event_facts AS known (event_id, version, facts, closes_at)
     SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::jsonb[], $4::timestamptz[])
     ON CONFLICT (event_id) DO UPDATE
       SET version = excluded.version, facts = excluded.facts, closes_at = excluded.closes_at, changed_at = urr.now()
       WHERE known.version < excluded.version`,
    [
      rows.map(({ eventId }) => eventId),
      rows.map(({ version }) => version),
      rows.map((row) => JSON.stringify(row)),
      rows.map(({ closesAtMs }) => new Date(closesAtMs)),
    ],
  );
}

export async function factsById(on: Queryable, eventId: string): Promise<EventFacts | null> {
  const { rows } = await on.query<{ facts: EventFacts }>('SELECT facts FROM queue.event_facts WHERE event_id = $1', [
    eventId,
  ]);
  return rows[0]?.facts ?? null;
}

/** Events whose sale is not over, the first to close first. */
export async function factsOfOpenSales(
  on: Queryable,
  { nowMs, limit }: { nowMs: number; limit: number },
): Promise<FactsPage> {
  const { rows } = await on.query<FactsRow>(
    'SELECT facts, changed_at FROM queue.event_facts WHERE closes_at > $1 ORDER BY closes_at LIMIT $2',
    [new Date(nowMs), limit],
  );
  return pageOf(rows);
}

/**
 * What changed lately. A change gets its time before it is committed, so a reader that asked only for later ones would
 * miss it: callers look back further than a transaction can take, and the version tells what they have already.
 */
export async function factsChangedSince(on: Queryable, since: Date): Promise<FactsPage> {
  const { rows } = await on.query<FactsRow>('SELECT facts, changed_at FROM queue.event_facts WHERE changed_at > $1', [
    since,
  ]);
  return pageOf(rows);
}

interface FactsRow {
  facts: EventFacts;
  changed_at: Date;
}

function pageOf(rows: readonly FactsRow[]): FactsPage {
  const latest = rows.reduce((max, row) => Math.max(max, row.changed_at.getTime()), 0);
  return { facts: rows.map(({ facts }) => facts), changedAt: latest === 0 ? null : new Date(latest) };
}
