import type { PlaceOrder } from './domain/place-order.ts';

/** What the store is asked with, and what it answers. What it does: `store-port.ts`. */

/** The store has no state for this event: it was never begun, or it was lost. The caller recovers and asks again. */
export interface Lost {
  readonly status: 'lost';
}

export interface EnterCall {
  readonly eventId: string;
  readonly userId: string;
  readonly mode: 'enter' | 'look' | 'return';
  readonly lane: 0 | 1;
  /** Nobody waits for the answer, as when an entry was buffered: a slot given by it is unclaimed, and so is one that is there. */
  readonly unattended?: boolean;
  /** No slot is given by this call, only a place: this process may give none (`Fence.mayGrant`). */
  readonly withoutSlot?: boolean;
  /** From a verified waiting ticket of this user and event. */
  readonly ticketOrder?: PlaceOrder;
  /** From a verified tier-1 token. */
  readonly numbered?: PlaceOrder;
  /** A number of tier 1 is asked for, whatever the store knows. */
  readonly roomOn: boolean;
  /** None is asked for, although the store knows the room to be on: entered before that, or rooms that nobody confirms are open. */
  readonly pastRoom?: boolean;
  readonly activeTtlMs: number;
  readonly nowMs?: number;
}

export interface Slot {
  readonly slotId: string;
  readonly userId: string;
  readonly order: PlaceOrder;
  readonly endsAtMs: number;
}

/** What a verified entry token says of its slot. */
export type SlotClaim = Pick<Slot, 'userId' | 'slotId'>;

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
      readonly order: PlaceOrder;
      readonly position: number;
      readonly epoch: number;
      /** This call put the user in line (3, 5, 6). */
      readonly fresh: boolean;
    }
  | { readonly status: 'none'; readonly spent: boolean; readonly epoch: number }
  | { readonly status: 'number-taken' | 'tier1-required' | 'closed'; readonly epoch: number };

export type LeaveResult =
  | { readonly left: 'place'; readonly order: PlaceOrder; readonly epoch: number }
  | { readonly left: 'slot'; readonly slot: Slot; readonly epoch: number }
  | { readonly left: 'nothing'; readonly epoch: number };

export type EndSlotResult =
  | { readonly ended: true; readonly slot: Slot; readonly epoch: number }
  | { readonly ended: false; readonly epoch: number };

export interface AdmitCall {
  readonly eventId: string;
  readonly admitMax: number;
  readonly parkMax: number;
  readonly absentMs: number;
  readonly claimMs: number;
  readonly activeTtlMs: number;
  /** Claimed slots whose user was unseen this long end; null: never. */
  readonly activeSeenTtlMs: number | null;
  /** Where steps are far apart by intention; `outageMs` otherwise. */
  readonly outageMs?: number;
  readonly nowMs?: number;
}

