import type { Queryable } from '#platform/postgres/database.ts';
import type { Order } from './domain/order.ts';

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
 * A place ends only by a **spent mark**: admitted, left, dropped, cleared. Missing state never ends it: whoever holds an
 * unspent order (in a ticket) is put back at it.
 *
 * Times are milliseconds. `nowMs` is for tests and for the in-process store; Redis uses its own clock when it is absent.
 */
export interface QueueStore {
  /**
   * Enter, resume or look, in this order:
   * 1. in a live slot → `active` (asking claims the slot and is a sign of life; it never extends it);
   * 2. waiting or parked → `waiting`, a parked user first comes back at the old order (a sign of life);
   * 3. `ticketOrder` given, unspent, held by nobody else → put back there, as in 7;
   * 4. `look` only → `none` (with `spent: true` when the ticket's place is over);
   * 5. `numbered` given (a tier-1 number): spent or held by another → `number-taken`; else that order, as in 7;
   * 6. room on and nothing of the above → `tier1-required`; closed → `closed`; else the next number of the sequence, which
   *    is never behind a number that was placed in its era;
   * 7. nobody waiting or parked, active < threshold, neither paused nor recovering → a slot at once, else waiting.
   */
  enter(call: EnterCall): Promise<EnterResult | Lost>;

  /** Signs of life, at most `touchMax`. Parked users come back at their old order. Answers with users it does not know at all. */
  touch(call: { eventId: string; userIds: readonly string[]; nowMs?: number }): Promise<{ unknown: string[] } | Lost>;

  /** Gives up place or slot. `left` says which it was. The place is spent; the slot's id is denied until the slot's end. */
  leave(call: {
    eventId: string;
    userId: string;
    nowMs?: number;
  }): Promise<{ left: 'place' | 'slot' | 'nothing' } | Lost>;

  /** Ends one slot early, only if it still has this id (a confirmed reservation, an operator). Denied until its end. */
  endSlot(call: {
    eventId: string;
    userId: string;
    slotId: string;
    nowMs?: number;
  }): Promise<{ ended: boolean } | Lost>;

  /**
   * One admission step: ended slots are dropped; unclaimed ones past `claimMs` are freed and their user goes back to the
   * old order once (spent mark undone), the second time the place stays spent; then from the head: absent users
   * (unseen for `absentMs`, never before `seenFloor`) are parked, present ones get a slot, while active < threshold.
   * Bounded by `parkMax` and `admitMax`; `more` says that another call would do something. Paused or recovering: only drops.
   * After the step active ≤ threshold or nobody was admitted (asserted inside the store).
   */
  admit(call: AdmitCall): Promise<AdmitResult | Lost>;

  /** Everything a process needs to answer polls without asking again. Cheap: O(breakpoints · log n). */
  snapshot(call: { eventId: string; nowMs?: number }): Promise<StoreSnapshot | Lost>;

  /** Forgets waiting and parked users unseen for `seenTtlMs`, at most `limit`: frees memory only, nothing is spent. */
  forget(call: {
    eventId: string;
    seenTtlMs: number;
    limit: number;
    nowMs?: number;
  }): Promise<{ forgotten: number } | Lost>;

  /** Operator controls; a field that is absent stays as it is. Answers with what was and what is. */
  configure(call: {
    eventId: string;
    changes: Partial<QueueSettings>;
  }): Promise<{ before: QueueSettings; after: QueueSettings } | Lost>;

  /** Ends every waiting and parked place, at most `limit` a call (repeat while `more`). Slots stay. */
  clear(call: { eventId: string; limit: number; nowMs?: number }): Promise<{ cleared: number; more: boolean } | Lost>;

  /** Where is this person and why, for the operator. */
  trace(call: { eventId: string; userId: string; nowMs?: number }): Promise<UserTrace | Lost>;

  /** The oldest changes that the journal has not taken yet, in order. */
  changes(call: { eventId: string; limit: number }): Promise<ChangesResult | Lost>;
  /**
   * The journal has everything before this position. Of another epoch, or already dropped: nothing happens. By position
   * and not by count, because two processes may read the same changes and both say so.
   */
  acknowledge(call: { eventId: string; epoch: number; upTo: number }): Promise<void>;

