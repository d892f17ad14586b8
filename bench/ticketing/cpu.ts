import { readdirSync, readFileSync } from 'node:fs';
import type { Database } from '#platform/postgres/database.ts';

const ticksPerSecond = 100;

/** User and system time, from `/proc`. 0: there is no such process any more. */
export function cpuSecondsOf(pid: number): number {
  return statOf(pid)?.cpuSeconds ?? 0;
}

/** Of the server and all its processes. */
export function createServerCpu(database: Database): () => Promise<number> {
  return async () => {
    const { rows } = await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const server = statOf(rows[0]?.pid ?? 0)?.parent;
    if (server === undefined) throw new Error('the database runs elsewhere');
    let seconds = cpuSecondsOf(server);
    for (const entry of readdirSync('/proc')) {
      const stat = /^\d+$/.test(entry) ? statOf(Number(entry)) : null;
      if (stat?.parent === server) seconds += stat.cpuSeconds;
    }
    return seconds;
  };
}

function statOf(pid: number): { parent: number; cpuSeconds: number } | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The name of the program, in brackets, may have spaces and brackets in it.
  const fields = text.slice(text.lastIndexOf(') ') + 2).split(' ');
  return { parent: Number(fields[1]), cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond };
}
