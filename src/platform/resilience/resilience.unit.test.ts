import { describe, expect, it } from 'vitest';
import { createCircuitBreaker } from './circuit-breaker.ts';
import { retry } from './retry.ts';
import { withTimeout } from './timeout.ts';

describe('circuit breaker', () => {
  function aBreaker() {
    const clock = { ms: 0, now: () => clock.ms, monotonicMs: () => clock.ms };
    const changes: string[] = [];
    const breaker = createCircuitBreaker({
      failuresToOpen: 3,
      openMs: 1_000,
      clock,
      onChange: (state) => changes.push(state),
    });
    return { breaker, clock, changes };
  }

  it('opens after failures in a row, not after scattered ones', () => {
    const { breaker } = aBreaker();
    for (const outcome of ['failed', 'failed', 'succeeded', 'failed', 'failed'] as const) breaker[outcome]();
    expect(breaker.allow()).toBe(true);
    breaker.failed();
    expect(breaker.allow()).toBe(false);
  });

  it('lets one caller try after a while, and closes when that one succeeds', () => {
    const { breaker, clock, changes } = aBreaker();
    for (let i = 0; i < 3; i++) breaker.failed();
    clock.ms = 999;
    expect(breaker.allow()).toBe(false);
    clock.ms = 1_000;
    expect([breaker.allow(), breaker.allow()]).toEqual([true, false]);
    breaker.succeeded();
    expect(breaker.allow()).toBe(true);
    expect(changes).toEqual(['open', 'half-open', 'closed']);
  });

  it('opens again at once when the one try fails', () => {
    const { breaker, clock } = aBreaker();
    for (let i = 0; i < 3; i++) breaker.failed();
    clock.ms = 1_000;
    breaker.allow();
    breaker.failed();
    clock.ms = 1_999;
    expect(breaker.allow()).toBe(false);
    clock.ms = 2_000;
    expect(breaker.allow()).toBe(true);
  });

  it('does not wait for ever for a try that never reports', () => {
    const { breaker, clock } = aBreaker();
    for (let i = 0; i < 3; i++) breaker.failed();
    clock.ms = 1_000;
    expect(breaker.allow()).toBe(true);
    clock.ms = 2_000;
    expect(breaker.allow()).toBe(true);
  });

  it('late failures of calls sent before it opened do not postpone the next try', () => {
    const { breaker, clock } = aBreaker();
    for (let i = 0; i < 3; i++) breaker.failed();
    clock.ms = 900;
    breaker.failed();
    clock.ms = 1_000;
    expect(breaker.allow()).toBe(true);
  });
});

describe('retry', () => {
  it('stops at the bound and throws the last failure', async () => {
    let tries = 0;
    const work = retry(() => Promise.reject(new Error(`try ${++tries}`)), {
      times: 2,
      backoffMs: 1,
      retryable: () => true,
    });
    await expect(work).rejects.toThrow('try 3');
  });

  it('does not repeat what is not retryable', async () => {
    let tries = 0;
    const work = retry(() => Promise.reject(new Error(`try ${++tries}`)), {
      times: 2,
      backoffMs: 1,
      retryable: () => false,
    });
    await expect(work).rejects.toThrow('try 1');
  });
});

describe('timeout', () => {
  it('rejects when the work hangs', async () => {
    await expect(withTimeout(new Promise(() => {}), 5, () => new Error('late'))).rejects.toThrow('late');
  });

  it('passes results and failures through', async () => {
    await expect(withTimeout(Promise.resolve(7), 1_000, () => new Error('late'))).resolves.toBe(7);
    await expect(withTimeout(Promise.reject(new Error('own')), 1_000, () => new Error('late'))).rejects.toThrow('own');
  });
});