  /** Nobody is admitted for this long, as while recovering: the journal cannot be written. Never shortens; renewed while it lasts. */
  hold(call: { eventId: string; forMs: number; nowMs?: number }): Promise<void>;

  /**
   * Begins the event's state, or brings it back from the journal after a loss. Does nothing when the store has this epoch
   * or a later one already (`begun: false`). Until `recoveringUntilMs` people are placed and nobody is admitted.
   */
  begin(call: BeginCall): Promise<{ begun: boolean }>;
  /** Ends recovery early: the known crowd is back. */
  endRecovery(call: { eventId: string }): Promise<void>;

  /** Numbers begin anew from 1 in this era. Only ever raised. */
  raiseEra(call: { eventId: string; era: number }): Promise<{ raised: boolean } | Lost>;

  /** A hint which events to look at. `dropIdle` removes the event, looks again, and adds it back if anybody is there. */
  activeEvents(): Promise<string[]>;
  dropIdle(eventId: string): Promise<void>;

  /** Saves work between processes; correctness does not hang on it. Ends by itself after `ttlMs`. */
  tryLock(call: { eventId: string; owner: string; ttlMs: number }): Promise<boolean>;
  unlock(call: { eventId: string; owner: string }): Promise<void>;

  /** Changes when the server behind it is another one or has lost its data (Redis: run id and former replication id). Constant in process. */
  identity(): Promise<string>;
}

export const touchMax = 500;
/** How many slots of each kind (ended, unclaimed, unseen) one admission step frees at most. */
export const freeMax = 1_000;
/** After a longer pause between two admission steps absence, claims and unseen slots count from the later one: the `seenFloor`. */
export const outageMs = 5_000;

/** The store has no state for this event: it was never begun, or it was lost. The caller recovers and asks again. */
export interface Lost {
  readonly status: 'lost';
}

export interface EnterCall {
  readonly eventId: string;
  readonly userId: string;
  readonly mode: 'enter' | 'look';
  readonly lane: 0 | 1;
  /** From a verified waiting ticket of this user and event. */
  readonly ticketOrder?: Order;
  /** From a verified tier-1 token. */
  readonly numbered?: Order;
  readonly roomOn: boolean;
  readonly activeTtlMs: number;
  readonly nowMs?: number;
}

export interface Slot {
  readonly slotId: string;
  readonly userId: string;
  readonly order: Order;
  readonly endsAtMs: number;
}

/** A slot and whether its user has asked for it since it was given. Once claimed it stays so. */
export interface SlotRecord extends Slot {
  readonly claimed: boolean;
}

export type EnterResult =
  | {
      readonly status: 'active';
      readonly slot: Slot;
      readonly epoch: number;
      /** This call gave the slot (7). */
      readonly fresh: boolean;
    }
  | {
      readonly status: 'waiting';
      readonly order: Order;
      readonly position: number;
      readonly epoch: number;
      /** This call put the user in line (3, 5, 6). */
      readonly fresh: boolean;
    }
  | { readonly status: 'none'; readonly spent: boolean; readonly epoch: number }
  | { readonly status: 'number-taken' | 'tier1-required' | 'closed'; readonly epoch: number };

export interface AdmitCall {
  readonly eventId: string;
  readonly admitMax: number;
  readonly parkMax: number;
  readonly absentMs: number;
  readonly claimMs: number;
  readonly activeTtlMs: number;
  /** Claimed slots whose user was unseen this long end; null: never. */
  readonly activeSeenTtlMs: number | null;
  readonly nowMs?: number;
}

export interface AdmitResult {
  readonly status: 'ok';
  readonly admitted: readonly Slot[];
  readonly parked: number;
  /** Slots that ended by time, and those taken back unclaimed: returned to their place, or dropped for good. */
  readonly ended: number;
  readonly returned: number;
  readonly dropped: number;
  readonly active: number;
  readonly waiting: number;
  readonly threshold: number;
  readonly more: boolean;
}

export interface QueueSettings {
  readonly threshold: number;
  readonly paused: boolean;
  readonly closed: boolean;
  readonly message: string | null;
}

