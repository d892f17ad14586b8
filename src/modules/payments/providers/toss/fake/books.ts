import { type FakeBehaviour, planOf } from './behaviours.ts';
import type { FakeAnswer, FakePayment, FakeState } from './state.ts';
import { announce, announceDeposit } from './webhooks.ts';

const minuteMs = 60_000;
const authenticatedForMs = 10 * minuteMs;
const readyForMs = 30 * minuteMs;
const minimum = { CARD: 100, VIRTUAL_ACCOUNT: 200 } as const;
const banks = /^\d{2}$/;

/** A refusal, as Toss words it. */
export class TossRefusal extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string) {
    super(`the fake says ${code}`);
    this.status = status;
    this.code = code;
  }
}

const refuse = (status: number, code: string): never => {
  throw new TossRefusal(status, code);
};

export interface NewPayment {
  readonly orderId: string;
  readonly orderName: string;
  readonly amount: number;
  readonly method: FakePayment['method'];
  readonly behaviour: FakeBehaviour;
  /** Of a virtual account. */
  readonly dueAtMs: number;
}

/** What Toss's window does: the buyer has authenticated, and the payment may be confirmed. */
export function createPayment(state: FakeState, wanted: NewPayment, nowMs: number): FakePayment {
  const { orderId, orderName, amount, method, behaviour } = wanted;
  if (ofOrder(state, orderId).some(({ approvedAtMs }) => approvedAtMs !== null)) refuse(400, 'DUPLICATED_ORDER_ID');
  const id = take(state);
  const paymentKey = `tfake${new Date(nowMs).toISOString().replaceAll(/\D/g, '').slice(0, 14)}${id}`;
  const account = { number: String(70_000_000_000_000 + id), dueAtMs: wanted.dueAtMs };
  const payment: FakePayment = {
    ...{
      paymentKey,
      orderId,
      orderName,
      amount,
      method,
      behaviour,
      createdAtMs: nowMs,
      status: 'IN_PROGRESS',
      balance: amount,
    },
    ...{
      approvedAtMs: null,
      lastTransactionKey: null,
      failure: null,
      cancels: [],
      calls: { confirm: 0, cancel: 0 },
      pending: null,
    },
    account: method === 'VIRTUAL_ACCOUNT' ? account : null,
  };
  state.payments[paymentKey] = payment;
  return payment;
}

/** Lets happen what time brings: sessions and accounts lapse, slow captures come. */
export function settle(state: FakeState, nowMs: number, answerOf: (payment: FakePayment) => FakeAnswer): void {
  for (const payment of Object.values(state.payments)) {
    const { pending } = payment;
    if (pending !== null && pending.atMs <= nowMs) {
      payment.pending = null;
      if (payment.status === 'IN_PROGRESS') approve(state, payment, pending.atMs);
      const kept = pending.answerKey === null ? undefined : state.answers[pending.answerKey];
      if (kept !== undefined) kept.answer = answerOf(payment);
    }
    if (payment.status === 'READY' && nowMs > payment.createdAtMs + readyForMs) payment.status = 'EXPIRED';
    if (
      payment.status === 'IN_PROGRESS' &&
      payment.pending === null &&
      nowMs > payment.createdAtMs + authenticatedForMs
    ) {
      payment.status = 'EXPIRED';
      payment.failure = 'EXPIRED_PAYMENT';
    }
    if (payment.status === 'WAITING_FOR_DEPOSIT' && payment.account !== null && nowMs > payment.account.dueAtMs) {
      payment.status = 'EXPIRED';
      announce(state, payment, nowMs);
    }
  }
}

/** Whether the payment may be confirmed; throws Toss's refusal. */
export function checkConfirm(
  state: FakeState,
  call: { paymentKey: string; orderId: string; amount: number },
): FakePayment {
  const payment = state.payments[call.paymentKey] ?? refuse(404, 'NOT_FOUND_PAYMENT');
  if (payment.status === 'EXPIRED' && payment.lastTransactionKey === null) refuse(404, 'NOT_FOUND_PAYMENT_SESSION');
  if (payment.status === 'READY') refuse(403, 'FORBIDDEN_REQUEST');
  if (payment.orderId !== call.orderId || payment.amount !== call.amount) refuse(403, 'FORBIDDEN_REQUEST');
  if (payment.status !== 'IN_PROGRESS') refuse(400, 'ALREADY_PROCESSED_PAYMENT');
  if (payment.pending !== null) refuse(400, 'ALREADY_PROCESSING_REQUEST');
  if (payment.amount < minimum[payment.method]) refuse(400, 'BELOW_MINIMUM_AMOUNT');
  const others = ofOrder(state, call.orderId).filter(({ approvedAtMs }) => approvedAtMs !== null);
  if (others.length > 0) refuse(400, 'DUPLICATED_ORDER_ID');
  return payment;
}

/** Takes the money of a card; opens the account of the other. */
export function approve(state: FakeState, payment: FakePayment, nowMs: number): void {
  if (payment.method === 'VIRTUAL_ACCOUNT') {
    payment.status = 'WAITING_FOR_DEPOSIT';
    note(state, payment, 0, nowMs);
  } else {
    payment.status = 'DONE';
    payment.approvedAtMs = nowMs;
    note(state, payment, payment.amount, nowMs);
  }
  announce(state, payment, nowMs);
}

export function decline(state: FakeState, payment: FakePayment, code: string, nowMs: number): void {
  payment.status = 'ABORTED';
  payment.failure = code;
  announce(state, payment, nowMs);
}

