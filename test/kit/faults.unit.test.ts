import { describe, expect, test } from 'vitest';
import type { Engine } from './engines/engine.ts';
import { eventually, whilePaused, whileStopped } from './faults.ts';

describe('eventually', () => {
  test('returns the first answer that is not false', async () => {
    let calls = 0;
    const answer = await eventually(() => ++calls >= 3 && calls, { withinMs: 30_000, what: 'three calls' });
    expect(answer).toBe(3);
  });

  test('names what was waited for and why the last attempt failed', async () => {
    const attempt = () => Promise.reject(new Error('still closed'));
    await expect(eventually(attempt, { withinMs: 60, what: 'the door to open' })).rejects.toThrow(
      'waited 60 ms for the door to open: still closed',
    );
  });

  test('does not wait for an attempt that hangs', async () => {
    const attempt = () => new Promise<never>(() => {});
    await expect(eventually(attempt, { withinMs: 60, what: 'an answer' })).rejects.toThrow('for an answer');
  });
});

describe('a fault', () => {
  test('ends although the work during it failed', async () => {
    const acts: string[] = [];
    const act = (name: string) => async () => {
      acts.push(name);
    };
    const engine: Engine = {
      stop: act('stop'),
      kill: act('kill'),
      pause: act('pause'),
      resume: act('resume'),
      restart: act('restart'),
    };
    const failing = () => Promise.reject(new Error('work failed'));
    await expect(whileStopped(engine, failing)).rejects.toThrow('work failed');
    await expect(whilePaused(engine, failing)).rejects.toThrow('work failed');
    expect(acts).toEqual(['stop', 'restart', 'pause', 'resume']);
  });
});
