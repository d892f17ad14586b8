import { expect, test } from 'vitest';
import { mayBuy, saleTiers } from '#modules/catalog/contract.ts';
import { opensForMs } from './tier-opening.ts';

const at = (minutes: number) => new Date(minutes * 60_000).toISOString();
const ms = (minutes: number) => minutes * 60_000;

test('a tier may buy from the first phase on that is for it or for a lower one', () => {
  const sale = {
    saleOpensAt: at(0),
    phases: [
      { tier: 'diamond', opensAt: at(0) },
      { tier: 'silver', opensAt: at(10) },
    ],
  } as const;
  const facts = { ...sale, phases: [...sale.phases] };
  expect(saleTiers.map((tier) => opensForMs(facts, tier))).toEqual([0, ms(10), ms(10), null]);
  expect(opensForMs({ saleOpensAt: at(5), phases: [] }, 'general')).toBe(ms(5));
});

test('it is the moment from which on catalog lets the tier buy', () => {
  const phases = [
    { tier: 'gold', opensAt: at(1) },
    { tier: 'general', opensAt: at(3) },
  ] as const;
  const window = {
    saleOpensAt: ms(1),
    saleClosesAt: ms(9),
    phases: phases.map(({ tier, opensAt }) => ({ tier, opensAt: Date.parse(opensAt) })),
  };
  for (const tier of saleTiers) {
    const opens = opensForMs({ saleOpensAt: at(1), phases: [...phases] }, tier) ?? Number.NaN;
    expect([mayBuy(window, tier, opens - 1), mayBuy(window, tier, opens)]).toEqual([false, true]);
  }
});
