import type { Session } from '../postgres/database.ts';
import type { Logger } from '../telemetry/logger.ts';
import { murmur2 } from './partitioner.ts';
import type { MemberSession, StaleHolders } from './stale-holders.ts';

/**
 * Shares out numbered partitions among all processes that want them, with nothing but advisory locks: each partition is
 * an exclusive lock, and each member holds a shared lock by which the others count it. A member takes free partitions up
 * to its fair share and gives back what is above it. Locks belong to the connection, so a process that dies, or loses
 * its connection, loses its partitions in the same moment and the others take them at their next look.
 */
export interface Shares {
  add(claim: Claim): Share;
  /** One look: count the members, give back, take. Two statements, however many claims there are. */
  balance(session: Session): Promise<void>;
  /** The connection is gone, and every lock with it: the holders are told to stop. */
  forget(): void;
}

export interface Claim {
  /** What is shared out. Equal names compete with each other, in whichever process. */
  readonly name: string;
  /** How many there are as far as this process knows. It may grow; the largest number that any member knows counts for all. */
  partitions(): number;
  gained(partition: number): void;
  /** Must stop acting as the holder; the lock is released when it resolves. */
  lost(partition: number): Promise<void>;
}

export interface Share {
  readonly held: ReadonlySet<number>;
  /** Gives everything back. */
  leave(): Promise<void>;
}

interface ClaimState {
  readonly claim: Claim;
  readonly lockClass: number;
  readonly held: Set<number>;
  readonly releasing: Map<number, Promise<void>>;
  present: boolean;
  /** The largest number of partitions that any member has told of so far. */
  learned: number;
  /** What the others have been told; 0 when nothing. */
  announced: number;
}

interface Members {
  readonly count: number;
  /** The largest number of partitions that any of them knows. */
  readonly partitions: number;
}

/** Beyond any partition number. */
const presenceKey = 0x7fffffff;
/**
 * A member that knows n partitions holds this key plus n, shared. In a rolling deployment the new version has more
 * partitions than the old one: were each to reckon its fair share from its own number, some partition would have no holder.
 */
const partitionsKey = 0x40000000;
/** A number beyond this comes from a row or a lock that is not ours; every partition costs a lock at every look. */
const partitionsMax = 1_000;

/** Two names with one hash would compete for each other's partitions; with a handful of names in 2^31 that is not a risk. */
export function lockClassOf(name: string): number {
  return murmur2(Buffer.from(name)) & 0x7fffffff;
}

export function createShares({ logger, staleHolders }: { logger: Logger; staleHolders?: StaleHolders }): Shares {
  const states = new Set<ClaimState>();
  let session: Session | null = null;

  async function release(state: ClaimState, partition: number): Promise<void> {
    state.held.delete(partition);
    const heldBy = session;
    const released = (async () => {
      await state.claim.lost(partition);
      if (heldBy !== null && heldBy === session) {
        await heldBy.query('SELECT pg_advisory_unlock($1, $2)', [state.lockClass, partition]);
      }
    })()
      .catch((error: unknown) =>
        logger.warn({ err: error, claim: state.claim.name, partition }, 'a partition was not given back'),
      )
      .finally(() => state.releasing.delete(partition));
    state.releasing.set(partition, released);
    await released;
  }

  async function announce(on: Session, all: readonly ClaimState[]): Promise<void> {
    for (const state of all) {
      const known = partitionsOf(state);
      if ((state.present && known === state.announced) || !states.has(state)) continue;
      if (known !== state.announced) {
        const before = state.announced;
        await on.query('SELECT pg_advisory_lock_shared($1, $2)', [state.lockClass, partitionsKey + known]);
        state.announced = known;
        if (before > 0)
          await on.query('SELECT pg_advisory_unlock_shared($1, $2)', [state.lockClass, partitionsKey + before]);
      }
      if (!state.present) {
        await on.query('SELECT pg_advisory_lock_shared($1, $2)', [state.lockClass, presenceKey]);
        state.present = true;
      }
      // It left meanwhile, before there was anything to take back. Left in place it would be counted for as long as the
      // connection lives, and the share of a member that is not there would belong to nobody.
      if (!states.has(state)) await withdraw(on, state);
    }
  }

  return {
    add(claim) {
      const state: ClaimState = {
        claim,
        lockClass: lockClassOf(claim.name),
        held: new Set(),
        releasing: new Map(),
        present: false,
        learned: 0,
        announced: 0,
      };
      states.add(state);
      return {
        held: state.held,
        async leave() {
          states.delete(state);
          await Promise.all([
            ...[...state.held].map((partition) => release(state, partition)),
            ...state.releasing.values(),
          ]);
          if (session !== null) await withdraw(session, state);
        },
      };
    },

    async balance(on) {
      session = on;
      const all = [...states];
      if (all.length === 0) return;
      await announce(on, all);
      const seen = await listMembers(on, all);
      const members = countMembers(seen);
      // Every other member is looked at, also when nothing is wanted: one that is frozen counts as a member, and the fair
      // share of the others is too small for as long as it is counted.
      await staleHolders?.look(on, otherSessions(seen, all));
      const wanted: { state: ClaimState; partition: number }[] = [];
      for (const state of all) {
        state.learned = Math.max(state.learned, members.get(state.lockClass)?.partitions ?? 0);
        const fairShare = fairShareOf(state, members);
        const surplus = [...state.held].slice(fairShare);
        // Not awaited: the holder finishes what it has in hand, and the other claims need not wait for that.
        for (const partition of surplus) void release(state, partition);
        if (state.held.size >= fairShare) continue;
        for (let partition = 0; partition < partitionsOf(state); partition++) {
          if (!state.held.has(partition) && !state.releasing.has(partition)) wanted.push({ state, partition });
        }
      }
      if (wanted.length === 0) return;
      const { rows } = await on.query<{ taken: boolean }>(
        'SELECT pg_try_advisory_lock(class, key) AS taken FROM unnest($1::integer[], $2::integer[]) WITH ORDINALITY AS lock (class, key, place) ORDER BY place',
        [wanted.map(({ state }) => state.lockClass), wanted.map(({ partition }) => partition)],
      );
      for (const [index, { state, partition }] of wanted.entries()) {
        if (rows[index]?.taken !== true) continue;
        const left = !states.has(state);
        if (left || state.held.size >= fairShareOf(state, members)) {
          await on.query('SELECT pg_advisory_unlock($1, $2)', [state.lockClass, partition]);
          continue;
        }
        state.held.add(partition);
        state.claim.gained(partition);
      }
    },

    forget() {
      session = null;
      for (const state of states) {
        state.present = false;
        state.announced = 0;
        // A partition is not taken again before its holder here has stopped; see `releasing`.
        for (const partition of state.held) void release(state, partition);
      }
    },
  };
}

