import type { Database, Queryable } from '#platform/postgres/database.ts';
import type { Headers, Message } from '../message.ts';
import type { LogTopic } from '../upkeep.ts';

/** The channel on which urr.relay_lanes_to_log tells of a topic that has grown. */
export const logChannel = 'urr_bus_log';
const pruneBatch = 5_000;
const pruneBatchesMax = 20;

export interface GroupPartition {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
}

export interface Appended {
  readonly topic: string;
  readonly partition: number;
  readonly appended: number;
  readonly bytes: number;
}

export async function relayToLog(
  on: Pick<Queryable, 'query'>,
  partitions: readonly number[],
  limits: { rowsMax: number; bytesMax: number },
): Promise<Appended[]> {
  const { rows } = await on.query<Appended>(
    'SELECT topic, partition, appended, bytes FROM urr.relay_lanes_to_log($1::integer[], $2, $3)',
    [partitions, limits.rowsMax, limits.bytesMax],
  );
  return rows;
}

/**
 * What follows in a partition, up to `rowsMax` messages and no further than the one that fills `bytesMax`. The lengths are
 * summed from their own column: a large message that is not taken is not read either.
 */
export async function readLog(
  on: Queryable,
  from: { topic: string; partition: number; offset: number },
  limits: { rowsMax: number; bytesMax: number },
): Promise<Message[]> {
  const { rows } = await on.query<{ log_offset: number; key: string; value: string; headers: Headers | null }>(
    `SELECT log_offset, key, envelope::text AS value, headers FROM (
       SELECT *, sum(size) OVER (ORDER BY log_offset) - size AS before FROM (
         SELECT log_offset, key, envelope, headers, coalesce(bytes, urr.guess_bytes(envelope)) AS size FROM urr.bus_log
         WHERE topic = $1 AND partition = $2 AND log_offset >= $3 ORDER BY log_offset LIMIT $4
       ) AS oldest) AS counted
     WHERE before < $5 ORDER BY log_offset`,
    [from.topic, from.partition, from.offset, limits.rowsMax, limits.bytesMax],
  );
  return rows.map((row) => ({
    topic: from.topic,
    partition: from.partition,
    offset: row.log_offset,
    key: row.key,
    value: row.value,
    headers: row.headers ?? {},
  }));
}

/** How many partitions each topic has in the log. A newer version of the program may have written to more than are declared here. */
export async function countPartitions(on: Pick<Queryable, 'query'>): Promise<Map<string, number>> {
  const { rows } = await on.query<{ topic: string; partitions: number }>(
    'SELECT topic, max(partition) + 1 AS partitions FROM urr.bus_heads GROUP BY topic',
  );
  return new Map(rows.map(({ topic, partitions }) => [topic, partitions]));
}

/** Where the group stands. A new group starts at the earliest message. */
export async function loadOffset(on: Queryable, { group, topic, partition }: GroupPartition): Promise<number> {
  const { rows } = await on.query<{ next_offset: number }>(
    `WITH made AS (
       INSERT INTO urr.bus_offsets (consumer_group, topic, partition, next_offset) VALUES ($1, $2, $3, 0)
       ON CONFLICT DO NOTHING RETURNING next_offset)
     SELECT next_offset FROM made
     UNION ALL
     SELECT next_offset FROM urr.bus_offsets WHERE consumer_group = $1 AND topic = $2 AND partition = $3`,
    [group, topic, partition],
  );
  return rows[0]?.next_offset ?? 0;
}

/** Moves the group on if it still stands where the caller believes; says whether it did. */
export async function moveOffset(
  on: Queryable,
  { group, topic, partition }: GroupPartition,
  move: { from: number; to: number },
): Promise<boolean> {
  const { rowCount } = await on.query(
    `UPDATE urr.bus_offsets SET next_offset = $5
     WHERE consumer_group = $1 AND topic = $2 AND partition = $3 AND next_offset = $4`,
    [group, topic, partition, move.from, move.to],
  );
  return rowCount === 1;
}

/**
 * Offsets are in the order of time, so what is past its retention is a prefix of the partition. The partitions are those
 * that the log has: fewer may be declared now.
 */
export async function pruneLog(database: Database, topic: LogTopic): Promise<number> {
  if (topic.retention === 'forever') return 0;
  const { rows } = await database.query<{ partition: number }>(
    'SELECT partition FROM urr.bus_heads WHERE topic = $1 ORDER BY partition',
    [topic.name],
  );
  let pruned = 0;
  for (const { partition } of rows) {
    for (let batch = 0; batch < pruneBatchesMax; batch++) {
      const { rowCount } = await database.query(
        `DELETE FROM urr.bus_log WHERE topic = $1 AND partition = $2 AND log_offset IN (
           SELECT log_offset FROM (
             SELECT log_offset, appended_at FROM urr.bus_log WHERE topic = $1 AND partition = $2 ORDER BY log_offset LIMIT $4
           ) AS oldest WHERE appended_at < urr.now() - $3 * interval '1 hour')`,
        [topic.name, partition, topic.retention.hours, pruneBatch],
      );
      pruned += rowCount;
      if (rowCount < pruneBatch) break;
    }
  }
  return pruned;
}
