import type { catalogInternalCalls, EventSnapshot } from '#modules/catalog/contract.ts';
import type { paymentsInternalCalls } from '#modules/payments/contract.ts';
import type { queueInternalCalls } from '#modules/queue/contract.ts';
import type { AuditLog } from '#platform/audit/port.ts';
import type { Bus } from '#platform/bus/port.ts';
import type { Clock } from '#platform/clock.ts';
import type { Ids } from '#platform/ids.ts';
import type { InternalClient } from '#platform/internal-call.ts';
import type { Database } from '#platform/postgres/database.ts';
import type { Random } from '#platform/random.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import type { Metrics } from '#platform/telemetry/metrics.ts';
import type { BuyerTier } from './domain/fees.ts';
import type { SeatPlan } from './domain/seat-plan.ts';
import type { Reservation } from './schemas.ts';

/** Everything the module needs from outside. */
export interface TicketingDeps {
  readonly database: Database;
  readonly bus: Pick<Bus, 'publish' | 'wakeRelays'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly audit: AuditLog;
  readonly catalog: Pick<InternalClient<typeof catalogInternalCalls>, 'layoutById' | 'markSoldOut'>;
  readonly queue: Pick<InternalClient<typeof queueInternalCalls>, 'endSlot'>;
  readonly payments: Pick<InternalClient<typeof paymentsInternalCalls>, 'attemptStates'>;
  readonly tiers: BuyerTiers;
  /** Null: no Redis, or switched off. */
  readonly shield: SeatShield | null;
  readonly ticketKeys: readonly TicketKey[];
}

/** Who may buy earlier, and for a lower fee. `general` until memberships are there. */
export interface BuyerTiers {
  tierOf(call: { userId: string; artistId: string }): Promise<BuyerTier>;
}

/** An Ed25519 key pair; the first of the list signs, all verify. */
export interface TicketKey {
  readonly kid: string;
  /** 32 bytes. */
  readonly seed: Buffer;
}

/**
 * A cache of what the database has answered, each for at most 3 s. It refuses what is surely taken and may lie, vanish or be
 * emptied: then the database decides alone. No call of it rejects.
 */
export interface SeatShield {
  /** For each request: the seats that are surely somebody else's, or none. */
  taken(
    eventId: string,
    requests: readonly { userId: string; seatNos: readonly number[] }[],
  ): Promise<readonly (readonly number[])[]>;
  /** What the database has just said. Never prolongs what is there. */
  note(eventId: string, seats: readonly ShieldedSeat[]): void;
  /** These came back; only where owner and fence are the ones noted. */
  drop(eventId: string, seats: readonly Pick<ShieldedSeat, 'seatNo' | 'fence'>[]): void;
}

export interface ShieldedSeat {
  readonly seatNo: number;
  readonly userId: string;
  readonly fence: number;
  /** The hold ends then, and what the shield knows of it with it. Null: it does not end by time. */
  readonly heldForMs: number | null;
}

/** An event as this process knows it. Replaced as a whole when anything of it changes. */
export interface EventBook {
  readonly eventId: string;
  /** Catalog's. The database refuses to act on another one than it has. */
  readonly version: number;
  readonly facts: EventSnapshot;
  readonly opensAtMs: number;
  readonly closesAtMs: number;
  readonly isCancelled: boolean;
  /** The seats that stand were made from these facts. */
  readonly isReady: boolean;
  /** Null while there are none, which is also so for an event without seats before it was built. */
  readonly plan: SeatPlan | null;
}

export interface EventBooks {
  /** Null: no such event was ever published, as far as ticketing has heard. */
  get(eventId: string): Promise<EventBook | null>;
  /** Reads it anew: the database has said that this process is behind. */
  renew(eventId: string): Promise<EventBook | null>;
}

export interface IdempotencyName {
  readonly key: string;
  readonly method: string;
  readonly route: string;
  readonly fingerprint: string;
  /** The key was made for this request: nobody has sent it before. */
  readonly isNew?: boolean;
}

export interface HoldRequest {
  readonly eventId: string;
  readonly userId: string;
  readonly slotId: string;
  /** Of the plan by which the caller chose: its seat numbers and prices. Set where seats become numbers, never looked up later. */
  readonly offer: string;
  /** Exactly one of both is not empty. Numbers of the plan of `offer`. */
  readonly seatNos: readonly number[];
  readonly items: readonly { readonly ticketTypeId: string; readonly quantity: number }[];
  readonly replaces: string | null;
  readonly idempotency: IdempotencyName;
}

/** What became of one request. Everything but `granted`, `same` and `replayed` has changed nothing. */
export type HoldVerdict =
  | { readonly status: 'granted' | 'same' | 'replayed'; readonly reservation: Reservation }
  | { readonly status: 'taken'; readonly seatNos: readonly number[] }
  | { readonly status: 'busy' }
  | { readonly status: 'short'; readonly left: readonly { readonly ticketTypeId: string; readonly left: number }[] }
  | { readonly status: 'limit'; readonly limit: number; readonly have: number }
  | { readonly status: 'not-open'; readonly opensAtMs: number }
  | { readonly status: 'tier-not-open'; readonly opensAtMs: number | null }
  | { readonly status: 'over' }
  | { readonly status: 'not-ready' }
  /** What is sold now is another plan than the one of the request: its numbers may be other seats, or dearer ones. */
  | { readonly status: 'other-offer' }
  | { readonly status: 'unknown-event' | 'unknown-seat' | 'unknown-type' | 'unknown-replaced' }
  | { readonly status: 'in-flight' }
  | { readonly status: 'mismatch' };

/** Grants holds. Faults (DATABASE_UNAVAILABLE, HOLDS_BUSY) are thrown. */
export interface Holds {
  hold(request: HoldRequest): Promise<HoldVerdict>;
  /** What a request with this key was answered before, if it was: `replayed` or `mismatch`. Null: it was never granted anything. */
  replay(request: Pick<HoldRequest, 'userId' | 'idempotency'>): Promise<HoldVerdict | null>;
}

/** The seat maps that this process keeps in memory, each fed by the ledger. */
export interface SeatMaps {
  /** The map of an event, read on first use and kept while anybody looks. Null: nothing is built. */
  open(eventId: string): Promise<LiveSeatMap | null>;
}

export interface LiveSeatMap {
  readonly plan: SeatPlan;
  /** As of this version, and as of now for holds that have lapsed. */
  version(): number;
  /** 0 free, 1 held, 2 sold, 3 blocked, by seatNo. */
  looks(): Uint8Array;
  /** The caller's own live reservation, the newest if there are several. */
  mineOf(userId: string): Reservation | null;
  leftOf(ticketTypeId: string): number;
  /** Reads the database now; resolves when the map is at least as new as the call. */
  refresh(): Promise<void>;
}
