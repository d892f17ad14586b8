import { platformErrors } from '../errors.ts';
import { withTimeout } from '../resilience/timeout.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Database, Session } from './database.ts';

export interface ExclusiveLock {
  release(): Promise<void>;
}

const reacquireEveryMs = 1_000;
/** A server that is paused takes a connection and answers nothing. */
const answerLimitMs = 5_000;

/**
 * A session advisory lock that one process holds for as long as it lives. Null when another process has it. After a
 * lost connection it is taken again; if somebody else got it meanwhile, `onLost` is called and this process must stop.
 */
export async function takeExclusiveLock(
  database: Database,
  options: { key: number; name: string; logger: Logger; onLost: () => void },
): Promise<ExclusiveLock | null> {
  let session: Session | null = null;
  let released = false;

  async function acquire(): Promise<boolean> {
    const candidate = await database.session(options.name);
    const got = await tryLock(candidate).catch(async (error: unknown) => {
      candidate.close().catch(() => undefined);
      throw error;
    });
    // Released while it was being taken again: kept open, the connection would keep the process alive and the lock held.
    if (!got || released) {
      await candidate.close();
      return got;
    }
    session = candidate;
    candidate.onEnd(() => {
      session = null;
      if (!released) void reacquire();
    });
    return true;
  }

  async function tryLock(candidate: Session): Promise<boolean> {
    const asked = candidate.query<{ got: boolean }>('SELECT pg_try_advisory_lock($1) AS got', [options.key]);
    const { rows } = await withTimeout(asked, answerLimitMs, () => platformErrors.fault('DATABASE_UNAVAILABLE'));
    return rows[0]?.got === true;
  }

  async function reacquire(): Promise<void> {
    options.logger.warn({ lock: options.name }, 'the connection holding a lock was lost; taking it again');
    // No limit on purpose: the database may be away for long, and this process is useless without it anyway.
    while (!released) {
      await new Promise((resolve) => setTimeout(resolve, reacquireEveryMs).unref());
      if (released) return;
      try {
        if (await acquire()) return;
        options.logger.fatal({ lock: options.name }, 'another process took the lock');
        options.onLost();
        return;
      } catch {
        // Still away: try again.
      }
    }
  }

  if (!(await acquire())) return null;
  return {
    async release() {
      released = true;
      await session?.close();
    },
  };
}
