import { platformErrors } from '#platform/errors.ts';
import type { Database } from '#platform/postgres/database.ts';
import { clearInbox } from '../inbox.ts';
import type { ConsumerName } from '../options.ts';
import type { PartitionLag } from '../port.ts';
import { lockClassOf } from '../shares.ts';
import { claimName } from './embedded-consumer.ts';

/** An earlier version kept its place in the dead-letter topics by the offsets of this group. */
const replayGroup = 'urr-replay';

export async function embeddedLag(database: Database): Promise<PartitionLag[]> {
  const { rows } = await database.query<PartitionLag>(
    `SELECT o.topic, o.consumer_group AS "group", o.partition, o.next_offset AS committed, coalesce(h.next_offset, 0) AS "end",
       greatest(coalesce(h.next_offset, 0) - o.next_offset, 0) AS lag
     FROM urr.bus_offsets AS o LEFT JOIN urr.bus_heads AS h USING (topic, partition)
     WHERE o.consumer_group <> $1 ORDER BY o.topic, o.consumer_group, o.partition`,
    [replayGroup],
  );
  return rows;
}

export async function replayEmbeddedFromBeginning(
  database: Database,
  { topic, group, partitions }: ConsumerName & { partitions: number },
): Promise<void> {
  await database.transaction(async (tx) => {
    const { rows } = await tx.query<{ free: boolean }>(
      'SELECT bool_and(pg_try_advisory_xact_lock($1, partition)) AS free FROM generate_series(0, $2 - 1) AS partition',
      [lockClassOf(claimName({ topic, group })), partitions],
    );
    if (rows[0]?.free !== true) {
      throw platformErrors.fault('CONFLICT', {
        detail: `The group ${group} is consuming ${topic}. Stop its consumers first.`,
      });
    }
    await tx.query('UPDATE urr.bus_offsets SET next_offset = 0 WHERE consumer_group = $1 AND topic = $2', [
      group,
      topic,
    ]);
    await clearInbox(tx, { topic, group });
  });
}