function partitionsOf(state: ClaimState): number {
  return Math.min(Math.max(state.claim.partitions(), state.learned), partitionsMax);
}

function fairShareOf(state: ClaimState, members: ReadonlyMap<number, Members>): number {
  return Math.ceil(partitionsOf(state) / Math.max(1, members.get(state.lockClass)?.count ?? 1));
}

async function withdraw(on: Session, state: ClaimState): Promise<void> {
  const keys = [
    ...(state.present ? [presenceKey] : []),
    ...(state.announced > 0 ? [partitionsKey + state.announced] : []),
  ];
  state.present = false;
  state.announced = 0;
  if (keys.length === 0) return;
  // When this fails the connection is gone, and the locks with it.
  await on
    .query('SELECT pg_advisory_unlock_shared($1, key) FROM unnest($2::integer[]) AS key', [state.lockClass, keys])
    .catch(() => undefined);
}

interface MemberRow {
  readonly class: number;
  readonly key: number;
  readonly pid: number;
  readonly own: boolean;
  readonly started_at: string | null;
  readonly changed_at: string | null;
  readonly waits_for_client: boolean;
}

async function listMembers(on: Session, states: readonly ClaimState[]): Promise<MemberRow[]> {
  const { rows } = await on.query<MemberRow>(
    `SELECT classid::bigint AS class, objid::bigint AS key, pid, pid = pg_backend_pid() AS own, backend_start::text AS started_at,
       state_change::text AS changed_at, coalesce(wait_event_type = 'Client', false) AS waits_for_client
     FROM pg_locks LEFT JOIN pg_stat_activity USING (pid)
     WHERE locktype = 'advisory' AND objsubid = 2 AND objid > $2::bigint::oid AND granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND classid::bigint = ANY ($1::bigint[])`,
    [states.map((state) => state.lockClass), partitionsKey],
  );
  return rows;
}

function countMembers(rows: readonly MemberRow[]): Map<number, Members> {
  const members = new Map<number, Members>();
  for (const row of rows) {
    const { count, partitions } = members.get(row.class) ?? { count: 0, partitions: 0 };
    members.set(
      row.class,
      row.key === presenceKey
        ? { count: count + 1, partitions }
        : { count, partitions: Math.max(partitions, row.key - partitionsKey) },
    );
  }
  return members;
}

function otherSessions(rows: readonly MemberRow[], states: readonly ClaimState[]): MemberSession[] {
  const names = new Map(states.map((state) => [state.lockClass, state.claim.name]));
  return rows
    .filter((row) => row.key === presenceKey && !row.own)
    .map((row) => ({
      claim: names.get(row.class) ?? '',
      pid: row.pid,
      startedAt: row.started_at,
      changedAt: row.changed_at,
      waitsForClient: row.waits_for_client,
    }));
}
