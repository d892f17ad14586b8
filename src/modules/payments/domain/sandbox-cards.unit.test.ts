import { expect, test } from 'vitest';
import { sandboxCards, sandboxKeyOf, sandboxPlanOf } from './sandbox-cards.ts';

const mark = '0123456789abcdef';

test.each(sandboxCards.map(({ number, plan }) => [number, plan] as const))(
  'the key of %s tells its plan and not its number',
  (cardNumber, plan) => {
    const key = sandboxKeyOf({ cardNumber, mark });
    expect(sandboxPlanOf(key)).toEqual(plan);
    expect(key).not.toContain(cardNumber.slice(-4));
    expect(key.length).toBeLessThanOrEqual(200);
  },
);

test('the cards differ in number and in what they do, and a form that checks numbers takes them', () => {
  expect(new Set(sandboxCards.map(({ number }) => number)).size).toBe(sandboxCards.length);
  expect(new Set(sandboxCards.map(({ behaviour }) => behaviour)).size).toBe(sandboxCards.length);
  for (const { number } of sandboxCards) expect(checkSum(number) % 10).toBe(0);
});

test('every other card is declined as not supported, and a key of elsewhere approves', () => {
  const key = sandboxKeyOf({ cardNumber: '4111111111111111', mark });
  expect(sandboxPlanOf(key)).toEqual({ declines: 'CARD_NOT_SUPPORTED' });
  for (const other of ['tgen_20261118', 'sandbox_', 'sandbox_unheard_of_00', 'sandbox_declines_'])
    expect(sandboxPlanOf(other)).toEqual({});
});

/** Luhn. */
function checkSum(number: string): number {
  const digits = [...number].reverse().map(Number);
  return digits.reduce((sum, digit, place) => {
    const counted = place % 2 === 0 ? digit : digit * 2;
    return sum + (counted > 9 ? counted - 9 : counted);
  }, 0);
}
