import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from './database.ts';

const lookEveryMs = 250;
const queryLengthMax = 200;

interface Blocker {
  readonly pid: number;
  readonly application: string | null;
  readonly state: string | null;
  readonly since: string | null;
  readonly query: string | null;
}

/**
 * Runs the work on a session with this pid, and says in words who kept it waiting for a lock. The others are looked for
 * while it waits: when the server has ended the wait it no longer knows whom it was for.
 */
export async function withBlockers<Result>(
  database: Pick<Database, 'query'>,
  pid: number,
  work: (blockers: () => string) => Promise<Result>,
): Promise<Result> {
  const over = new AbortController();
  let seen: readonly Blocker[] = [];
  const looking = (async () => {
    while (!over.signal.aborted) {
      const found = await blockersOf(database, pid).catch(() => []);
      if (found.length > 0) seen = found;
      await delay(lookEveryMs, undefined, { signal: over.signal }).catch(() => undefined);
    }
  })();
  try {
    return await work(() => inWords(seen));
  } finally {
    over.abort();
    await looking;
  }
}

async function blockersOf(database: Pick<Database, 'query'>, pid: number): Promise<Blocker[]> {
  const { rows } = await database.query<Blocker>(
    `SELECT pid, application_name AS application, state, query,
       date_trunc('second', coalesce(xact_start, backend_start))::text AS since
     FROM pg_stat_activity WHERE pid = ANY (pg_blocking_pids($1)) ORDER BY xact_start`,
    [pid],
  );
  return rows;
}

function inWords(blockers: readonly Blocker[]): string {
  if (blockers.length === 0) return 'PostgreSQL did not say who holds it.';
  return blockers
    .map(({ pid, application, state, since, query }) => {
      // It comes from elsewhere and is shown on a terminal.
      const text = (query ?? '')
        .replaceAll(/[\p{C}\s]+/gu, ' ')
        .trim()
        .slice(0, queryLengthMax);
      return `It is held by the session with pid ${pid} (${application || 'no name'}, ${state ?? 'unknown'}, since ${since ?? 'an unknown time'}): ${text}.`;
    })
    .join(' ');
}
