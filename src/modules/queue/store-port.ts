import type {
  AdmitCall,
  AdmitResult,
  BeginCall,
  ChangesResult,
  Cleared,
  DeniedMark,
  EndSlotResult,
  EnterCall,
  EnterResult,
  LastPlaces,
  LeaveResult,
  Lost,
  MarksResult,
  MergeCall,
  QueueSettings,
  RoomSwitch,
  SlotClaim,
  StoreDump,
  StoreSnapshot,
  UserTrace,
} from './store-answers.ts';

/**
 * The state of the queues. Every call is one atomic step for its event. Two adapters answer alike: the memory of one
 * process, which is the executable specification, and Redis.
 *
 * States of a user in one event, and what moves between them:
 *
 *   none ──enter──▶ waiting ──admit──▶ in a slot ──end──▶ none
 *                    │   ▲               │
 *              absent│   │sign of life   │not claimed in time, first time
 *                    ▼   │               ▼
 *                   parked            waiting, at the old order
 *
 * A place ends only by a **spent mark**: admitted, left, dropped, cleared, or the later of two of one user. Missing state never
 * ends it: anyone who holds an unspent order (in a ticket) is put back at it.
 *
 * Times are milliseconds. `nowMs` is for tests and for the in-process store; Redis uses its own clock when it is absent.
 */
export interface QueueStore {
  /**
   * Enter, resume or look, in this order:
   * 1. in a live slot → `active` (asking claims the slot and is a sign of life; it never extends it). Once it is claimed, the
   *    place of another ticket that is shown is spent: who shops has used the one place. Not before: an unclaimed slot may
   *    still give its place back, and that may be the later one;
   * 2. waiting or parked → `waiting`, a parked user first comes back at the old order (a sign of life). With a ticket of
   *    another place (one that was forgotten, and the user entered anew without its ticket), unspent and held by nobody: the
   *    earlier of the two counts from now on, and the later one is spent;
   * 3. `ticketOrder` given, unspent, held by nobody else → put back there, as in 7;
   * 4. `look` or `return` only → `none` (with `spent: true` when the ticket's place is over);
   * 5. closed → `closed`, with a tier-1 number or without; else `numbered` given (a tier-1 number): spent or held by
   *    another → `number-taken`; else that order, as in 7;
   * 6. room on, by the call or (unless `pastRoom`) by the last switch, and nothing of the above → `tier1-required`; else the next number of the sequence, which is never behind a
   *    number that was placed in its era;
   * 7. nobody waiting or parked, active < threshold, neither paused nor recovering nor `withoutSlot` → a slot at once, else waiting.
   * `return` is a `look` that is no question, only a sign of life with a ticket: it claims no slot and is given none.
   */
  enter(call: EnterCall): Promise<EnterResult | Lost>;

  /** Signs of life, at most `touchMax`. Parked users come back at their old order. Answers with users it does not know at all. */
  touch(call: { eventId: string; userIds: readonly string[]; nowMs?: number }): Promise<{ unknown: string[] } | Lost>;

  /**
   * Protected calls of people in slots, at most `claimMax`: each claims the slot, only if it still has this id, and is a
   * sign of life. Like asking, it never extends the slot. Answers how many were not claimed before.
   */
  claim(call: { eventId: string; claims: readonly SlotClaim[]; nowMs?: number }): Promise<{ claimed: number } | Lost>;

  /** Gives up place or slot. `left` says which it was. The place is spent; the slot's id is denied until the slot's end. */
  leave(call: { eventId: string; userId: string; nowMs?: number }): Promise<LeaveResult | Lost>;

  /** Ends one slot early, only if it still has this id (a confirmed reservation, an operator). Denied until its end. */
  endSlot(call: { eventId: string; userId: string; slotId: string; nowMs?: number }): Promise<EndSlotResult | Lost>;

