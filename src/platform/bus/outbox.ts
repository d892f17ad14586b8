import type { Database, Queryable } from '../postgres/database.ts';
import type { Headers, OutgoingMessage } from './message.ts';

const rowsPerStatementMax = 1_000;
/** Published rows are kept a while for people who look into an incident. */
const keepPublished = '1 hour';
const pruneBatch = 5_000;
/** One call of urr.find_lanes finds at least one lane of those that are new. */
const findRoundsMax = 1_000;
const pruneBatchesMax = 100;

type Statements = Pick<Queryable, 'query'>;

export interface OutboxRow {
  readonly id: number;
  readonly topic: string;
  readonly partition: number;
  readonly key: string;
  readonly value: string;
  /** Sent instead of the value, where it is not null. */
  readonly raw: Buffer | null;
  readonly headers: Headers | null;
  readonly bytes: number;
  /** An older row of its key is parked: this one must wait. */
  readonly held: boolean;
}

/** One statement for all of them; ids are drawn in the order given. */
export async function appendToOutbox(on: Queryable, messages: readonly OutgoingMessage[]): Promise<void> {
  for (let start = 0; start < messages.length; start += rowsPerStatementMax) {
    const rows = messages.slice(start, start + rowsPerStatementMax);
    await on.query(
      `INSERT INTO urr.outbox (topic, partition, key, event_id, type, envelope, headers, raw, bytes)
       SELECT topic, partition, key, event_id, type, envelope::json, headers::json, raw,
         coalesce(octet_length(raw), octet_length(envelope))
       FROM unnest($1::text[], $2::integer[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::bytea[])
         WITH ORDINALITY AS row (topic, partition, key, event_id, type, envelope, headers, raw, place)
       ORDER BY place`,
      [
        rows.map((row) => row.topic),
        rows.map((row) => row.partition),
        rows.map((row) => row.key),
        rows.map((row) => row.eventId),
        rows.map((row) => row.type),
        rows.map((row) => row.value),
        rows.map((row) => (row.headers === null ? null : JSON.stringify(row.headers))),
        rows.map((row) => row.raw ?? null),
      ],
      { prepare: true },
    );
  }
}

/** One topic's one partition: what is sent in order, and what backs off alone. */
export interface LaneName {
  readonly topic: string;
  readonly partition: number;
}

export interface Lane extends LaneName {
  /** Kafka's id of the topic when it was last sent to; null before that. */
  readonly topicId: string | null;
}

export function laneKey({ topic, partition }: LaneName): string {
  return `${topic} ${partition}`;
}

/** Every lane that has or had rows, those included that nobody knew until now. */
export async function findLanes(on: Statements): Promise<Lane[]> {
  for (let round = 0; round < findRoundsMax; round++) {
    if ((await on.query('SELECT FROM urr.find_lanes()')).rowCount === 0) break;
  }
  const { rows } = await on.query<Lane>('SELECT topic, partition, topic_id AS "topicId" FROM urr.bus_lanes');
  return rows;
}

/**
 * The oldest rows of these lanes that are left to relay, of each up to `rowsMax` and no further than the row that fills
 * `bytesMax`: an outbox full of large events must not be loaded into memory at once. Never "everything after the last id seen": an
 * id is drawn before its transaction commits, so a lower one can appear later, and a cursor would have passed it for ever.
 * A lane's floor is no such cursor: it is raised only over ids whose transactions have all ended.
 */
export async function readLanes(
  on: Statements,
  lanes: readonly LaneName[],
  limits: { rowsMax: number; bytesMax: number },
): Promise<OutboxRow[]> {
  if (lanes.length === 0) return [];
  const { rows } = await on.query<OutboxRow>(
    `SELECT o.id, o.topic, o.partition, o.key, o.envelope::text AS value, o.raw, o.headers, o.bytes,
       coalesce(o.id > held.after_id, false) AS held
     FROM unnest($1::text[], $2::integer[]) AS wanted (topic, partition)
     JOIN urr.bus_lanes AS lane USING (topic, partition)
     CROSS JOIN LATERAL (
       SELECT *, sum(bytes) OVER (ORDER BY id) - bytes AS before FROM (
         SELECT id, topic, partition, key, envelope, raw, headers, coalesce(bytes, urr.guess_bytes(envelope)) AS bytes
         FROM urr.outbox
         WHERE outbox.topic = wanted.topic AND outbox.partition = wanted.partition AND id > lane.floor
           AND published_at IS NULL AND parked_at IS NULL
         ORDER BY id LIMIT $3
       ) AS oldest) AS o
     LEFT JOIN urr.bus_held_keys AS held ON held.topic = o.topic AND held.partition = o.partition AND held.key = o.key
     WHERE o.before < $4 ORDER BY o.id`,
    [lanes.map((lane) => lane.topic), lanes.map((lane) => lane.partition), limits.rowsMax, limits.bytesMax],
  );
  return rows;
}

export async function markPublished(on: Statements, ids: readonly number[]): Promise<void> {
  await on.query('UPDATE urr.outbox SET published_at = urr.now() WHERE id = ANY ($1::bigint[])', [ids]);
}

/** What is left to relay. Rows that were set aside are counted apart. */
export async function outboxBacklog(on: Queryable): Promise<{ rows: number; oldestMs: number }> {
  const { rows } = await on.query<{ rows: number; oldest_ms: number }>(
    `SELECT count(*) AS rows, coalesce(extract(epoch FROM urr.now() - min(created_at)) * 1000, 0)::float8 AS oldest_ms
     FROM urr.outbox WHERE published_at IS NULL AND parked_at IS NULL`,
  );
  const [found] = rows;
  return { rows: found?.rows ?? 0, oldestMs: Math.max(0, Math.round(found?.oldest_ms ?? 0)) };
}

/**
 * The lowest ids are the oldest rows, so the primary key leads to them and no further index is paid for on every insert.
 * Rows that wait in between are stepped over, however many; `after` says where an earlier call came to its limit.
 */
export async function pruneOutbox(database: Database, after = 0): Promise<{ pruned: number; next: number }> {
  let pruned = 0;
  let next = after;
  for (let batch = 0; batch < pruneBatchesMax; batch++) {
    const { rows } = await database.query<{ pruned: number; last: number | null; young: boolean | null }>(
      `WITH piece AS MATERIALIZED (
         SELECT id, created_at, published_at FROM urr.outbox WHERE id > $1 ORDER BY id LIMIT $2
       ), pruned AS (
         DELETE FROM urr.outbox
         WHERE id = ANY (ARRAY(SELECT id FROM piece WHERE published_at < urr.now() - $3::interval)) RETURNING 1
       )
       SELECT (SELECT count(*) FROM pruned) AS pruned, max(id) AS last,
         max(created_at) >= urr.now() - $3::interval AS young FROM piece`,
      [next, pruneBatch, keepPublished],
    );
    const [piece] = rows;
    pruned += piece?.pruned ?? 0;
    // Nothing that was written within the hour can have been published an hour ago; later rows are younger still.
    if (piece === undefined || piece.last === null || piece.young === true) return { pruned, next: 0 };
    next = piece.last;
  }
  return { pruned, next };
}