export interface StoreSnapshot {
  readonly status: 'ok';
  readonly epoch: number;
  readonly era: number;
  readonly atMs: number;
  /** The highest order that was ever admitted. Whoever is above it and known to wait has surely not been. */
  readonly watermark: Order;
  readonly waiting: number;
  readonly parked: number;
  readonly active: number;
  readonly settings: QueueSettings;
  readonly recovering: boolean;
  /** Admissions in each of the last 60 whole seconds, oldest first, shared by all processes. */
  readonly admittedPerSecond: readonly number[];
  readonly totals: {
    readonly joined: number;
    readonly admitted: number;
    readonly left: number;
    readonly noShows: number;
    readonly forgotten: number;
  };
  /** Orders at ranks 1, 51, 101 … 2,001, then each 2 % further, and the last one; ascending. For rank by order without asking. */
  readonly breakpoints: readonly { readonly rank: number; readonly order: Order }[];
  /** Slots that ended early and whose tokens would still be good. */
  readonly denied: readonly { readonly slotId: string; readonly untilMs: number }[];
}

export interface UserTrace {
  readonly status: 'ok';
  readonly place: 'waiting' | 'parked' | 'active' | 'none';
  readonly order: Order | null;
  readonly position: number | null;
  readonly seenAtMs: number | null;
  readonly slot: SlotRecord | null;
  /** The place (by its order) was admitted once, not claimed, and put back. Until it is claimed or over. */
  readonly returned: boolean;
}

export interface ChangesResult {
  readonly status: 'ok';
  readonly epoch: number;
  /** Position of the first of `changes`: how many changes of this epoch came before it. `begin` sets it to 0. */
  readonly from: number;
  readonly changes: readonly StoreChange[];
  /** How many wait in all, these included. */
  readonly backlog: number;
}

/**
 * What PostgreSQL must know to bring the event back. A slot comes before its spent mark, and `unspent` before the end of the
 * unclaimed slot: wherever the journal is cut, its user has the slot or the place. `begin` marks the orders of its slots spent
 * (a change of the new epoch, where the mark was missing). A slot that is claimed later than it was given is told of again.
 */
export type StoreChange =
  | { readonly kind: 'slot'; readonly slot: Slot; readonly claimed: boolean }
  | { readonly kind: 'slot-ended'; readonly userId: string; readonly slotId: string }
  | { readonly kind: 'spent'; readonly order: Order }
  | { readonly kind: 'unspent'; readonly order: Order };

export interface BeginCall {
  readonly eventId: string;
  readonly epoch: number;
  readonly era: number;
  readonly settings: QueueSettings;
  /** Claimed ones stay claimed; the others may be claimed as if they were given at this moment. */
  readonly slots: readonly SlotRecord[];
  /** Bitmaps of spent numbers: bit n of chunk c of era e is number c·2^20 + n; most significant bit first, as Redis SETBIT has it. */
  readonly spent: readonly { readonly era: number; readonly chunk: number; readonly bits: Buffer }[];
  /** The sequence goes on after this number. */
  readonly sequence: number;
  readonly watermark: Order;
  readonly recoveringUntilMs: number;
  readonly nowMs?: number;
}

/**
 * PostgreSQL: what must outlive the store.
 *
 *   (no row) ──open──▶ epoch 1, not begun ──markBegun──▶ begun ──raiseEpoch──▶ epoch 2, not begun ──▶ …
 *
 * Whoever made the row or raised the epoch holds a lease of some seconds to begin the store's state. Only when it has run
 * out without `markBegun` may another raise the epoch again.
 */