  /**
   * One admission step: ended slots are dropped; unclaimed ones past their time or past their end are freed and their user goes
   * back to the old order once (spent mark undone), the second time the place stays spent; then from the head: absent users
   * (unseen for `absentMs`, never before `seenFloor`) are parked, present ones get a slot, while active < threshold. The floor
   * is raised to this step if the one before it is longer than `outageMs` ago, if signs of life may be missing (`Flusher`), or
   * if the clock was set back by more than `outageMs`. Who is unseen for `flusherKeptMs` longer is absent all the same, if in
   * that time there were steps and some flusher spoke: a worker that crashes again and again hides nobody for ever. A slot is unclaimed for `claimMs` of the time in which steps were made,
   * and for `flusherKeptMs` more while the floor is younger than `claimMs`.
   * Bounded by `parkMax` and `admitMax`; `more` says that another call would do something. Paused or recovering: only drops.
   * After the step active ≤ threshold or nobody was admitted (asserted inside the store).
   */
  admit(call: AdmitCall): Promise<AdmitResult | Lost>;

  /**
   * Everything a process needs to answer polls without asking again. Cheap: O(breakpoints · log n), and of the denied slots
   * only those since `deniedSince`. Asking changes nothing but what `flusher` says.
   */
  snapshot(call: {
    eventId: string;
    flusher?: Flusher;
    deniedSince?: DeniedMark;
    nowMs?: number;
  }): Promise<StoreSnapshot | Lost>;

  /** Forgets waiting and parked users unseen for `seenTtlMs`, at most `limit`: frees memory only, nothing is spent. */
  forget(call: {
    eventId: string;
    seenTtlMs: number;
    limit: number;
    nowMs?: number;
  }): Promise<{ forgotten: number } | Lost>;

  /**
   * Operator controls; a field that is absent stays as it is. Answers with what was and what is. `version`: the journal has
   * these settings, in this version; only ever raised.
   */
  configure(call: {
    eventId: string;
    changes: Partial<QueueSettings>;
    version?: number;
  }): Promise<{ before: QueueSettings; after: QueueSettings } | Lost>;

  /**
   * Ends waiting and parked places, at most `limit` a call. Slots stay. Without `upTo` those that are there now, and the answer
   * says which is the last; with the `upTo` of that answer anyone who has entered since stays, so that repeating it comes to an end.
   */
  clear(call: { eventId: string; limit: number; upTo?: LastPlaces }): Promise<Cleared | Lost>;

  /** Where is this person and why, for the operator. */
  trace(call: { eventId: string; userId: string; nowMs?: number }): Promise<UserTrace | Lost>;

  /** The oldest changes that the journal has not taken yet, in order. */
  changes(call: { eventId: string; limit: number }): Promise<ChangesResult | Lost>;
  /**
   * The journal was written just now and has everything before this position, also if that is nothing new: a hold is over. Of
   * another epoch, or behind what was dropped: nothing happens. By position and not by count, because two processes may read
   * the same changes and both say so.
   */
  acknowledge(call: { eventId: string; epoch: number; upTo: number }): Promise<void>;

  /**
   * Which places were over, or not over any more, since this position among the changes: at most `marksMax` changes a call. Of another
   * epoch, before the last `marksKept` that the journal has taken, or behind the last there is: `gap`.
   */
  marks(call: { eventId: string; epoch: number; from: number }): Promise<MarksResult | Lost>;

  /**
   * Nobody is admitted for this long, as while recovering: the journal cannot be written. Never shortens; renewed while it
   * lasts; over at once when somebody can write it (`acknowledge`).
   */
  hold(call: { eventId: string; forMs: number; nowMs?: number }): Promise<void>;

  /**
   * Begins the event's state, or brings it back from the journal after a loss. Does nothing when the store has this epoch
   * or a later one already (`begun: false`). For `recoveringMs`, by its own clock, people are placed and nobody is admitted.
   */
  begin(call: BeginCall): Promise<{ begun: boolean }>;
  /**
   * Adds what happened in an epoch that was lost before the journal had it, and that a process still knows: at most
   * `mergeMax` changes, in their order, to the epoch that is there now; of another one nothing happens. A slot comes back if
   * its place is not spent, for then the journal had never heard of it; without room for it its id is denied and its user has
   * the place. A place comes back if it is free and its user has none. One that was spent is so again, and a slot that ended early ends. May be said twice.
   */
  merge(call: MergeCall): Promise<{ merged: boolean } | Lost>;
  /**
   * Takes an event out of the store that nobody needs there: nobody waits, is away or in a slot, the journal has everything,
   * and no token of a slot that ended early is still good. `removed`: there is nothing of it any more, and calls answer `lost`
   * until `begin` brings it back. Of another epoch than this one nothing is removed.
   */
  remove(call: { eventId: string; epoch: number; nowMs?: number }): Promise<{ removed: boolean }>;
  /** For a journal that lost what it knew. Costs as much as the event is large. */
  dump(call: { eventId: string; nowMs?: number }): Promise<StoreDump | Lost>;
  /** Ends the recovery of this epoch early: the known crowd is back. */
  endRecovery(call: { eventId: string; epoch: number }): Promise<void>;

