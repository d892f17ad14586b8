import { afterAll, beforeAll } from 'vitest';
import { assert } from '#platform/assert.ts';
import { systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import { systemRandom } from '#platform/random.ts';
import type { AdmitCall, BeginCall, EnterCall, EnterResult, LastPlaces, Lost, QueueStore, Slot } from '../../ports.ts';

export interface StoreUnderTest {
  readonly store: QueueStore;
  /** Loses everything, as FLUSHALL does. */
  wipe(): Promise<void>;
  close?(): Promise<void>;
}

export interface StoreFactory {
  create(): Promise<StoreUnderTest>;
}

/** Ahead of the real clock, so that nothing that a store lets expire by the real one ends during a test. */
export const startMs = 2_000_000_000_000;
export const ids = createIds({ clock: systemClock, random: systemRandom });

/** What an event begins with unless a test says otherwise. */
export function aBegin(eventId: string, changes: Partial<BeginCall> = {}): BeginCall {
  return {
    eventId,
    epoch: 1,
    era: 1,
    room: { on: false, era: 0, version: 0 },
    settings: { threshold: 0, paused: false, closed: false, message: null },
    slots: [],
    denied: [],
    spent: [],
    returned: [],
    sequence: 0,
    watermark: 0,
    recoveringMs: 0,
    nowMs: startMs,
    ...changes,
  };
}

export type StoreKit = ReturnType<typeof useStore>;
export type QueueLine = Awaited<ReturnType<StoreKit['open']>>;

/** What every test of the suite works with. Call inside `describe`. */
export function useStore(factory: StoreFactory) {
  let subject: StoreUnderTest | null = null;
  beforeAll(async () => {
    subject = await factory.create();
  });
  afterAll(async () => {
    await subject?.close?.();
  });

  function under(): StoreUnderTest {
    assert(subject !== null, 'the store under test is made before the first test');
    return subject;
  }

  return {
    store: () => under().store,
    wipe: () => under().wipe(),
    /** A new event of its own with a clock of its own. */
    async open({ threshold = 0, ...begin }: Partial<BeginCall> & { threshold?: number } = {}) {
      const eventId = begin.eventId ?? ids.next();
      const settings = { threshold, paused: false, closed: false, message: null, ...begin.settings };
      await under().store.begin(aBegin(eventId, { ...begin, settings }));
      return aLine(under().store, eventId);
    },
  };
}

/** One event of the store, with the time kept for it. */
function aLine(store: QueueStore, eventId: string) {
  let nowMs = startMs;
  const users = new Map<string, string>();
  /** Readable names in tests, UUIDs in the store. */
  function user(name: string): string {
    const known = users.get(name) ?? ids.next();
    users.set(name, known);
    return known;
  }
  const step = { admitMax: 100, parkMax: 1_000, absentMs: 90_000, claimMs: 120_000, activeTtlMs: 600_000 };

  const line = {
    eventId,
    store,
    user,
    now: () => nowMs,
    wait(ms: number) {
      nowMs += ms;
    },
    async enter(name: string, call: Partial<EnterCall> = {}): Promise<EnterResult> {
      const base = { eventId, userId: user(name), mode: 'enter', lane: 1, roomOn: false } as const;
      return present(await store.enter({ ...base, activeTtlMs: step.activeTtlMs, nowMs, ...call }));
    },
    look: (name: string, call: Partial<EnterCall> = {}) => line.enter(name, { mode: 'look', ...call }),
    /** Enters and answers with the order; the test expects the user to wait. */
    async wantPlace(name: string, call: Partial<EnterCall> = {}): Promise<number> {
      const result = await line.enter(name, call);
      assert(result.status === 'waiting', `${name} is ${result.status}, not waiting`);
      return result.order;
    },
    async wantSlot(name: string, call: Partial<EnterCall> = {}): Promise<Slot> {
      const result = await line.enter(name, call);
      assert(result.status === 'active', `${name} is ${result.status}, not active`);
      return result.slot;
    },
    touch: async (...names: string[]) =>
      present(await store.touch({ eventId, userIds: names.map(user), nowMs })).unknown,
    claim: async (name: string, slotId: string) =>
      present(await store.claim({ eventId, claims: [{ userId: user(name), slotId }], nowMs })).claimed,
    leave: async (name: string) => present(await store.leave({ eventId, userId: user(name), nowMs })).left,
    endSlot: async (name: string, slotId: string) =>
      present(await store.endSlot({ eventId, userId: user(name), slotId, nowMs })).ended,
    async admit(call: Partial<AdmitCall> = {}) {
      return present(await store.admit({ eventId, activeSeenTtlMs: null, ...step, nowMs, ...call }));
    },
    /** Who was admitted, by the names of the test. */
    async admitted(call: Partial<AdmitCall> = {}): Promise<string[]> {
      const names = new Map([...users].map(([name, userId]) => [userId, name]));
      return (await line.admit(call)).admitted.map(({ userId }) => names.get(userId) ?? userId);
    },
    /** These processes have told their signs of life. */
    async flush(...ids: string[]) {
      for (const id of ids) present(await store.snapshot({ eventId, nowMs, flusher: { id } }));
    },
    endFlushes: async (id: string) =>
      void present(await store.snapshot({ eventId, nowMs, flusher: { id, isLeaving: true } })),
    /** Time passes with admission steps in it, from now up to just before the end: no outage, so absence counts. */
    async pass(ms: number, call: Partial<AdmitCall> = {}, flushers: readonly string[] = []) {
      const untilMs = nowMs + ms;
      while (nowMs < untilMs) {
        await line.flush(...flushers);
        await line.admit(call);
        nowMs = Math.min(nowMs + 5_000, untilMs);
      }
    },
    snapshot: async () => present(await store.snapshot({ eventId, nowMs })),
    trace: async (name: string) => present(await store.trace({ eventId, userId: user(name), nowMs })),
    forget: async (seenTtlMs: number, limit = 1_000) =>
      present(await store.forget({ eventId, seenTtlMs, limit, nowMs })).forgotten,
    async configure(changes: Parameters<QueueStore['configure']>[0]['changes']) {
      return present(await store.configure({ eventId, changes }));
    },
    clear: async (limit: number, upTo?: LastPlaces) =>
      present(await store.clear({ eventId, limit, ...(upTo !== undefined && { upTo }) })),
    changes: async (limit = 1_000) => present(await store.changes({ eventId, limit })),
  };
  return line;
}

export function present<Result extends object>(result: Result | Lost): Exclude<Result, Lost> {
  assert(!('status' in result && result.status === 'lost'), 'the store has lost the event');
  // The line above has ruled the other member of the union out, which the compiler cannot see for a type parameter.
  return result as Exclude<Result, Lost>;
}
