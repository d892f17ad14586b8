import type { Database, Queryable, Transaction } from '../postgres/database.ts';
import type { ConsumerName } from './options.ts';
import type { Envelope, TopicDefinition } from './port.ts';

const pruneBatch = 5_000;
const pruneBatchesMax = 20;
const keepAtLeastMs = 7 * 24 * 3_600_000;

/**
 * Records the events for this group and returns those that were not there yet. In the transaction of the effect: either
 * both happened or neither. Two consumers with the same event meet at the primary key, and the second waits for the first.
 */
export async function claimInInbox(
  tx: Transaction,
  { group, topic }: ConsumerName,
  events: readonly Envelope[],
): Promise<Envelope[]> {
  if (events.length === 0) return [];
  const { rows } = await tx.query<{ event_id: string }>(
    `INSERT INTO urr.inbox (consumer_group, topic, event_id)
     SELECT $1, $2, event_id FROM unnest($3::uuid[]) AS event_id
     ON CONFLICT DO NOTHING RETURNING event_id`,
    [group, topic, events.map((event) => event.id)],
    { prepare: true },
  );
  const fresh = new Set(rows.map((row) => row.event_id));
  // An event that is twice in one batch is handed over once.
  return events.filter((event) => fresh.delete(event.id));
}

/**
 * Forgets what can no longer come again. A message comes again as long as its topic keeps it (a group's offsets can be
 * lost or expire, and the group then starts at the earliest), so rows of topics kept for ever are kept for ever too.
 * For the others a week beyond the retention covers a relay that was down with messages sent but not marked.
 * Returns how many rows went.
 */
export async function pruneInbox(database: Database, group: string, topic: TopicDefinition): Promise<number> {
  if (topic.retention === 'forever') return 0;
  const keepMs = topic.retention.hours * 3_600_000 + keepAtLeastMs;
  let pruned = 0;
  for (let batch = 0; batch < pruneBatchesMax; batch++) {
    // The primary key leads to the oldest rows because ids are UUIDv7; the time of the effect decides.
    const { rowCount } = await database.query(
      `DELETE FROM urr.inbox WHERE (consumer_group, topic, event_id) IN (
         SELECT consumer_group, topic, event_id FROM (
           SELECT * FROM urr.inbox WHERE consumer_group = $1 AND topic = $2 ORDER BY event_id LIMIT $4
         ) AS oldest WHERE processed_at < urr.now() - $3 * interval '1 millisecond')`,
      [group, topic.name, keepMs, pruneBatch],
    );
    pruned += rowCount;
    if (rowCount < pruneBatch) break;
  }
  return pruned;
}

/**
 * For a group that is to have all its effects again, but for those of events that a person dropped: that was for good, and
 * money may have been booked by hand instead. In batches, so that no statement runs into its time limit.
 */
export async function clearInbox(on: Queryable, { group, topic }: ConsumerName): Promise<void> {
  for (;;) {
    const { rowCount } = await on.query(
      `DELETE FROM urr.inbox WHERE (consumer_group, topic, event_id) IN (
         SELECT consumer_group, topic, event_id FROM urr.inbox
         WHERE consumer_group = $1 AND topic = $2 AND dropped_at IS NULL LIMIT $3)`,
      [group, topic, pruneBatch],
    );
    if (rowCount < pruneBatch) return;
  }
}