  /**
   * Whether tier 1 stands before the event, from this step on (6). The store's own numbers begin anew from 1 if the era is a
   * later one. Of an earlier version than the one that is known nothing happens.
   */
  switchRoom(call: { eventId: string } & RoomSwitch): Promise<{ switched: boolean } | Lost>;

  /**
   * A hint which events to look at. `dropIdle` removes the event, looks again, and adds it back if anybody is there, if the
   * journal has not taken everything, or while a slot is denied.
   */
  activeEvents(): Promise<string[]>;
  dropIdle(eventId: string): Promise<void>;

  /**
   * Saves work between processes; correctness does not depend on it. Ends by itself after `ttlMs`. The turn is a second lock
   * of the event, which nobody gives back.
   */
  tryLock(call: { eventId: string; owner: string; ttlMs: number; turn?: boolean }): Promise<boolean>;
  unlock(call: { eventId: string; owner: string }): Promise<void>;

  /**
   * Of the server that keeps this event: another one when it is another server or has restarted (Redis: run id and former
   * replication id). Constant in process. Fails with `StoreIsReplica` if that server takes no writes.
   */
  identity(eventId: string): Promise<string>;
  /** Fails if this server takes no writes now, for whatever reason. */
  proveWritable(eventId: string): Promise<void>;
  /** All servers, with one question to each. Fails only if none answers, or if the only one is a replica. */
  servers(): Promise<StoreServers>;
  /** Makes the connections anew: they lead to a server that was superseded, and new ones may lead to the present one. */
  reconnect(): void;
  /** Names this process's connection to the server that keeps this event: while it is the same, so is the server. */
  connection(eventId: string): string;
}

/** This process is connected to a read replica: by a wrong address, or to a former primary that follows the new one. */
export class StoreIsReplica extends Error {
  override readonly name = 'StoreIsReplica';

  constructor(identity: string) {
    super(`the server ${identity} is a read replica`);
  }
}

export interface StoreServers {
  /** `identity` of the server that keeps this event; null: it does not answer. */
  of(eventId: string): string | null;
  /** One of the servers has this identity. */
  has(identity: string): boolean;
  /** Of those that answered. */
  all(): readonly string[];
}

/** A lock that would last longer was taken before the clock was set back, and counts no more. Steps are never so far apart. */
export const lockLongestMs = 60_000;
export const touchMax = 500;
export const claimMax = 500;
export const mergeMax = 500;
/** Of the changes that the journal has taken so many are known for a while: what a busy sale does in some ten seconds. */
export const marksKept = 5_000;
export const marksMax = 5_000;
/** How many slots of each kind (ended, unclaimed, unseen) one admission step frees at most. */
export const freeMax = 1_000;
/**
 * Slots that ended early and whose tokens are still good, per event; beyond it the first are forgotten. On a busy sale there
 * are some thousands: threshold × life of a slot ÷ time until people are done. More come from people who enter and leave.
 */
export const deniedMax = 100_000;
/**
 * After a longer pause between two admission steps, or between two words of one flusher, absence, claims and unseen slots
 * count from the later one: the `seenFloor`.
 */
export const outageMs = 5_000;
/** A flusher that was silent for longer is forgotten. Anyone who polled there polls elsewhere by then: the longest poll is a minute. */
export const flusherKeptMs = 60_000;
/** Far more processes than ever serve one event; beyond it those that were silent for longest are forgotten. */
export const flushersMax = 1_000;

/**
 * A process that answers polls, and so has signs of life to tell. It says about once a second, also with nothing to tell,
 * that it has told (`touch`) what it knew. While one is silent for more than `outageMs`, those who poll there may seem absent
 * though they are not, so every step of admission raises the `seenFloor`, and so does its next word. After `flusherKeptMs` a
 * silent one is forgotten, for it may have crashed; but not while nobody has said anything since. One that ends says so.
 */
export interface Flusher {
  readonly id: string;
  /** Nobody polls there any more: it is forgotten at once. */
  readonly isLeaving?: boolean;
}
