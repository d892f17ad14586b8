import type { Database, Queryable } from '../postgres/database.ts';
import type { OutboxRow } from './outbox.ts';
import type { RefusedRow, ReleasedRow } from './port.ts';

type Statements = Pick<Queryable, 'query'>;

/** Rows that one statement lets go. The lane is locked meanwhile, and the relay of all topics may wait for it. */
const pieceRows = 1_000;

/** The broker refuses this row for good. It waits for a person, and later rows of its key wait behind it. */
export async function markRefused(on: Statements, row: OutboxRow, reason: string): Promise<void> {
  await on.query('SELECT urr.park_outbox_row($1, $2)', [row.id, reason]);
}

/** These rows have a refused row of their key before them. Set aside, they are not read again at every turn. */
export async function holdBehind(on: Statements, rows: readonly OutboxRow[]): Promise<void> {
  if (rows.length === 0) return;
  await on.query('SELECT urr.park_outbox_rows_behind($1::bigint[])', [rows.map((row) => row.id)]);
}

/** The rows that a broker refused, oldest first, each with the number of those that wait behind it. */
export async function listRefused(
  database: Database,
  { topic = null, afterId = 0, limit }: { topic?: string | null; afterId?: number; limit: number },
): Promise<RefusedRow[]> {
  const { rows } = await database.query<RefusedRow>(
    `SELECT o.id, o.topic, o.partition, o.key, o.type,
       coalesce(o.bytes, octet_length(o.envelope::text)) AS bytes, o.parked_reason AS reason,
       (extract(epoch FROM urr.now() - o.parked_at) * 1000)::float8 AS "ageMs", behind.count AS behind
     FROM urr.outbox AS o CROSS JOIN LATERAL (
       SELECT count(*) FROM urr.outbox AS b WHERE b.topic = o.topic AND b.partition = o.partition AND b.key = o.key
         AND b.parked_at IS NOT NULL AND b.parked_reason IS NULL) AS behind
     WHERE o.parked_at IS NOT NULL AND o.parked_reason IS NOT NULL AND o.id > $2 AND ($3::text IS NULL OR o.topic = $3)
     ORDER BY o.id LIMIT $1`,
    [limit, afterId, topic],
  );
  return rows;
}

/** Those behind included. */
export async function countRefused(database: Database): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    'SELECT count(*) FROM urr.outbox WHERE parked_at IS NOT NULL',
  );
  return rows[0]?.count ?? 0;
}

/**
 * Lets a refused row be tried again, or drops it; the rows behind it go on, those that are many in pieces, by the relays.
 * `null`: no refused row has this id.
 */
export async function releaseRefused(
  on: Statements,
  { id, drop }: { id: number; drop: boolean },
): Promise<ReleasedRow | null> {
  // Counted apart: the lane is not locked for as long as that takes.
  const { rows: counted } = await on.query<{ behind: number }>(
    `SELECT count(*) AS behind FROM urr.outbox AS o JOIN urr.outbox AS b USING (topic, partition, key)
     WHERE o.id = $1 AND b.parked_at IS NOT NULL AND b.parked_reason IS NULL`,
    [id],
  );
  const { rows } = await on.query<Omit<ReleasedRow, 'behind'>>(
    'SELECT topic, partition, key, envelope::text AS envelope FROM urr.release_outbox_row($1, $2, $3)',
    [id, drop, pieceRows],
  );
  const [row] = rows;
  return row === undefined ? null : { ...row, behind: counted[0]?.behind ?? 0 };
}

/** The next piece of rows that waited behind one which is no longer refused. Says whether there may be more. */
export async function letRowsBehindGo(on: Statements, partitions: readonly number[]): Promise<boolean> {
  const { rows } = await on.query<{ more: boolean }>('SELECT urr.let_rows_behind_go($1::integer[], $2) AS more', [
    partitions,
    pieceRows,
  ]);
  return rows[0]?.more ?? false;
}

/** Everything about one row that the broker refuses. `null`: no such row has this id. */
export async function readRefused(on: Statements, id: number): Promise<Record<string, unknown> | null> {
  const { rows } = await on.query(
    `SELECT id, topic, partition, key, type, event_id AS "eventId", created_at AS "createdAt", parked_at AS "refusedAt",
       parked_reason AS reason, headers, envelope::text AS message
     FROM urr.outbox WHERE id = $1 AND parked_reason IS NOT NULL`,
    [id],
  );
  return rows[0] ?? null;
}
