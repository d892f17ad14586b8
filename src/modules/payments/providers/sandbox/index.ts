import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { assertNever } from '#platform/assert.ts';
import type { Database } from '#platform/postgres/database.ts';
import { withTimeout } from '#platform/resilience/timeout.ts';
import { sandboxKey, sandboxKeyOf, sandboxPlanOf } from '../../domain/sandbox-cards.ts';
import type { CaptureAnswer, CaptureCall, FindAnswer, RefundAnswer, RefundCall, Sandbox } from '../../ports.ts';
import { type ProviderLimits, providerLimits } from '../limits.ts';
import { callBank, callCapture, callRefund, findPayment, listMovements } from './calls.ts';
import { reasonOf } from './declines.ts';
import { readHint } from './hint.ts';
import { nextCursor, placeOf } from './pages.ts';

export { createSandboxCallbacks } from './callbacks.ts';

export interface SandboxDeps {
  readonly database: Database;
  readonly limits?: ProviderLimits;
  /** Lines of one page of the list. */
  readonly pageMax?: number;
  /** Plays the time that an answer takes. Nothing is locked and no connection is kept meanwhile. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** The sandbox with what only its console can do. */
export interface SandboxProvider extends Sandbox {
  /** Somebody refunds at the provider's own console. False: there is not so much to refund. */
  refundElsewhere(call: { readonly paymentKey: string; readonly amountKrw: number }): Promise<boolean>;
}

const minimumKrw = { card: 100, virtual_account: 200 } as const;
const isDown = 'the sandbox plays a fault';

/**
 * A provider that moves no money and behaves by card number (domain/sandbox-cards.ts). All it knows is in PostgreSQL, shared by every process:
 * a call is one short statement, and delays are played here, after it.
 */
export function createSandboxProvider({
  database,
  limits = providerLimits,
  pageMax = 500,
  pause = wait,
}: SandboxDeps): SandboxProvider {
  /** Ends by the limit, whatever the database does. */
  function ask<Result>(work: Promise<Result>, limitMs: number): Promise<Result> {
    return withTimeout(work, limitMs, () => new Error(noAnswerWithin(limitMs)));
  }

  /** The answer is lost, or comes later than anyone waits for it. */
  async function noAnswer(limitMs: number) {
    await pause(limitMs);
    return { status: 'unknown', why: noAnswerWithin(limitMs) } as const;
  }

  async function capture(call: CaptureCall): Promise<CaptureAnswer> {
    if (call.amountKrw < minimumKrw[call.method]) return declined('BELOW_MINIMUM');
    const row = await ask(callCapture(database, call, sandboxPlanOf(call.paymentKey)), limits.captureMs);
    switch (row.verdict) {
      case 'captured':
      case 'waiting_for_deposit':
        return { status: row.verdict, payment: row.payment };
      case 'declined':
        return declined(row.code);
      case 'slow':
        if (row.wait_ms >= limits.captureMs) return noAnswer(limits.captureMs);
        await pause(row.wait_ms);
        return answerNow(call);
      case 'silent':
        return noAnswer(limits.captureMs);
      case 'down':
        return { status: 'unknown', why: isDown };
      case 'over':
        return { status: 'unknown', why: 'the deposit was taken back' };
      default:
        return assertNever(row);
    }
  }

  /** What a slow capture has come to. */
  async function answerNow({ paymentKey }: CaptureCall): Promise<CaptureAnswer> {
    const now = await find({ paymentKey });
    if (now.status === 'found' && now.payment.wasCaptured) return { status: 'captured', payment: now.payment };
    return { status: 'unknown', why: 'it was not captured in time' };
  }

  async function find(by: { paymentKey: string } | { orderId: string }): Promise<FindAnswer> {
    const row = await ask(findPayment(database, by), limits.findMs);
    if (row === null) return { status: 'not_found' };
    return row.is_down ? { status: 'unknown', why: isDown } : { status: 'found', payment: row.payment };
  }

  async function refund(call: RefundCall): Promise<RefundAnswer> {
    const row = await ask(callRefund(database, { ...call, hasAccount: call.account !== null }), limits.refundMs);
    switch (row.verdict) {
      case 'done':
        return { status: 'done', reference: row.reference, payment: row.payment };
      case 'refused':
        return { status: 'refused', code: row.code, message: `The sandbox refused the refund: ${row.code}.` };
      case 'later':
        return { status: 'later', code: 'DOWN', afterMs: row.wait_ms };
      case 'silent':
        return noAnswer(limits.refundMs);
      default:
        return assertNever(row);
    }
  }

  return {
    name: 'sandbox',
    clientKey: null,
    sdkUrl: null,
    minimumKrw,
    capture: (call) => capture(call).catch(notKnown),
    find: (by) => find(by).catch(notKnown),
    refund: (call) => refund(call).catch(notKnown),
    async list({ fromMs, toMs, cursor }) {
      const page = listMovements(database, { fromMs, toMs, after: placeOf(cursor), rowsMax: pageMax });
      const items = await ask(page, limits.listMs);
      return { items, nextCursor: nextCursor(items, pageMax) };
    },
    readHint,
    keyOf({ cardNumber, salt }) {
      const mark = createHash('sha256').update(salt).digest('hex').slice(0, 32);
      return cardNumber === null ? sandboxKey('approves', mark) : sandboxKeyOf({ cardNumber, mark });
    },
    deposit: (orderId) => callBank(database, orderId, 'deposit'),
    reverse: (orderId) => callBank(database, orderId, 'reverse'),
    async refundElsewhere({ paymentKey, amountKrw }) {
      const call = { paymentKey, amountKrw, balanceKrw: null, refundId: null, hasAccount: true };
      return (await callRefund(database, call)).verdict === 'done';
    },
  };
}

function declined(code: string): CaptureAnswer {
  return { status: 'declined', code, reason: reasonOf(code) };
}

function noAnswerWithin(limitMs: number): string {
  return `no answer within ${limitMs} ms`;
}

/** The database may have done it all the same. */
function notKnown(error: unknown): { status: 'unknown'; why: string } {
  return { status: 'unknown', why: error instanceof Error ? error.message : 'the sandbox could not be reached' };
}