export interface QueueJournal {
  /** The event's head, made on first use with epoch 1. `mine`: this call made it, so this process begins the store's state. */
  open(eventId: string): Promise<JournalHead & { readonly mine: boolean }>;
  /** One process wins: raises epoch and era if the epoch still is `seen` and nobody is beginning it. Null: read again with `open`. */
  raiseEpoch(eventId: string, seen: number): Promise<JournalHead | null>;
  /** The store has this epoch now, on the server with this identity. */
  markBegun(eventId: string, begun: { epoch: number; identity: string }): Promise<void>;
  /** This process could not begin it: others need not wait for the lease to run out. */
  giveUpLease(eventId: string, epoch: number): Promise<void>;
  raiseEra(eventId: string): Promise<JournalHead>;
  /** What `begin` needs, beside the settings that nobody has set. */
  load(
    eventId: string,
  ): Promise<Pick<BeginCall, 'slots' | 'spent' | 'sequence' | 'watermark'> & { settings: OperatorSettings }>;
  /** In one transaction, in order. Changes before the position already written are passed over. `stale`: the epoch is over, nothing was written. */
  write(eventId: string, batch: JournalBatch): Promise<'written' | 'stale'>;
  /** Changes of an epoch that is over, which did not reach the journal in time. True: something was new, the store must be loaded again. */
  addLate(eventId: string, late: Pick<ChangesResult, 'epoch' | 'from' | 'changes'>): Promise<boolean>;
  /** Only the fields that the operator set; the others go on following the event and the configuration. */
  saveSettings(eventId: string, changes: Partial<QueueSettings>, on?: Queryable): Promise<void>;
  /** What operators have set, for those of these events that have a queue at all. */
  settingsOf(eventIds: readonly string[]): Promise<ReadonlyMap<string, OperatorSettings>>;
  /** A random few of the live slots, for the turnover of demonstrations. */
  someSlots(eventId: string, count: number): Promise<Slot[]>;
  /** Forgets slots that ended some minutes ago, a bounded number. Answers how many. */
  prune(): Promise<number>;
}

export interface JournalHead {
  readonly epoch: number;
  readonly era: number;
  /** The store has had this epoch. */
  readonly begun: boolean;
  /** Somebody else may be beginning it right now. */
  readonly leased: boolean;
  /** `QueueStore.identity` of the server on which it was begun. */
  readonly identity: string | null;
  /** How many were waiting when last written: the crowd that recovery waits for. */
  readonly crowd: number;
}

export interface JournalBatch extends Pick<ChangesResult, 'epoch' | 'from' | 'changes'> {
  /** How many wait; null while recovering, when the crowd is not back yet. */
  readonly crowd: number | null;
}

/** `threshold` null: nobody has set it, the event or the configuration decides. */
export type OperatorSettings = Omit<QueueSettings, 'threshold'> & { readonly threshold: number | null };

/** What the queue knows of an event, kept fresh by catalog-events. */
export interface EventFacts {
  readonly eventId: string;
  readonly title: string;
  readonly artist: string;
  readonly startsAt: string;
  readonly opensAtMs: number;
  readonly closesAtMs: number;
  readonly queueEnabled: boolean;
  readonly threshold: number | null;
  readonly hot: boolean;
  readonly cancelled: boolean;
  readonly version: number;
}

export interface QueueConfig {
  /** Slots per event, where neither the event nor the operator says otherwise. */
  readonly threshold: number;
  readonly activeTtlMs: number;
  readonly seenTtlMs: number;
  readonly absentMs: number;
  readonly claimMs: number;
  readonly admissionIntervalMs: number;
  readonly admissionBatch: number;
  readonly cleanupIntervalMs: number;
  readonly activeSeenTtlMs: number | null;
  readonly recoveringMs: number;
  readonly entryTokenTtlMs: number;
}

/** Brings an event's state into the store when it is not there: never begun, or lost. */
export interface EventStates {
  /** Runs the call; on `lost` recovers (one process wins, the others wait for it) and runs it again. STORE_UNAVAILABLE when that fails. */
  withState<Result>(eventId: string, call: () => Promise<Result | Lost>): Promise<Exclude<Result, Lost>>;
  /** A lost store was noticed otherwise (another `identity`): checks every event that this process knows. */
  suspectLoss(): Promise<void>;
}

/** What this process knows of events: filled from catalog on first need, kept fresh by catalog-events. */
export interface KnownEvents {
  /** Null: there is no such public event. Answers from memory while catalog is away. */
  get(eventId: string): Promise<EventFacts | null>;
  /** Every known event whose sale is open now. */
  onSale(): readonly EventFacts[];
}
