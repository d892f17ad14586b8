import { expect, test } from 'vitest';
import { platformErrors } from '#platform/errors.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { aClock } from '#test/kit/clock.ts';
import type { QueueStore } from '../ports.ts';
import { createSlotClaims } from './slot-claims.ts';

type ClaimCall = Parameters<QueueStore['claim']>[0];

function aSetting({ activeSeenTtlMs = null }: { activeSeenTtlMs?: number | null } = {}) {
  const clock = aClock();
  const told: ClaimCall[] = [];
  const trouble: { now: 'none' | 'away' | 'lost' } = { now: 'none' };
  const store = {
    async claim(call: ClaimCall) {
      if (trouble.now === 'away') throw platformErrors.fault('STORE_UNAVAILABLE');
      if (trouble.now === 'lost') return { status: 'lost' } as const;
      told.push(call);
      return { claimed: call.claims.length };
    },
  };
  const claims = createSlotClaims({ store, clock, logger: silentLogger, config: { activeSeenTtlMs } });
  const enter = (eventId: string, n: number) =>
    claims.note({ eventId, userId: `user-${n}`, slotId: `${eventId}.${n}.1` });
  return { clock, told, trouble, claims, enter };
}

test('a slot is told once, however often its user calls, and again after some seconds', async () => {
  const { clock, told, claims, enter } = aSetting();
  for (let n = 0; n < 100; n++) enter('show', 1);
  await claims.flush();
  enter('show', 1);
  await claims.flush();
  expect(told).toEqual([{ eventId: 'show', claims: [{ userId: 'user-1', slotId: 'show.1.1' }] }]);
  for (let second = 0; second < 12; second++) {
    clock.advance(1_000);
    enter('show', 1);
    await claims.flush();
  }
  expect(told.length).toBeGreaterThanOrEqual(2);
  expect(told.length).toBeLessThanOrEqual(4);
});

test('where an unseen user loses the slot soon, calls are told more often', async () => {
  const { clock, told, claims, enter } = aSetting({ activeSeenTtlMs: 5_000 });
  for (let second = 0; second < 10; second++) {
    enter('show', 1);
    await claims.flush();
    clock.advance(1_000);
  }
  expect(told.length).toBeGreaterThanOrEqual(4);
});

test('thousands go out by the hundreds, each event by itself', async () => {
  const { told, claims, enter } = aSetting();
  for (let n = 0; n < 1_200; n++) enter('show', n);
  enter('other', 1);
  await claims.flush();
  expect(told.map(({ eventId, claims: { length } }) => [eventId, length])).toEqual([
    ['show', 500],
    ['show', 500],
    ['show', 200],
    ['other', 1],
  ]);
});

test.each(['away', 'lost'] as const)('while the store is %s they wait, but not for ever', async (kind) => {
  const { clock, told, trouble, claims, enter } = aSetting();
  trouble.now = kind;
  enter('show', 1);
  await claims.flush();
  clock.advance(30_000);
  enter('show', 2);
  await claims.flush();
  clock.advance(10_000);
  enter('show', 2);
  clock.advance(21_000);
  await claims.flush();
  trouble.now = 'none';
  await claims.flush();
  expect(told.flatMap((call) => call.claims.map(({ userId }) => userId))).toEqual(['user-2']);
});

test('a flood is bounded, and what waited is told all the same', async () => {
  const { told, trouble, claims, enter } = aSetting();
  trouble.now = 'away';
  for (let n = 0; n < 120_000; n++) enter('show', n);
  trouble.now = 'none';
  for (let n = 0; n < 5; n++) await claims.flush();
  expect(told.reduce((sum, call) => sum + call.claims.length, 0)).toBe(100_000);
});

test('a token of an event without a queue names no slot', async () => {
  const { told, claims } = aSetting();
  claims.note({ eventId: 'show', userId: 'user-1', slotId: 'free-user-1' });
  await claims.flush();
  expect(told).toEqual([]);
});

test('a process clock that is set back keeps no slot from being told again', async () => {
  const { clock, told, claims, enter } = aSetting();
  enter('show', 1);
  await claims.flush();
  clock.setBack(3_600_000);
  for (let second = 0; second < 12; second++) {
    clock.advance(1_000);
    enter('show', 1);
    await claims.flush();
  }
  expect(told.length).toBeGreaterThanOrEqual(2);
});
