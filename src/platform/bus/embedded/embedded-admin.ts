import { platformErrors } from '#platform/errors.ts';
import type { Database, Transaction } from '#platform/postgres/database.ts';
import { replayTarget } from '../dead-letter.ts';
import { clearInbox } from '../inbox.ts';
import { identityOf, type OutgoingMessage } from '../message.ts';
import type { ConsumerName } from '../options.ts';
import { appendToOutbox } from '../outbox.ts';
import type { PartitionLag } from '../port.ts';
import { lockClassOf } from '../shares.ts';
import { claimName } from './embedded-consumer.ts';
import { loadOffset, moveOffset, readLog } from './embedded-log.ts';

/** The offsets of this group say which dead letters have been replayed already. */
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

/** Reading, sending again and remembering are one transaction: a letter is replayed once. Returns the partitions of what was sent. */
export async function replayEmbeddedDeadLetters(
  database: Database,
  options: { topic: string; limit: number },
): Promise<number[]> {
  return database.transaction(async (tx) => {
    const { rows } = await tx.query<{ partition: number }>(
      'SELECT partition FROM urr.bus_heads WHERE topic = $1 ORDER BY partition',
      [options.topic],
    );
    const replayed: OutgoingMessage[] = [];
    for (const { partition } of rows) {
      replayed.push(
        ...(await takeLetters(tx, { topic: options.topic, partition, limit: options.limit - replayed.length })),
      );
    }
    await appendToOutbox(tx, replayed);
    return replayed.map((message) => message.partition);
  });
}

async function takeLetters(
  tx: Transaction,
  { topic, partition, limit }: { topic: string; partition: number; limit: number },
): Promise<OutgoingMessage[]> {
  if (limit <= 0) return [];
  const at = { group: replayGroup, topic, partition };
  const from = await loadOffset(tx, at);
  const letters = await readLog(tx, { topic, partition, offset: from }, limit);
  const last = letters.at(-1);
  if (last === undefined) return [];
  if (!(await moveOffset(tx, at, { from, to: last.offset + 1 }))) {
    throw platformErrors.fault('CONFLICT', { detail: `Somebody else is replaying ${topic}.` });
  }
  return letters.flatMap((letter): OutgoingMessage[] => {
    const target = replayTarget(letter.headers);
    if (target === null) return [];
    return [{ ...target, key: letter.key, value: letter.value, ...identityOf(letter.value) }];
  });
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
