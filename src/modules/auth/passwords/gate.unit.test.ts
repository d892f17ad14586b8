import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isFault } from '#platform/errors.ts';
import { createSignInGate } from './gate.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the sign-in gate', () => {
  it('turns ten thousand at once into a few that work, some that wait, and refusals', async () => {
    const gate = createSignInGate({ concurrentMax: 3, waitingMax: 10, waitMaxMs: 1_000 });
    let working = 0;
    let mostWorking = 0;
    const calls = Array.from({ length: 10_000 }, () =>
      gate.run(async () => {
        working += 1;
        mostWorking = Math.max(mostWorking, working);
        await new Promise((resolve) => setTimeout(resolve, 50));
        working -= 1;
      }),
    );
    const settled = Promise.allSettled(calls);
    await vi.advanceTimersByTimeAsync(1_000);
    const outcomes = await settled;
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(mostWorking).toBe(3);
    expect(refused).toHaveLength(10_000 - 13);
    expect(refused.every((outcome) => isFault(outcome.reason, 'SIGN_IN_BUSY'))).toBe(true);
  });

  it('lets those who wait in by the order they came', async () => {
    const gate = createSignInGate({ concurrentMax: 1, waitingMax: 10, waitMaxMs: 1_000 });
    const order: number[] = [];
    const calls = [1, 2, 3, 4].map((number) =>
      gate.run(async () => {
        order.push(number);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }),
    );
    await vi.advanceTimersByTimeAsync(100);
    await Promise.all(calls);
    expect(order).toEqual([1, 2, 3, 4]);
  });

  it('refuses who has waited too long, and gives the place on after a failure', async () => {
    const gate = createSignInGate({ concurrentMax: 1, waitingMax: 10, waitMaxMs: 100 });
    const first = gate.run(() => new Promise((_, reject) => setTimeout(() => reject(new Error('broken')), 500)));
    const second = gate.run(async () => 'in');
    const outcomes = Promise.allSettled([first, second]);
    await vi.advanceTimersByTimeAsync(500);
    const [broken, late] = await outcomes;
    expect(broken).toMatchObject({ status: 'rejected', reason: { message: 'broken' } });
    expect(late.status === 'rejected' && isFault(late.reason, 'SIGN_IN_BUSY')).toBe(true);
    await expect(gate.run(async () => 'in')).resolves.toBe('in');
  });
});
