import { isDeepStrictEqual } from 'node:util';
import { assert } from '#platform/assert.ts';
import { packPlaceOrder } from '../../domain/place-order.ts';
import type {
  EnterCall,
  LastPlaces,
  LateChange,
  Lost,
  QueueSettings,
  QueueStore,
  Slot,
  StoreDump,
  StoreSnapshot,
  UserTrace,
} from '../../ports.ts';
import { tidied } from '../dump.ts';
import { createSpentMarks } from '../spent-marks.ts';
import { aBegin, type StoreUnderTest, startMs } from './harness.ts';
import { type Entry, type LateNews, type Operation, userCount } from './operations.ts';
import { createSmallJournal } from './small-journal.ts';

/** Everything there is to see of an event and its users. */
export interface View {
  readonly snapshot: StoreSnapshot;
  readonly traces: readonly UserTrace[];
}

/** One operation, what it answered and what there was to see before and after. Null: the event was lost. */
export interface Played {
  readonly operation: Operation;
  readonly nowMs: number;
  readonly answer: unknown;
  readonly before: View | null;
  readonly after: View | null;
  /** The ticket that was shown, if any. */
  readonly ticketOrder: number | undefined;
  /** All that were shown, by user: several in a rush. */
  readonly shown: readonly { readonly user: number; readonly order: number }[];
  isJournaledAsOver(order: number): boolean;
  isJournaledAsReturned(order: number): boolean;
  /** Of slots of which something was told late so far. */
  isToldLate(order: number): boolean;
}

const limits = { absentMs: 90_000, claimMs: 120_000 };
export const absentMs = limits.absentMs;
/** Numbers of tier 1 are of an era of their own, in one lane. */
const tier1Era = 0;
export const tickMs = 5_000;
/** Short ones end within a few operations, so that others come in; long ones can also end unclaimed. */
const slotMs = { short: 20_000, long: 200_000 };

export function tier1Order(number: number): number {
  return packPlaceOrder({ lane: 1, era: tier1Era, number });
}

/**
 * Plays operations on one event of several stores in lock-step. The first store is the model; `compare` sees every answer
 * of all of them, `observe` what the model did.
 */
