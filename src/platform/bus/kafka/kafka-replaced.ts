import type { Queryable } from '#platform/postgres/database.ts';
import type { LaneName } from '../outbox.ts';

type Statements = Pick<Queryable, 'query'>;

/** Rows that one statement looks at. */
const pieceRows = 20_000;

/**
 * Before a lane is sent to for the first time. Returns the id that is remembered: another one when the topic was replaced
 * in between, which the caller, who read the lane a moment ago, cannot know.
 */
export async function rememberFirstTopicId(
  on: Statements,
  { topic, partition }: LaneName,
  id: string,
): Promise<string> {
  const { rows } = await on.query<{ topic_id: string }>(
    `UPDATE urr.bus_lanes SET topic_id = coalesce(topic_id, $3) WHERE topic = $1 AND partition = $2 RETURNING topic_id`,
    [topic, partition, id],
  );
  return rows[0]?.topic_id ?? id;
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
  const { topic, partition } = lane;
  await on.query('UPDATE urr.bus_lanes SET topic_id = $3 WHERE topic = $1 AND partition = $2', [topic, partition, id]);
  return true;
}
