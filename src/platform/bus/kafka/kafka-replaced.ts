import type { Queryable } from '#platform/postgres/database.ts';
import type { LaneName } from '../outbox.ts';

type Statements = Pick<Queryable, 'query'>;

/** Rows that one statement looks at. */
const pieceRows = 20_000;

export async function topicIdOf(on: Statements, { topic, partition }: LaneName): Promise<string | null> {
  const { rows } = await on.query<{ topic_id: string | null }>(
    'SELECT topic_id FROM urr.bus_lanes WHERE topic = $1 AND partition = $2',
    [topic, partition],
  );
  return rows[0]?.topic_id ?? null;
}

export async function rememberTopicId(on: Statements, { topic, partition }: LaneName, id: string): Promise<void> {
  await on.query('UPDATE urr.bus_lanes SET topic_id = $3 WHERE topic = $1 AND partition = $2', [topic, partition, id]);
}

/**
 * The topic was deleted and made again, and what was in it is gone. Everything of this lane that the outbox still has is
 * to be sent once more, in order; inboxes know what had its effect. The new id is remembered last: after a crash
 * in between all of it is done again. Says whether it came to its end.
 */
export async function resendLane(
  on: Statements,
  lane: LaneName,
  { id, signal }: { id: string; signal: AbortSignal },
): Promise<boolean> {
  let after: number | null = 0;
  while (after !== null) {
    if (signal.aborted) return false;
    const { rows }: { rows: { next: number | null }[] } = await on.query<{ next: number | null }>(
      'SELECT urr.unpublish_lane($1, $2, $3, $4) AS next',
      [lane.topic, lane.partition, after, pieceRows],
    );
    after = rows[0]?.next ?? null;
  }
  await rememberTopicId(on, lane, id);
  return true;
}
