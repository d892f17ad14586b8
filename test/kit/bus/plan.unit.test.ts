import { expect, test } from 'vitest';
import { describeStep, planChaos } from './plan.ts';

const minute = { seed: 7, ms: 60_000, adapter: 'kafka' as const };

test('a seed gives the same plan each time, and another one gives another plan', () => {
  expect(planChaos(minute)).toEqual(planChaos(minute));
  expect(planChaos({ ...minute, seed: 8 })).not.toEqual(planChaos(minute));
});

test('everything happens in each round, however short it is, and partitions grow once', () => {
  const kinds = (ms: number) => new Set(planChaos({ ...minute, ms }).map(({ fault }) => fault.kind));
  // Of these two one is drawn in each round.
  const everything = new Set(kinds(3_000_000)).size - 1;
  expect(kinds(30_000).size).toBe(everything);
  expect(kinds(60_000).size).toBe(everything);
  expect(planChaos({ ...minute, ms: 300_000 }).filter(({ fault }) => fault.kind === 'grow-partitions')).toHaveLength(1);
});

test('steps are in the order of time and can be read', () => {
  const plan = planChaos(minute);
  expect(plan.map(({ atMs }) => atMs)).toEqual(plan.map(({ atMs }) => atMs).sort((one, other) => one - other));
  expect(describeStep({ atMs: 1_500, fault: { kind: 'freeze-postgres', forMs: 2_000 } })).toBe(
    '   1.5 s  freeze-postgres {"forMs":2000}',
  );
});