export interface AdmitResult {
  readonly status: 'ok';
  readonly epoch: number;
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

/** Whether tier 1 stands before the event. */
export interface RoomState {
  readonly on: boolean;
  /** The latest that tier 1's numbers got, never one of the store's own; 0: none yet. */
  readonly era: number;
  /** Raised with every switch. */
  readonly version: number;
}

export interface RoomSwitch {
  /** In which the store's own numbers go on. */
  readonly era: number;
  readonly room: RoomState;
}

export interface StoreSnapshot {
  readonly status: 'ok';
  readonly epoch: number;
  readonly era: number;
  readonly atMs: number;
  /** The highest order that was ever admitted. Anyone who is above it and known to wait has surely not been. */
  readonly watermark: PlaceOrder;
  readonly waiting: number;
  readonly parked: number;
  readonly active: number;
  readonly settings: QueueSettings;
  /** The latest version of what operators set that the journal was known to have; 0: none since the state was begun. */
  readonly settingsVersion: number;
  readonly room: RoomState;
  /** Places that were given by a number of tier 1 in this epoch. */
  readonly numbered: number;
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
  readonly breakpoints: readonly { readonly rank: number; readonly order: PlaceOrder }[];
  /** Slots that ended early and whose tokens would still be good: all, or those since the mark that was asked with. */
  readonly denied: readonly { readonly slotId: string; readonly untilMs: number }[];
  /** To ask with the next time. */
  readonly deniedMark: DeniedMark;
  /** What clearings ended in this epoch, and up to which place of each lane the last one has left nobody waiting so far. */
  readonly cleared: { readonly count: number; readonly upTo: LastPlaces };
}

/** How many of an event's denied slots somebody knows. Serial numbers begin anew with each epoch; a mark of another one counts as none. */
export interface DeniedMark {
  readonly epoch: number;
  readonly serial: number;
}

/**
 * The last place of each lane at some moment, 0 where there is none. A fresh number is later than all in its lane; of those who
 * come afterwards only a number of tier 1 or a ticket that was given before may be at or before it.
 */
export type LastPlaces = readonly [presale: PlaceOrder, general: PlaceOrder];

export interface Cleared {
  readonly cleared: number;
  /** How many places up to the last one are still there. */
  readonly left: number;
  readonly upTo: LastPlaces;
}

export interface UserTrace {
  readonly status: 'ok';
  readonly place: 'waiting' | 'parked' | 'active' | 'none';
  /** With place `none`: the slot ended unclaimed, and this is the order at which its user will be put back. */
  readonly order: PlaceOrder | null;
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

/** A place is over, or is not any more. */
export interface SpentMark {
  readonly order: PlaceOrder;
  readonly isSpent: boolean;
}

export type MarksResult =
  | {
      readonly status: 'ok';
      /** In their order: of one place the last counts. */
      readonly marks: readonly SpentMark[];
      /** Where to go on, and whether there is more already. */
      readonly upTo: number;
      readonly more: boolean;
    }
  /** Nobody knows any more what was there: begin anew with a dump. */
  | { readonly status: 'gap' };

/**
 * What PostgreSQL must know to bring the event back. A slot comes before its spent mark, and `unspent` before the end of the
 * unclaimed slot: wherever the journal is cut, its user has the slot or the place. `begin` marks the orders of its slots spent
 * (a change of the new epoch, where the mark was missing). A slot that is claimed later than it was given is told of again.
 * `unspent` says also that the place was given back: the next slot of it is the last one, and it stays over if nobody claims it.
 */
export type StoreChange =
  | { readonly kind: 'slot'; readonly slot: Slot; readonly claimed: boolean }
  | { readonly kind: 'slot-ended'; readonly userId: string; readonly slotId: string }
  | { readonly kind: 'spent'; readonly order: PlaceOrder }
  | { readonly kind: 'unspent'; readonly order: PlaceOrder };

/**
 * What a lost epoch leaves behind. A place that was given back is not among it: its slot is still there, to be claimed. But a
 * place is, whose user has no ticket yet because nobody waited for the answer.
 */
export type LateChange =
  | Exclude<StoreChange, { kind: 'unspent' }>
  | { readonly kind: 'place'; readonly userId: string; readonly order: PlaceOrder };

/** All that the journal keeps of an event. */
export interface StoreDump
  extends Pick<
    BeginCall,
    'epoch' | 'era' | 'room' | 'slots' | 'denied' | 'spent' | 'returned' | 'sequence' | 'watermark'
  > {
  readonly status: 'ok';
  /** What changed since it was read is among the changes from this position on. */
  readonly from: number;
}

export interface MergeCall {
  readonly eventId: string;
  readonly epoch: number;
  readonly changes: readonly LateChange[];
  readonly nowMs?: number;
}

export interface BeginCall {
  readonly eventId: string;
  readonly epoch: number;
  readonly era: number;
  readonly room: RoomState;
  readonly settings: QueueSettings;
  /** Claimed ones stay claimed; the others may be claimed as if they were given at this moment. */
  readonly slots: readonly SlotRecord[];
  /** Slots that ended early and whose tokens would still be good. */
  readonly denied: StoreSnapshot['denied'];
  /** Bitmaps of spent numbers: bit n of chunk c of era e is number c·2^20 + n; most significant bit first, as Redis SETBIT has it. */
  readonly spent: readonly { readonly era: number; readonly chunk: number; readonly bits: Buffer }[];
  /** Places that were given back once, unclaimed, and are neither claimed nor over: waited for, or those of unclaimed slots. */
  readonly returned: readonly PlaceOrder[];
  /** The sequence goes on after this number. */
  readonly sequence: number;
  readonly watermark: PlaceOrder;
  readonly recoveringMs: number;
  readonly nowMs?: number;
}
