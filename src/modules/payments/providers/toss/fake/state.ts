import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { FakeBehaviour } from './behaviours.ts';

export interface FakeCancel {
  readonly transactionKey: string;
  readonly cancelReason: string;
  readonly cancelAmount: number;
  readonly atMs: number;
}

export interface FakePayment {
  readonly paymentKey: string;
  readonly orderId: string;
  readonly orderName: string;
  readonly amount: number;
  readonly method: 'CARD' | 'VIRTUAL_ACCOUNT';
  readonly behaviour: FakeBehaviour;
  readonly createdAtMs: number;
  status:
    | 'READY'
    | 'IN_PROGRESS'
    | 'WAITING_FOR_DEPOSIT'
    | 'DONE'
    | 'CANCELED'
    | 'PARTIAL_CANCELED'
    | 'ABORTED'
    | 'EXPIRED';
  balance: number;
  approvedAtMs: number | null;
  lastTransactionKey: string | null;
  failure: string | null;
  cancels: FakeCancel[];
  account: { readonly number: string; readonly dueAtMs: number } | null;
  /** How many calls of each kind have come: the plan of the payment is for the first ones. */
  calls: { confirm: number; cancel: number };
  /** A capture that is on its way, and under which idempotency key. */
  pending: { readonly atMs: number; readonly answerKey: string | null } | null;
}

export interface FakeTransaction {
  readonly transactionKey: string;
  readonly paymentKey: string;
  readonly orderId: string;
  readonly status: FakePayment['status'];
  readonly amount: number;
  readonly atMs: number;
}

export interface FakeAnswer {
  readonly status: number;
  readonly body: object;
}

export interface FakeWebhook {
  readonly id: number;
  readonly body: object;
  dueAtMs: number;
  /** How often it was sent. */
  tries: number;
}

/** Everything the fake knows: it survives a restart. */
export interface FakeState {
  nextId: number;
  payments: Record<string, FakePayment>;
  transactions: FakeTransaction[];
  /** By idempotency key, method and path. Null: the first call is still under way. */
  answers: Record<string, { readonly atMs: number; answer: FakeAnswer | null }>;
  webhooks: FakeWebhook[];
  /** Webhooks that nobody took, after the last try. */
  given: number;
}

export interface FakeStore {
  readonly state: FakeState;
  save(): void;
}

/** In a file, if there is one: written beside and renamed, so that a kill leaves the old one or the new one. */
export function openState(path: string | null): FakeStore {
  const state = path === null ? emptyState() : readState(path);
  return {
    state,
    save() {
      if (path === null) return;
      writeFileSync(`${path}.new`, JSON.stringify(state));
      renameSync(`${path}.new`, path);
    },
  };
}

function readState(path: string): FakeState {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as FakeState;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return emptyState();
    throw error;
  }
}

function emptyState(): FakeState {
  return { nextId: 1, payments: {}, transactions: [], answers: {}, webhooks: [], given: 0 };
}
