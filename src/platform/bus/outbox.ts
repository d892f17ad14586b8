import type { Database, Queryable } from '../postgres/database.ts';
import type { Headers, OutgoingMessage } from './message.ts';

const rowsPerStatementMax = 1_000;
/** Published rows are kept a while for people who look into an incident. */
const keepPublished = '1 hour';
const pruneBatch = 5_000;
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
}

/** One statement for all of them; ids are drawn in the order given. */
export async function appendToOutbox(on: Queryable, messages: readonly OutgoingMessage[]): Promise<void> {
  for (let start = 0; start < messages.length; start += rowsPerStatementMax) {
    const rows = messages.slice(start, start + rowsPerStatementMax);
    await on.query(
      `INSERT INTO urr.outbox (topic, partition, key, event_id, type, envelope, headers, raw)
       SELECT topic, partition, key, event_id, type, envelope::json, headers::json, raw
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
    );
  }
}

/**
 * The oldest unpublished rows of these partitions, of each up to `rowsMax` and no further than the row that fills
 * `bytesMax`: an outbox full of large events must not be loaded into memory at once. Never "everything after the last id seen": an
 * id is drawn before its transaction commits, so a lower one can appear later, and a cursor would have passed it for ever.
 */
export async function readUnpublished(
  on: Statements,
  partitions: readonly number[],
  limits: { rowsMax: number; bytesMax: number },
): Promise<OutboxRow[]> {
  const { rows } = await on.query<OutboxRow>(
    `SELECT o.id, o.topic, o.partition, o.key, o.value, o.raw, o.headers
     FROM unnest($1::integer[]) AS wanted (partition) CROSS JOIN LATERAL (
       SELECT *, sum(length) OVER (ORDER BY id) - length AS before FROM (
         SELECT id, topic, partition, key, envelope::text AS value, raw, headers,
           coalesce(octet_length(raw), length(envelope::text)) AS length
         FROM urr.outbox WHERE outbox.partition = wanted.partition AND published_at IS NULL ORDER BY id LIMIT $2
       ) AS oldest ORDER BY id) AS o
     WHERE o.before < $3`,
    [partitions, limits.rowsMax, limits.bytesMax],
  );
  return rows;
}

export async function markPublished(on: Statements, ids: readonly number[]): Promise<void> {
  await on.query('UPDATE urr.outbox SET published_at = urr.now() WHERE id = ANY ($1::bigint[])', [ids]);
}

export async function outboxBacklog(on: Queryable): Promise<{ rows: number; oldestMs: number }> {
  const { rows } = await on.query<{ rows: number; oldest_ms: number }>(
    `SELECT count(*) AS rows, coalesce(extract(epoch FROM urr.now() - min(created_at)) * 1000, 0)::float8 AS oldest_ms
     FROM urr.outbox WHERE published_at IS NULL`,
  );
  const [found] = rows;
  return { rows: found?.rows ?? 0, oldestMs: Math.max(0, Math.round(found?.oldest_ms ?? 0)) };
}

/** The lowest ids are the oldest rows, so the primary key leads to them and no further index is paid for on every insert. */
export async function pruneOutbox(database: Database): Promise<number> {
  let pruned = 0;
  for (let batch = 0; batch < pruneBatchesMax; batch++) {
    const { rowCount } = await database.query(
      `DELETE FROM urr.outbox WHERE id IN (
         SELECT id FROM (SELECT id, published_at FROM urr.outbox ORDER BY id LIMIT $1) AS oldest
         WHERE published_at < urr.now() - $2::interval)`,
      [pruneBatch, keepPublished],
    );
    pruned += rowCount;
    if (rowCount < pruneBatch) break;
  }
  return pruned;
}
