import type { Session } from '../postgres/database.ts';
import { sqlState } from '../postgres/failure.ts';
import type { Logger } from '../telemetry/logger.ts';

/** A member of a claim as PostgreSQL shows its session. */
export interface MemberSession {
  readonly claim: string;
  readonly pid: number;
  /** Which session has this pid, and since when it does what it does. Null where PostgreSQL does not say. */
  readonly startedAt: string | null;
  readonly changedAt: string | null;
  /** PostgreSQL waits for its process: it has no statement, or does not read the answer. */
  readonly waitsForClient: boolean;
}

export interface StaleHolders {
  /** Called at every look with all other members. Ends the sessions of those that have been silent for too long. */
  look(on: Session, members: readonly MemberSession[]): Promise<void>;
}

export interface StaleHolderOptions {
  readonly logger: Logger;
  readonly staleAfterMs?: number;
  readonly ended?: (claim: string) => void;
}

/** A member runs a statement every second. Ten times that is a process that is frozen or cut off, or as good as that. */
const staleAfterDefaultMs = 10_000;
/** More time than this between two looks means that this process was frozen itself: the others could not be seen. */
const lookGapMaxMs = 2_000;
const insufficientPrivilege = '42501';

/**
 * Ends the session of a process that is frozen, or whose host was lost without a word: it would hold its partitions for
 * as long as its connection lasts. Silence is measured here, by the monotonic clock, as the time in which the session's
 * last change stayed the same; a step of the server's clock does not matter. A statement that runs is no silence.
 * A process that wakes up finds its session gone, gives up its partitions and connects again.
 */
export function createStaleHolders(options: StaleHolderOptions): StaleHolders {
  const { logger, staleAfterMs = staleAfterDefaultMs, ended } = options;
  let silences = new Map<string, { member: MemberSession; silentMs: number; claims: Set<string> }>();
  let lookedAt: number | null = null;
  let saidHidden = false;
  let saidRefused = false;

  function measure(members: readonly MemberSession[], elapsedMs: number): void {
    const seen: typeof silences = new Map();
    for (const member of members) {
      if (member.startedAt === null || member.changedAt === null) {
        if (!saidHidden)
          logger.warn(
            'PostgreSQL does not show the state of other sessions (track_activities); stale ones are not ended',
          );
        saidHidden = true;
        continue;
      }
      if (!member.waitsForClient) continue;
      const key = `${member.pid} ${member.startedAt} ${member.changedAt}`;
      const known = seen.get(key);
      if (known !== undefined) known.claims.add(member.claim);
      else {
        const before = silences.get(key);
        const silentMs = before === undefined ? 0 : before.silentMs + elapsedMs;
        seen.set(key, { member, silentMs, claims: new Set([member.claim]) });
      }
    }
    silences = seen;
  }

  return {
    async look(on, members) {
      const now = performance.now();
      measure(members, Math.min(lookedAt === null ? 0 : now - lookedAt, lookGapMaxMs));
      lookedAt = now;
      for (const { member, silentMs, claims } of silences.values()) {
        if (silentMs < staleAfterMs) continue;
        const outcome = await endSession(on, member);
        if (typeof outcome === 'object') {
          logger.error(
            { ...outcome, backendPid: member.pid, claims: [...claims], silentMs: Math.round(silentMs) },
            'a process gave no sign of life; its session was ended so that others can take its partitions',
          );
          for (const claim of claims) ended?.(claim);
        }
        if (outcome === 'refused' && !saidRefused) {
          saidRefused = true;
          logger.error(
            { backendPid: member.pid, claims: [...claims] },
            'a process gives no sign of life, and its session may not be ended: grant pg_signal_backend to this role',
          );
        }
      }
    },
  };
}

/** Whose session it was, as far as PostgreSQL knows. The bus puts host and process into the name of the application. */
interface EndedSession {
  readonly application: string;
  readonly address: string;
}

/** All is compared once more where it is ended: the pid may belong to another session by now, or the process woke up. */
async function endSession(on: Session, member: MemberSession): Promise<EndedSession | 'gone' | 'refused'> {
  try {
    const { rows } = await on.query<EndedSession & { ended: boolean }>(
      `SELECT pg_terminate_backend(pid) AS ended, application_name AS application, coalesce(host(client_addr), 'local') AS address
       FROM pg_stat_activity
       WHERE pid = $1 AND backend_start::text = $2 AND state_change::text = $3 AND wait_event_type = 'Client'`,
      [member.pid, member.startedAt, member.changedAt],
    );
    const [session] = rows;
    return session?.ended === true ? { application: session.application, address: session.address } : 'gone';
  } catch (error) {
    if (sqlState(error) === insufficientPrivilege) return 'refused';
    throw error;
  }
}
