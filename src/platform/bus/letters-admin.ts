import { platformErrors } from '../errors.ts';
import type { Database } from '../postgres/database.ts';
import type { ConsumerName } from './options.ts';
import type { BusLetters, Letter, LetterCount, WholeLetter } from './port.ts';

/** Letters that are marked as due, or dropped, in one statement. */
const markMax = 1_000;

/** What a person can do with letters. The consumers that run do the work. */
export function createLettersAdmin(database: Database): BusLetters {
  return {
    async letters({ topic = null, group = null, limit }) {
      const { rows } = await database.query<Letter>(
        `SELECT ${columns()}
         FROM urr.bus_letters
         WHERE ($1::text IS NULL OR topic = $1 OR dead_letter = $1) AND ($2::text IS NULL OR consumer_group = $2)
         ORDER BY id LIMIT $3`,
        [topic, group, limit],
      );
      return rows;
    },

    letterCounts: () => countLetters(database),

    async letter(id) {
      const { rows } = await database.query<Omit<WholeLetter, 'message'> & { value: Buffer }>(
        `SELECT ${columns()}, partition, log_offset AS "offset", headers, value FROM urr.bus_letters WHERE id = $1`,
        [id],
      );
      const [found] = rows;
      if (found === undefined) return null;
      const { value, ...letter } = found;
      return { ...letter, message: value.toString() };
    },

    async replayDeadLetter({ topic, limit, onProgress }) {
      let marked = 0;
      let after = 0;
      while (marked < limit) {
        const { rows } = await database.query<{ id: number }>(
          `UPDATE urr.bus_letters SET due_at = urr.now() WHERE id IN (
             SELECT id FROM urr.bus_letters
             WHERE dead_letter = $1 AND id > $2 AND NOT behind AND (due_at IS NULL OR due_at > urr.now())
             ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED)
           RETURNING id`,
          [topic, after, Math.min(markMax, limit - marked)],
        );
        if (rows.length === 0) break;
        marked += rows.length;
        after = Math.max(...rows.map(({ id }) => id));
        onProgress?.(marked);
      }
      return marked;
    },

    async replayProgress({ topic, sinceMs }) {
      const { rows } = await database.query<{ due: number; failed: number }>(
        `SELECT count(*) FILTER (WHERE due_at <= urr.now()) AS due, count(*) FILTER (WHERE failed_at >= urr.now() - $2 * interval '1 millisecond') AS failed
         FROM urr.bus_letters WHERE dead_letter = $1 AND NOT behind`,
        [topic, sinceMs],
      );
      return { due: rows[0]?.due ?? 0, failedAgain: rows[0]?.failed ?? 0 };
    },

    async dropLetter(id) {
      return database.transaction(async (tx) => {
        const { rows } = await tx.query<{ consumer_group: string; topic: string; event_id: string | null }>(
          'DELETE FROM urr.bus_letters WHERE id = $1 RETURNING consumer_group, topic, event_id',
          [id],
        );
        const [dropped] = rows;
        if (dropped === undefined) return false;
        // Delivered again it would be a letter again, or have its effect after all.
        if (dropped.event_id !== null)
          await tx.query(
            'INSERT INTO urr.inbox (consumer_group, topic, event_id, dropped_at) VALUES ($1, $2, $3, urr.now()) ON CONFLICT DO NOTHING',
            [dropped.consumer_group, dropped.topic, dropped.event_id],
          );
        return true;
      });
    },

    async dropLetters({ deadLetter, limit }) {
      const { rows: clock } = await database.query<{ now: string }>('SELECT urr.now()::text AS now');
      let dropped = 0;
      while (dropped < limit) {
        const { rows } = await database.query<{ count: number }>(
          `WITH dropped AS (
             DELETE FROM urr.bus_letters WHERE id IN (
               SELECT id FROM urr.bus_letters
               WHERE dead_letter = $1 AND NOT behind AND coalesce(failed_at, created_at) <= $2::timestamptz
               ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED)
             RETURNING consumer_group, topic, event_id
           ), noted AS (
             INSERT INTO urr.inbox (consumer_group, topic, event_id, dropped_at)
             SELECT consumer_group, topic, event_id, urr.now() FROM dropped WHERE event_id IS NOT NULL ON CONFLICT DO NOTHING
           )
           SELECT count(*) AS count FROM dropped`,
          [deadLetter, clock[0]?.now, Math.min(markMax, limit - dropped)],
        );
        const count = rows[0]?.count ?? 0;
        if (count === 0) break;
        dropped += count;
      }
      return dropped;
    },
  };
}

/**
 * Messages that come again from the beginning would land behind a letter of their key, though they are older. That the
 * letters were written under `pass` does not help: the group may park keys by now.
 */
export async function refuseWhileLettersWait(database: Database, { topic, group }: ConsumerName): Promise<void> {
  const { rows } = await database.query<{ count: number }>(
    'SELECT count(*) AS count FROM urr.bus_letters WHERE consumer_group = $1 AND topic = $2',
    [group, topic],
  );
  const count = rows[0]?.count ?? 0;
  if (count > 0)
    throw platformErrors.fault('CONFLICT', {
      detail: `${group} has ${count} letters of ${topic}. Replay or drop them first.`,
    });
}

const stateOf = `CASE WHEN behind THEN 'behind' WHEN due_at IS NULL THEN 'waiting-for-a-person' ELSE 'retrying' END`;

function columns(): string {
  return `id, topic, consumer_group AS "group", dead_letter AS "deadLetter", key, event_id AS "eventId", type, attempts, reason,
    (${stateOf}) AS state, (extract(epoch FROM urr.now() - created_at) * 1000)::float8 AS "ageMs",
    (extract(epoch FROM due_at - urr.now()) * 1000)::float8 AS "dueInMs"`;
}

async function countLetters(database: Database): Promise<LetterCount[]> {
  const { rows } = await database.query<LetterCount>(
    `SELECT topic, consumer_group AS "group", ${stateOf} AS state, count(*) AS count
     FROM urr.bus_letters GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
  );
  return rows;
}