export interface CancelCall {
  readonly cancelReason?: unknown;
  readonly cancelAmount?: unknown;
  readonly refundableAmount?: unknown;
  readonly refundReceiveAccount?: unknown;
}

export function checkCancel(state: FakeState, paymentKey: string, call: CancelCall): FakePayment {
  const payment = state.payments[paymentKey] ?? refuse(404, 'NOT_FOUND_PAYMENT');
  const { cancelReason, cancelAmount, refundableAmount } = call;
  if (typeof cancelReason !== 'string' || cancelReason === '' || cancelReason.length > 200)
    refuse(400, 'INVALID_REQUEST');
  if (cancelAmount !== undefined && !(Number.isInteger(cancelAmount) && Number(cancelAmount) > 0))
    refuse(400, 'INVALID_REQUEST');
  if (payment.status === 'WAITING_FOR_DEPOSIT') {
    const isAll = cancelAmount === undefined || cancelAmount === payment.amount;
    return isAll ? payment : refuse(403, 'NOT_ALLOWED_PARTIAL_REFUND_WAITING_DEPOSIT');
  }
  if (payment.status === 'CANCELED') refuse(400, 'ALREADY_CANCELED_PAYMENT');
  if (payment.status !== 'DONE' && payment.status !== 'PARTIAL_CANCELED') refuse(403, 'NOT_CANCELABLE_PAYMENT');
  if (payment.balance === 0) refuse(403, 'NOT_CANCELABLE_AMOUNT');
  if (refundableAmount !== undefined && refundableAmount !== payment.balance)
    refuse(400, 'NOT_MATCHES_REFUNDABLE_AMOUNT');
  if (Number(cancelAmount ?? 0) > payment.balance) refuse(403, 'NOT_CANCELABLE_AMOUNT');
  if (payment.method === 'VIRTUAL_ACCOUNT') checkAccount(call.refundReceiveAccount);
  return payment;
}

function checkAccount(account: unknown): void {
  const { bank, accountNumber, holderName } = Object(account) as Record<string, unknown>;
  if (typeof holderName !== 'string' || holderName === '') refuse(400, 'INVALID_REFUND_ACCOUNT_INFO');
  if (typeof bank !== 'string' || !banks.test(bank)) refuse(400, 'INVALID_BANK');
  if (typeof accountNumber !== 'string' || !/^\d{4,20}$/.test(accountNumber))
    refuse(400, 'INVALID_REFUND_ACCOUNT_NUMBER');
}

export function cancel(state: FakeState, payment: FakePayment, call: CancelCall, nowMs: number): void {
  const cancelReason = String(call.cancelReason);
  const isUnpaid = payment.status === 'WAITING_FOR_DEPOSIT';
  const hadParts = payment.status === 'PARTIAL_CANCELED';
  const cancelAmount = isUnpaid ? payment.amount : Number(call.cancelAmount ?? payment.balance);
  payment.balance -= cancelAmount;
  payment.status = payment.balance === 0 && !hadParts ? 'CANCELED' : 'PARTIAL_CANCELED';
  const transactionKey = note(state, payment, isUnpaid ? 0 : -cancelAmount, nowMs);
  payment.cancels.push({ transactionKey, cancelReason, cancelAmount, atMs: nowMs });
  announce(state, payment, nowMs);
}

/** The buyer's money arrives: also late, or at an account that was closed meanwhile. */
export function deposit(state: FakeState, paymentKey: string, nowMs: number): void {
  const payment = state.payments[paymentKey] ?? refuse(404, 'NOT_FOUND_PAYMENT');
  const last = state.transactions.find(({ transactionKey }) => transactionKey === payment.lastTransactionKey);
  // Opened, closed and reversed are movements of no amount: then there is no money in it.
  if (payment.account === null || last?.amount !== 0) refuse(400, 'ALREADY_PROCESSED_PAYMENT');
  payment.status = 'DONE';
  payment.balance = payment.amount;
  payment.approvedAtMs = nowMs;
  note(state, payment, payment.amount, nowMs);
  announceDeposit(state, payment, nowMs);
}

/** The bank takes a deposit back: the account waits again, and nothing else tells of it. */
export function reverse(state: FakeState, paymentKey: string, nowMs: number): void {
  const payment = state.payments[paymentKey] ?? refuse(404, 'NOT_FOUND_PAYMENT');
  if (payment.method !== 'VIRTUAL_ACCOUNT' || payment.status !== 'DONE') refuse(400, 'ALREADY_PROCESSED_PAYMENT');
  payment.status = 'WAITING_FOR_DEPOSIT';
  note(state, payment, 0, nowMs);
  announceDeposit(state, payment, nowMs);
}

function ofOrder(state: FakeState, orderId: string): FakePayment[] {
  return Object.values(state.payments).filter((payment) => payment.orderId === orderId);
}

/** What this call of the payment's plan does; null: it goes as usual. */
export function nextAct(payment: FakePayment, kind: 'confirm' | 'cancel') {
  const at = payment.calls[kind]++;
  return planOf(payment.behaviour)[kind]?.[at] ?? null;
}

function note(state: FakeState, payment: FakePayment, amount: number, atMs: number): string {
  const transactionKey = `txfake${String(take(state)).padStart(10, '0')}`;
  const { paymentKey, orderId, status } = payment;
  state.transactions.push({ transactionKey, paymentKey, orderId, status, amount, atMs });
  payment.lastTransactionKey = transactionKey;
  return transactionKey;
}

function take(state: FakeState): number {
  return state.nextId++;
}
