import { expect, test } from 'vitest';
import { mayBuy, openTier, phaseProblems, type SaleWindow } from './phases.ts';

const window: SaleWindow = {
  saleOpensAt: 100,
  saleClosesAt: 500,
  phases: [
    { tier: 'diamond', opensAt: 100 },
    { tier: 'silver', opensAt: 200 },
    { tier: 'general', opensAt: 300 },
  ],
};

test('each phase opens the sale to its tier and keeps it open to the better ones', () => {
  expect([99, 100, 200, 300, 499, 500].map((now) => openTier(window, now))).toEqual([
    null,
    'diamond',
    'silver',
    'general',
    'general',
    null,
  ]);
  expect(mayBuy(window, 'gold', 150)).toBe(false);
  expect(mayBuy(window, 'gold', 200)).toBe(true);
  expect(mayBuy(window, 'diamond', 250)).toBe(true);
  expect(mayBuy(window, 'general', 299)).toBe(false);
  expect(mayBuy(window, 'general', 300)).toBe(true);
});

test('without phases everybody may buy from the start', () => {
  expect(mayBuy({ ...window, phases: [] }, 'general', 100)).toBe(true);
});

test('phases without general make a sale for members', () => {
  const members = { ...window, phases: window.phases.slice(0, 2) };
  expect(phaseProblems(members)).toEqual([]);
  expect(mayBuy(members, 'general', 499)).toBe(false);
});

test('sound phases have no problems', () => {
  expect(phaseProblems(window)).toEqual([]);
});

test.each([
  ['begins after the sale', [{ tier: 'general', opensAt: 101 }], 'phases.0.opensAt'],
  [
    'goes back in time',
    [
      { tier: 'diamond', opensAt: 100 },
      { tier: 'gold', opensAt: 100 },
    ],
    'phases.1.opensAt',
  ],
  [
    'lets a lower tier in first',
    [
      { tier: 'silver', opensAt: 100 },
      { tier: 'gold', opensAt: 200 },
    ],
    'phases.1.tier',
  ],
  [
    'opens after the sale has closed',
    [
      { tier: 'gold', opensAt: 100 },
      { tier: 'general', opensAt: 500 },
    ],
    'phases.1.opensAt',
  ],
] as const)('a phase that %s is named', (_, phases, field) => {
  expect(phaseProblems({ ...window, phases }).map((problem) => problem.field)).toEqual([field]);
});
