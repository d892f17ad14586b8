import type { ticketingInternalCalls } from '#modules/ticketing/contract.ts';
import type { AuditLog } from '#platform/audit/port.ts';
import type { Bus } from '#platform/bus/port.ts';
import type { Clock } from '#platform/clock.ts';
import type { Ids } from '#platform/ids.ts';
import type { InternalClient } from '#platform/internal-call.ts';
import type { personalDataCalls } from '#platform/personal-data-calls.ts';
import type { Database } from '#platform/postgres/database.ts';
import type { Random } from '#platform/random.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import type { Metrics } from '#platform/telemetry/metrics.ts';
import type { DeclineReason } from './domain/declines.ts';
import type { PaymentMethod } from './domain/payment.ts';

/** Everything the module needs from outside. */
export interface PaymentsDeps {
  readonly database: Database;
  readonly bus: Pick<Bus, 'wakeRelays'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly audit: AuditLog;
  readonly ticketing: Omit<InternalClient<typeof ticketingInternalCalls>, keyof typeof personalDataCalls>;
  /** The one that new orders go to is the first; the others answer for what was paid through them before. */
  readonly providers: readonly [PaymentProvider, ...PaymentProvider[]];
  /** One of the providers, where it is in force. */
  readonly sandbox: Sandbox | null;
  readonly config: PaymentsConfig;
}

export interface PaymentsConfig {
  /** How long a confirmation is waited for before its buyer is told that the outcome is not known yet. */
  readonly answerWithinMs: number;
  /** How much of that is spent on waiting for the tickets, so that the buyer usually sees them at once. */
  readonly ticketsWithinMs: number;
  /** How long a deposit may take. */
  readonly depositMs: number;
  /** Refunds that one process sends each second. */
  readonly refundsPerSecond: number;
}

/**
 * Where the money is moved, in our words. Every adapter passes `providers/conformance.ts`.
 *
 * A call ends within its limit (`providerLimits`). What the provider did not say clearly is `unknown`: the money may have moved. Nothing here
 * is decided by an HTTP status. Amounts are whole KRW.
 */
export interface PaymentProvider {
  readonly name: 'sandbox' | 'toss';
  /** What the page needs to open the provider's window; null where there is none. */
  readonly clientKey: string | null;
  /** The script with which the page opens that window; null where there is none. */
  readonly sdkUrl: string | null;
  readonly minimumKrw: Readonly<Record<PaymentMethod, number>>;
  /** Takes the money, or opens a virtual account. Repeating it with the same `attemptId` never takes it twice. */
  capture(call: CaptureCall): Promise<CaptureAnswer>;
  /** What the provider says now. `unknown`: it could not be asked. */
  find(by: { readonly paymentKey: string } | { readonly orderId: string }): Promise<FindAnswer>;
  /** Gives money back, or closes a payment that has not taken any (`amountKrw` null). Repeating it with the same `refundId` gives nothing twice. */
  refund(call: RefundCall): Promise<RefundAnswer>;
  /** What moved within this time, in pages: for reconciliation. */
  list(range: {
    readonly fromMs: number;
    readonly toMs: number;
    readonly cursor: string | null;
  }): Promise<{ readonly items: readonly ProviderMovement[]; readonly nextCursor: string | null }>;
  /** What a webhook is about. It is a hint only, whoever sent it. Null: nothing that can be read. */
  readHint(body: unknown): { readonly paymentKey: string | null; readonly orderId: string | null } | null;
}

export interface CaptureCall {
  /** The provider's idempotency key. */
  readonly attemptId: string;
  readonly paymentKey: string;
  readonly orderId: string;
  readonly orderName: string;
  readonly amountKrw: number;
  readonly method: PaymentMethod;
  /** Of a virtual account. */
  readonly depositUntilMs: number | null;
}

export type CaptureAnswer =
  | { readonly status: 'captured'; readonly payment: ProviderPayment }
  | { readonly status: 'waiting_for_deposit'; readonly payment: ProviderPayment }
  /** Proof that no money moved and none will. `reason` is one of domain/declines.ts. */
  | { readonly status: 'declined'; readonly code: string; readonly reason: DeclineReason }
  | { readonly status: 'unknown'; readonly why: string };

export type FindAnswer =
  | { readonly status: 'found'; readonly payment: ProviderPayment }
  | { readonly status: 'not_found' }
  | { readonly status: 'unknown'; readonly why: string };

export interface RefundCall {
  /** The provider's idempotency key. */
  readonly refundId: string;
  readonly paymentKey: string;
  /** Null: all of it, also of a payment whose money has not come yet. */
  readonly amountKrw: number | null;
  /** How much was captured less what went back before, as we know it: a guard against refunding twice. */
  readonly balanceKrw: number | null;
  readonly reason: string;
  /** Where the money of a virtual account goes. */
  readonly account: RefundAccount | null;
  /** When it was first sent: an idempotency key is only good for a time, so a late retry looks before it sends. */
  readonly firstSentAtMs: number;
}

export type RefundAnswer =
  | { readonly status: 'done'; readonly reference: string; readonly payment: ProviderPayment }
  /** Will never succeed as it is: a person has to look. */
  | { readonly status: 'refused'; readonly code: string; readonly message: string }
  /** Nothing happened; later it may. `afterMs`: not before. */
  | { readonly status: 'later'; readonly code: string; readonly afterMs: number | null }
  | { readonly status: 'unknown'; readonly why: string };

/** A payment as the provider has it. */
export interface ProviderPayment {
  readonly paymentKey: string;
  readonly orderId: string;
  /** `open`: no money yet, it may still come (`in_progress` can be captured by us). `failed`, `expired`: none will come. */
  readonly status: 'open' | 'in_progress' | 'waiting_for_deposit' | 'captured' | 'refunded' | 'failed' | 'expired';
  readonly amountKrw: number;
  /** What was captured and has not gone back. */
  readonly balanceKrw: number;
  /** Whether money was captured at any time. A reversed deposit was, and `refunds` does not name it. */
  readonly wasCaptured: boolean;
  readonly currency: string;
  readonly method: PaymentMethod;
  readonly refunds: readonly ProviderRefund[];
  readonly account: VirtualAccount | null;
}

export interface ProviderRefund {
  readonly reference: string;
  /** Ours, where the provider keeps it. */
  readonly refundId: string | null;
  readonly amountKrw: number;
  readonly atMs: number;
}

export interface VirtualAccount {
  readonly bank: string;
  readonly number: string;
  readonly depositUntilMs: number;
}

export interface RefundAccount {
  readonly bank: string;
  readonly number: string;
  readonly holder: string;
}

/** One line of the provider's list: money that came in, or went back. */
export interface ProviderMovement {
  readonly reference: string;
  readonly paymentKey: string;
  readonly orderId: string;
  readonly kind: 'captured' | 'refunded';
  readonly amountKrw: number;
  readonly atMs: number;
}

/** The sandbox beyond the port: its cards, and its bank. */
export interface Sandbox extends PaymentProvider {
  /** The payment key of a test card. Equal salts give equal keys. */
  keyOf(call: { readonly cardNumber: string | null; readonly salt: string }): string;
  /** False: there is no such account. */
  deposit(orderId: string): Promise<boolean>;
  /** The bank takes the deposit back. */
  reverse(orderId: string): Promise<boolean>;
}
