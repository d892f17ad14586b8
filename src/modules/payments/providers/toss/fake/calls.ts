import type { Act } from './behaviours.ts';
import {
  approve,
  type CancelCall,
  cancel,
  checkCancel,
  checkConfirm,
  decline,
  nextAct,
  settle,
  TossRefusal,
} from './books.ts';
import { shownPayment, shownTransaction } from './shown.ts';
import type { FakeAnswer, FakePayment, FakeState, FakeStore } from './state.ts';
import type { FakeTime } from './time.ts';

const dayMs = 24 * 60 * 60_000;
const keyLifeMs = 15 * dayMs;
const keyMax = 300;
const slowMs = 65_000;

/** What is sent, and how: an answer may be lost or spoiled on its way. */
export interface Sending {
  readonly answer: FakeAnswer;
  readonly as: 'usual' | 'lost' | 'not_json' | 'too_large' | 'redirected';
}

export interface TossCallIn {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly idempotencyKey: string | null;
  readonly signal: AbortSignal;
}

export const answerOf = (payment: FakePayment): FakeAnswer => ({ status: 200, body: shownPayment(payment) });
const refusal = (status: number, code: string): FakeAnswer => ({ status, body: { code, message: `${code} (fake)` } });

/** The API of Toss that urr calls. */
export function createTossCalls({ store, time }: { store: FakeStore; time: FakeTime }) {
  const { state } = store;

  /** The first answer to a key is the answer to it for 15 days, whatever it was. */
  async function once(call: TossCallIn, act: (answerKey: string | null) => Promise<Sending>): Promise<Sending> {
    const { idempotencyKey: key } = call;
    if (key === null) return act(null);
    if (key.length > keyMax) return usual(refusal(400, 'INVALID_IDEMPOTENCY_KEY'));
    const answerKey = `${call.method} ${call.path} ${key}`;
    const kept = state.answers[answerKey];
    if (kept !== undefined && time.now() < kept.atMs + keyLifeMs)
      return usual(kept.answer ?? refusal(409, 'IDEMPOTENT_REQUEST_PROCESSING'));
    state.answers[answerKey] = { atMs: time.now(), answer: null };
    const sending = await act(answerKey);
    const own = state.answers[answerKey];
    if (own !== undefined) own.answer = sending.answer;
    return sending;
  }

  async function confirm(call: TossCallIn, answerKey: string | null): Promise<Sending> {
    const { paymentKey, orderId, amount } = Object(call.body) as Record<string, unknown>;
    const wanted = { paymentKey: String(paymentKey), orderId: String(orderId), amount: Number(amount) };
    const payment = checkConfirm(state, wanted);
    const act = nextAct(payment, 'confirm');
    const lost = lostBefore(act, answerKey);
    if (lost !== null) return lost;
    if (act?.act === 'error') {
      if (act.ends) decline(state, payment, act.code, time.now());
      return usual(refusal(act.status, act.code));
    }
    if (act?.act === 'slow') {
      const atMs = time.now() + slowMs;
      payment.pending = { atMs, answerKey };
      store.save();
      await time.until(atMs, call.signal);
      settle(state, time.now(), answerOf);
      return usual(answerOf(payment));
    }
    approve(state, payment, time.now());
    return sendingOf(act, answerOf(payment));
  }

  async function cancelPayment(call: TossCallIn, paymentKey: string, answerKey: string | null): Promise<Sending> {
    const wanted = Object(call.body) as CancelCall;
    const payment = checkCancel(state, paymentKey, wanted);
    const act = nextAct(payment, 'cancel');
    const lost = lostBefore(act, answerKey);
    if (lost !== null) return lost;
    if (act?.act === 'error') return usual(refusal(act.status, act.code));
    cancel(state, payment, wanted, time.now());
    return sendingOf(act, answerOf(payment));
  }

  /** It never arrived: no key is known of it. */
  function lostBefore(act: Act | null, answerKey: string | null): Sending | null {
    if (act?.act !== 'lost_before' && act?.act !== 'redirected') return null;
    if (answerKey !== null) delete state.answers[answerKey];
    return { answer: refusal(500, 'LOST'), as: act.act === 'redirected' ? 'redirected' : 'lost' };
  }

  return async function answer(call: TossCallIn): Promise<Sending> {
    settle(state, time.now(), answerOf);
    try {
      if (call.method === 'POST' && call.path === '/v1/payments/confirm')
        return await once(call, (key) => confirm(call, key).catch(asRefusal));
      const cancelled = /^\/v1\/payments\/([\w=-]+)\/cancel$/.exec(call.path)?.[1];
      if (call.method === 'POST' && cancelled !== undefined)
        return await once(call, (key) => cancelPayment(call, cancelled, key).catch(asRefusal));
      return usual(call.method === 'GET' ? query(state, call) : refusal(404, 'NOT_FOUND'));
    } catch (error) {
      return asRefusal(error);
    } finally {
      store.save();
    }
  };
}

function query(state: FakeState, { path, query: asked }: TossCallIn): FakeAnswer {
  if (path === '/v1/transactions') return { status: 200, body: transactions(state, asked) };
  const [, ofOrder, name = ''] = /^\/v1\/payments\/(orders\/)?([\w=-]+)$/.exec(path) ?? [];
  const all = Object.values(state.payments);
  const own =
    ofOrder === undefined ? all.filter((one) => one.paymentKey === name) : all.filter((one) => one.orderId === name);
  // Of several payments of an order the one that has money; else the newest.
  const payment = own.find(({ approvedAtMs }) => approvedAtMs !== null) ?? own.at(-1);
  return payment === undefined ? refusal(404, 'NOT_FOUND_PAYMENT') : answerOf(payment);
}

function transactions(state: FakeState, asked: URLSearchParams): object[] {
  const border = (name: string) => Date.parse(`${asked.get(name)}+09:00`);
  const [from, to, limit] = [border('startDate'), border('endDate') + 999, Number(asked.get('limit') ?? 100)];
  const within = state.transactions.filter(({ atMs }) => atMs >= from && atMs <= to).sort((a, b) => a.atMs - b.atMs);
  const after = asked.get('startingAfter');
  const at = after === null ? 0 : within.findIndex(({ transactionKey }) => transactionKey === after) + 1;
  if (after !== null && at === 0) throw new TossRefusal(400, 'INVALID_TRANSACTION_KEY');
  return within.slice(at, at + limit).map(shownTransaction);
}

const usual = (answer: FakeAnswer): Sending => ({ answer, as: 'usual' });

function asRefusal(error: unknown): Sending {
  if (!(error instanceof TossRefusal)) throw error;
  return usual(refusal(error.status, error.code));
}

function sendingOf(act: Act | null, answer: FakeAnswer): Sending {
  switch (act?.act) {
    case 'lost_after':
      return { answer, as: 'lost' };
    case 'not_json':
    case 'too_large':
      return { answer, as: act.act };
    default:
      return usual(answer);
  }
}
