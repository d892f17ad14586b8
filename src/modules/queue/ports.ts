import type { Queryable } from '#platform/postgres/database.ts';
import type { RoomSwitched, RoomWanted } from './domain/room-eras.ts';
import type {
  BeginCall,
  ChangesResult,
  LateChange,
  Lost,
  QueueSettings,
  RoomSwitch,
  Slot,
  StoreDump,
} from './store-answers.ts';

export * from './store-answers.ts';
export * from './store-port.ts';

/**
 * PostgreSQL: what must outlive the store.
 *
 *   (no row) ──open──▶ epoch 1, not begun ──markBegun──▶ begun ──raiseEpoch──▶ epoch 2, not begun ──▶ …
 *
 * Anyone who made the row or raised the epoch holds a lease of some seconds to begin the store's state. Only when it has run
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
  /** Takes the next era for tier 1, or one behind tier 1's for the store's own numbers. In one step: of two processes one is later. */
  switchRoom(eventId: string, wanted: RoomWanted): Promise<RoomSwitched>;
  /** The store knows a later switch than the journal, which went back. Of an earlier one nothing happens. */
  adoptRoom(eventId: string, known: RoomSwitch): Promise<void>;
  /** What `begin` needs, beside the settings that nobody has set. */
  load(eventId: string): Promise<
    Pick<BeginCall, 'era' | 'room' | 'slots' | 'denied' | 'spent' | 'returned' | 'sequence' | 'watermark'> & {
      settings: OperatorSettings;
    }
  >;
  /**
   * In one transaction, in order. Changes before the position already written are passed over. Nothing is written if the epoch
   * is over (`stale`), or if what came before these changes, or their epoch, is unknown here (`behind`): then the journal is
   * older than it was, as after the restore of a backup. All of it is known here, and more that was not in the store when the
   * batch was read: the answer is the position. Another process wrote it since then, or the store went back.
   */
  write(eventId: string, batch: JournalBatch): Promise<'written' | 'stale' | 'behind' | { readonly position: number }>;
  /**
   * The journal is older than the store, which is on this server: it takes over all that the store has, and its changes
   * follow from the dump's position on. `stale`: the journal has a later epoch by now, nothing was written.
   */
  adopt(eventId: string, dump: StoreDump, identity: string): Promise<'adopted' | 'stale'>;
  /** These servers answer this process now. What the journal says of these events, at a moment after the call. */
  confirm(call: {
    eventIds: readonly string[];
    servers: readonly string[];
  }): Promise<ReadonlyMap<string, ConfirmedHead>>;
  /** Changes of an epoch that is over and that the journal had not heard of, for a process with the present one to merge. */
  noteLate(eventId: string, changes: readonly LateChange[]): Promise<void>;
  /** In their order. They stay until they are forgotten. */
  readLate(eventId: string, limit: number): Promise<{ id: number; change: LateChange }[]>;
  forgetLate(ids: readonly number[]): Promise<void>;
  /** Only the fields that the operator set; the others go on following the event and the configuration, and so does a threshold of null. */
  saveSettings(eventId: string, changes: Partial<OperatorSettings>, on?: Queryable): Promise<void>;
  /** What operators have set, and the room, for those of these events that have a queue at all. */
  settingsOf(eventIds: readonly string[]): Promise<ReadonlyMap<string, SavedSettings>>;
  /** The store knows a later version than the journal, which went back: these are the settings. Of an earlier one nothing happens. */
  adoptSettings(eventId: string, settings: Omit<SavedSettings, keyof RoomSwitch>): Promise<void>;
  /** A random few of the live slots, for the turnover of demonstrations. */
  someSlots(eventId: string, count: number): Promise<Slot[]>;
  /** Events in the store whose sale was over, or cancelled, by then: a random few of them. */
  finished(call: { byMs: number; limit: number }): Promise<string[]>;
  /** The store no longer has this epoch, by intention. Anyone who needs the event brings it back with the next one. */
  markRemoved(eventId: string, epoch: number): Promise<void>;
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
  /** Identities of servers that kept the event before, the last few. */
  readonly superseded: readonly string[];
  /** Some process had an answer of the server with `identity` in the last seconds. */
  readonly served: boolean;
}

export interface ConfirmedHead extends Pick<JournalHead, 'epoch' | 'begun' | 'identity'> {
  /** There is something to `readLate`. */
  readonly hasLate: boolean;
}

export interface JournalBatch extends Pick<ChangesResult, 'epoch' | 'from' | 'changes'> {
  /** How many there were in the store, from `from` on. */
  readonly backlog?: number;
  /** How many wait; null while recovering, when the crowd is not back yet. */
  readonly crowd: number | null;
}

/** `threshold` null: nobody has set it, the event or the configuration decides. */
export type OperatorSettings = Omit<QueueSettings, 'threshold'> & { readonly threshold: number | null };

/** `version`: raised with every change by an operator. */
export type SavedSettings = OperatorSettings & RoomSwitch & { readonly version: number };

/** Of one event. The moment stands in the pending ticket and in the message alike. */
export interface BufferedEntryName {
  readonly userId: string;
  readonly requestedAtMs: number;
}

/** Buffered entries that their users gave up before they were consumed. It only keeps an entry from taking a place, and ends none. */
export interface WithdrawnEntries {
  note(eventId: string, entry: BufferedEntryName): Promise<void>;
  /** Says of each of these whether it was withdrawn. No, if it cannot be known: entries must not wait for that. */
  among(eventId: string, entries: readonly BufferedEntryName[]): Promise<(entry: BufferedEntryName) => boolean>;
  /** Forgets those whose entries are gone from the topic, a bounded number. Answers how many. */
  prune(): Promise<number>;
}

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
  /** Those so near the front ask the store at every poll: their turn may come at any moment. */
  readonly exactPositions: number;
  readonly cleanupIntervalMs: number;
  readonly activeSeenTtlMs: number | null;
  readonly recoveringMs: number;
}

/** What a call may do on the server that it is sent to. */
export interface Fence {
  /**
   * The journal has said in the last seconds that this server keeps the event. Only then slots are given: a server that was
   * superseded without knowing it would give them a second time.
   */
  mayGrant(): Promise<boolean>;
}

/** Brings an event's state into the store when it is not there: never begun, or lost. */
export interface EventStates {
  /**
   * Runs the call; on `lost` recovers (one process wins, the others wait for it) and runs it again. STORE_UNAVAILABLE when
   * that fails. `changed` says what the answer tells of changes: should the store be lost before the journal has them, they
   * are added to the next epoch from here.
   */
  withState<Result>(
    eventId: string,
    call: (fence: Fence) => Promise<Result | Lost>,
    changed?: (result: Exclude<Result, Lost>) => readonly LateChange[],
  ): Promise<Exclude<Result, Lost>>;
  /**
   * A loss was noticed otherwise (another `identity`): the event is sound afterwards, brought back if need be. One that was
   * taken out of the store after its sale stays out.
   */
  suspectLoss(eventId: string): Promise<void>;
}

/** What this process knows of events: filled from catalog on first need, kept fresh by catalog-events. */
export interface KnownEvents {
  /** Null: there is no such public event. Answers from memory while catalog is away. */
  get(eventId: string): Promise<EventFacts | null>;
  /** Every known event whose sale is open now. */
  onSale(): readonly EventFacts[];
  /** Its sale is known to be over, or cancelled. */
  isOver(eventId: string): boolean;
}
