import { expect, test } from 'vitest';
import { planOf } from '../testing/a-plan.ts';
import { aDrawing } from '../testing/a-show.ts';
import { holdLinesOf } from './hold-lines.ts';

const plan = planOf(aDrawing());

test('the total is the face value and a fee for each ticket, by the tier of the buyer', () => {
  const [first, second] = [plan.seat(0), plan.seat(1)];
  const face = (first?.priceKrw ?? 0) + (second?.priceKrw ?? 0);
  const wanted = { seatNos: [0, 1], items: [] };
  expect(holdLinesOf(plan, wanted, 'general')).toMatchObject({ ticketCount: 2, feeKrw: 6_000, totalKrw: face + 6_000 });
  expect(holdLinesOf(plan, wanted, 'diamond')).toMatchObject({ feeKrw: 2_000, totalKrw: face + 2_000 });
});

test('a seat or a ticket type that the plan does not have makes no hold', () => {
  expect(holdLinesOf(plan, { seatNos: [0, plan.seatCount], items: [] }, 'general')).toBeNull();
  expect(holdLinesOf(plan, { seatNos: [], items: [{ ticketTypeId: 'none', quantity: 1 }] }, 'general')).toBeNull();
});