export async function play(options: {
  eventId: string;
  stores: readonly StoreUnderTest[];
  operations: readonly Operation[];
  compare(what: string, answers: readonly unknown[]): void;
  observe(played: Played): void;
}): Promise<void> {
  const { eventId, stores, compare } = options;
  const journal = createSmallJournal();
  const users = Array.from(
    { length: userCount },
    (_, index) => `00000000-0000-7000-8000-${eventId.slice(-9)}00${index}`,
  );
  const tickets = users.map((): number[] => []);
  /** Every slot that was ever seen, the last one first. */
  const slotsSeen: Slot[] = [];
  const toldLate = new Set<number>();
  const flushers = new Set<string>();
  let followed = { epoch: 0, from: 0, marks: createSpentMarks([]) };
  const knownDenied = { mark: { epoch: 0, serial: 0 }, slotIds: new Set<string>() };
  let settings: QueueSettings = { threshold: 1, paused: false, closed: false, message: null };
  let clearedUpTo: LastPlaces | null = null;
  let nowMs = startMs;
  let epoch = 0;
  let era = 1;
  let room = { on: false, era: 0, version: 0 };

  await begin(0);
  let before = await look();
  for (const operation of options.operations) {
    const ticketOrder = operation.do === 'enter' ? ticketOf(operation) : undefined;
    const shown = entriesOf(operation).flatMap((entry) => {
      const order = ticketOf(entry);
      return order === undefined ? [] : [{ user: entry.user, order }];
    });
    const answer = await run(operation, ticketOrder);
    const after = await look();
    for (const [index, trace] of after?.traces.entries() ?? []) note(index, trace);
    const facts = {
      isJournaledAsOver: journal.isOver,
      isJournaledAsReturned: (order: number) => journal.load().returned.includes(order),
      isToldLate: (order: number) => toldLate.has(order),
    };
    options.observe({ operation, nowMs, answer, before, after, ticketOrder, shown, ...facts });
    before = after;
  }

  async function all<Answer>(what: string, call: (store: QueueStore) => Promise<Answer>): Promise<Answer> {
    const answers = await Promise.all(stores.map(({ store }) => call(store)));
    compare(what, answers);
    const [answer] = answers;
    // There is always a model.
    return answer as Answer;
  }

  async function look(): Promise<View | null> {
    const snapshot = await all('snapshot', (store) => store.snapshot({ eventId, nowMs }));
    const traces = await all('traces', (store) =>
      Promise.all(users.map((userId) => store.trace({ eventId, userId, nowMs }))),
    );
    await all('listed', async (store) => (await store.activeEvents()).includes(eventId));
    if (!isLost(snapshot)) await learnDenied(snapshot);
    return isLost(snapshot) ? null : { snapshot, traces: traces.filter((trace) => !isLost(trace)) };
  }

  /** As a process does that asks for what is new only: it knows all that are denied. */
  async function learnDenied({ denied, deniedMark }: StoreSnapshot): Promise<void> {
    const deniedSince = knownDenied.mark;
    const added = await all('new denials', (store) => store.snapshot({ eventId, nowMs, deniedSince }));
    if (isLost(added)) return;
    for (const { slotId } of added.denied) knownDenied.slotIds.add(slotId);
    for (const { slotId } of denied) assert(knownDenied.slotIds.has(slotId), `${slotId} is denied, and was never new`);
    knownDenied.mark = deniedMark;
  }

  async function run(operation: Operation, ticketOrder: number | undefined): Promise<unknown> {
    const at = { eventId, nowMs };
    const name = operation.do;
    switch (name) {
      case 'wait':
        nowMs += operation.ms;
        return null;
      case 'setBack':
        nowMs -= operation.ms;
        return null;
      case 'tick': {
        const step = {
          ...limits,
          admitMax: operation.admitMax,
          parkMax: 100,
          activeTtlMs: slotMs.long,
          activeSeenTtlMs: null,
        };
        const answers: unknown[] = [];
        for (let count = 0; count < operation.times; count += 1) {
          nowMs += tickMs;
          for (const by of flushers) if (!operation.silent.includes(by)) await flush(by, false);
          await all('touch', (store) => store.touch({ eventId, nowMs, userIds: operation.awake.map(userAt) }));
          answers.push(await all(name, (store) => store.admit({ eventId, nowMs, ...step })));
        }
        return answers;
      }
      case 'enter': {
        const call = enterCall(operation, ticketOrder);
        return all(name, (store) => store.enter(call));
      }
      case 'rush': {
        const calls = operation.entries.map((entry) => enterCall(entry, ticketOf(entry)));
        return all(name, (store) => Promise.all(calls.map(store.enter)));
      }
      case 'touch':
        return all(name, (store) => store.touch({ ...at, userIds: operation.users.map(userAt) }));
      case 'flush':
        return flush(operation.by, operation.isLeaving);
      case 'leave':
        return all(name, (store) => store.leave({ ...at, userId: userAt(operation.user) }));
      case 'claim': {
        const claims = [{ userId: userAt(operation.user), slotId: slotIdOf(operation) }];
        return all(name, (store) => store.claim({ ...at, claims }));
      }
      case 'endSlot': {
        const shown = slotIdOf(operation);
        return all(name, (store) => store.endSlot({ ...at, userId: userAt(operation.user), slotId: shown }));
      }
      case 'admit': {
        const { admitMax, parkMax, activeTtlMs, activeSeenTtlMs } = operation;
        const step = { ...limits, admitMax, parkMax, activeTtlMs, activeSeenTtlMs };
        return all(name, (store) => store.admit({ ...at, ...step }));
      }
      case 'forget': {
        const { seenTtlMs, limit } = operation;
        return all(name, (store) => store.forget({ ...at, seenTtlMs, limit }));
      }
      case 'configure': {
        const answer = await all(name, (store) => store.configure({ eventId, changes: operation.changes }));
        if (!isLost(answer)) settings = answer.after;
        return answer;
      }
      case 'clear': {
        const { limit, goesOn } = operation;
        const bound = goesOn && clearedUpTo !== null ? { upTo: clearedUpTo } : {};
        const answer = await all(name, (store) => store.clear({ eventId, limit, ...bound }));
        if (!isLost(answer)) clearedUpTo = answer.upTo;
        return answer;
      }
      case 'hold':
        return all(name, (store) => store.hold({ ...at, forMs: operation.forMs }));
      case 'switchRoom': {
        const { on, by } = operation;
        const wanted = { era: Math.max(era + by, 1), room: { on, era, version: Math.max(room.version + by, 0) } };
        const answer = await all(name, (store) => store.switchRoom({ eventId, ...wanted }));
        if (!isLost(answer) && answer.switched) [era, room] = [Math.max(era, wanted.era), wanted.room];
        return answer;
      }
      case 'dropIdle':
        return all(name, (store) => store.dropIdle(eventId));
      case 'endRecovery':
        return all(name, (store) => store.endRecovery({ eventId, epoch: operation.wrongEpoch ? epoch - 1 : epoch }));
      case 'journal':
        return writeJournal(operation.limit);
      case 'lock':
        return all(name, (store) => store.tryLock({ eventId, owner: operation.owner, ttlMs: 600_000 }));
      case 'unlock':
        return all(name, (store) => store.unlock({ eventId, owner: operation.owner }));
      case 'remove':
        return all(name, (store) => store.remove({ ...at, epoch: operation.late ? epoch - 1 : epoch }));
      case 'lose':
        await Promise.all(stores.map(({ wipe }) => wipe()));
        return operation.noticed ? [await look(), await begin(operation.recoveringMs)] : null;
      case 'begin':
        return begin(operation.recoveringMs);
      case 'merge': {
        const call = {
          ...at,
          epoch: operation.wrongEpoch ? epoch - 1 : epoch,
          changes: operation.late.flatMap(lateChange),
        };
        return all(name, (store) => store.merge(call));
      }
      case 'beginAgain':
        // After a loss it is always the next epoch.
        if (before === null) return begin(0);
        return all(name, (store) => store.begin(aBegin(eventId, { epoch, nowMs })));
    }
  }

  function flush(id: string, isLeaving: boolean): Promise<unknown> {
    if (isLeaving) flushers.delete(id);
    else flushers.add(id);
    return all('flush', (store) => store.snapshot({ eventId, nowMs, flusher: { id, isLeaving } }));
  }

  async function writeJournal(limit: number): Promise<unknown> {
    const answer = await all('changes', (store) => store.changes({ eventId, limit }));
    if (isLost(answer)) return answer;
    journal.write(answer.changes);
    const upTo = answer.from + answer.changes.length;
    const dump = await all('dump', (store) => store.dump({ eventId, nowMs }));
    if (!isLost(dump)) await followMarks(dump);
    await all('acknowledge', (store) => store.acknowledge({ eventId, epoch: answer.epoch, upTo }));
    return answer;
  }

  /** As a process does that keeps which places are over: it has what the store has. */
  async function followMarks(dump: StoreDump): Promise<void> {
    const news = await all('marks', (store) => store.marks({ eventId, epoch: followed.epoch, from: followed.from }));
    if (isLost(news)) return;
    if (news.status === 'gap') followed = { epoch: dump.epoch, from: dump.from, marks: createSpentMarks(dump.spent) };
    else {
      for (const { order, isSpent } of news.marks) {
        if (isSpent) followed.marks.set(order);
        else followed.marks.unset(order);
      }
      followed.from = news.upTo;
      const spent = tidied({ ...dump, spent: followed.marks.chunks() }).spent;
      assert(isDeepStrictEqual(spent, dump.spent), 'a follower has other marks than the store');
    }
  }

  /** From the journal, with the next epoch and the next era. */
  async function begin(recoveringMs: number): Promise<unknown> {
    epoch += 1;
    era += 1;
    const { denied, ...loaded } = journal.load();
    const stillDenied = denied.filter(({ untilMs }) => untilMs > nowMs);
    const call = { eventId, epoch, era, room, settings, ...loaded, denied: stillDenied, recoveringMs, nowMs };
    return all('begin', (store) => store.begin(call));
  }

  function slotIdOf({ user, wrongId }: { user: number; wrongId: boolean }): string {
    return (wrongId ? undefined : before?.traces[user]?.slot?.slotId) ?? 'another slot';
  }

  function userAt(index: number): string {
    return users[index] ?? '';
  }

  function ticketOf({ user, ticket }: Entry): number | undefined {
    return ticket === null ? undefined : tickets[user]?.[ticket];
  }

  function enterCall(
    { user, mode, unattended, withoutSlot, lane, roomOn, pastRoom, numbered }: Entry,
    ticketOrder: number | undefined,
  ): EnterCall {
    return {
      eventId,
      nowMs,
      userId: userAt(user),
      mode,
      unattended,
      withoutSlot,
      lane,
      roomOn,
      pastRoom,
      activeTtlMs: slotMs.short,
      ...(ticketOrder === undefined ? {} : { ticketOrder }),
      ...(numbered === null ? {} : { numbered: tier1Order(numbered) }),
    };
  }

  function note(index: number, { order, slot }: UserTrace): void {
    if (order !== null && !tickets[index]?.includes(order)) tickets[index]?.unshift(order);
    if (slot === null || slotsSeen.some(({ slotId }) => slotId === slot.slotId)) return;
    const { claimed: _, ...seen } = slot;
    slotsSeen.unshift(seen);
  }

  function lateChange({ kind, slot: index, claimed }: LateNews): LateChange[] {
    const slot = slotsSeen[index];
    if (slot === undefined) return [];
    const { userId, slotId, order } = slot;
    toldLate.add(order);
    if (kind === 'slot') return [{ kind, slot, claimed }];
    if (kind === 'place') return [{ kind, userId, order }];
    return [kind === 'spent' ? { kind, order } : { kind, userId, slotId }];
  }
}

function entriesOf(operation: Operation): readonly Entry[] {
  if (operation.do === 'rush') return operation.entries;
  return operation.do === 'enter' ? [operation] : [];
}

function isLost(answer: object): answer is Lost {
  return 'status' in answer && answer.status === 'lost';
}
