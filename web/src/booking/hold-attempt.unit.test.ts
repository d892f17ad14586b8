import { expect, test } from 'vitest';
import { ApiProblem } from '../api/problem.ts';
import type { Reservation } from '../reservations/reservation-types.ts';
import { aReservation } from '../reservations/testing/a-reservation.ts';
import { attemptHold } from './hold-attempt.ts';
import { createIntentKeys, type KeyStorage } from './intent-key.ts';

const problem = (status: number, code: string, retryAfterSeconds?: number) =>
  new ApiProblem({ code, status, retryAfterSeconds });

function aTab() {
  const kept = new Map<string, string>();
  let made = 0;
  const storage: KeyStorage = {
    get: (name) => kept.get(name) ?? null,
    set: (name, value) => void (value === null ? kept.delete(name) : kept.set(name, value)),
  };
  /** As after each load of the page. */
  const load = () =>
    createIntentKeys({
      name: 'intent',
      storage,
      newKey() {
        made += 1;
        return `key ${made}`;
      },
    });
  return { load };
}

async function hold(
  keys: ReturnType<ReturnType<typeof aTab>['load']>,
  intent: unknown,
  answers: (Error | Reservation)[],
) {
  const sent: string[] = [];
  const waits: number[] = [];
  const outcome = await attemptHold({
    intent,
    keys,
    async send(key) {
      sent.push(key);
      const answer = answers.shift();
      if (answer === undefined || answer instanceof Error) throw answer;
      return answer;
    },
    wait: async (ms) => void waits.push(ms),
  }).catch((error: unknown) => error);
  return { outcome, sent, waits };
}

const lost = problem(0, 'NETWORK_TIMEOUT');

test('a lost answer is repeated with the same key, also after a reload', async () => {
  const tab = aTab();
  const first = await hold(tab.load(), 'seats', [lost, lost, lost, lost]);
  expect(first.sent).toEqual(['key 1', 'key 1', 'key 1', 'key 1']);
  expect(first.outcome).toBe(lost);
  const again = await hold(tab.load(), 'seats', [aReservation()]);
  expect(again.sent).toEqual(['key 1']);
});

test('other seats are another intent, and so are the same seats once the first was settled', async () => {
  const tab = aTab();
  await hold(tab.load(), 'seats', [lost, lost, lost, lost]);
  expect((await hold(tab.load(), 'other', [aReservation()])).sent).toEqual(['key 2']);
  expect((await hold(tab.load(), 'other', [aReservation()])).sent).toEqual(['key 3']);
});

test('a clear no is told at once and settles the intent', async () => {
  const tab = aTab();
  const taken = problem(409, 'SEAT_TAKEN');
  expect(await hold(tab.load(), 'seats', [taken])).toEqual({ outcome: taken, sent: ['key 1'], waits: [] });
  expect((await hold(tab.load(), 'seats', [aReservation()])).sent).toEqual(['key 2']);
});

test('it waits as long as the server asks, unless that is too long for a press', async () => {
  const tab = aTab();
  const busy = await hold(tab.load(), 'seats', [problem(409, 'IDEMPOTENCY_IN_FLIGHT', 2), aReservation()]);
  expect([busy.sent, busy.waits]).toEqual([['key 1', 'key 1'], [2_000]]);
  const long = await hold(tab.load(), 'seats', [problem(503, 'DATABASE_UNAVAILABLE', 30)]);
  expect(long.waits).toEqual([]);
});

test('a key whose hold is over is not taken for an answer', async () => {
  const { outcome, sent } = await hold(aTab().load(), 'seats', [
    aReservation({ status: 'released' }),
    aReservation({ id: 'new' }),
  ]);
  expect(sent).toEqual(['key 1', 'key 2']);
  expect(outcome).toMatchObject({ id: 'new', status: 'pending' });
});
