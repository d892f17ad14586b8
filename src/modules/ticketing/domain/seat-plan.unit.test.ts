import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seatsOf } from '#modules/catalog/contract.ts';
import { compactLayout } from '#modules/catalog/domain/compact-layout.ts';
import type { LayoutDocument } from '#modules/catalog/domain/layout.ts';
import { aGreatHall, anyLayout } from '#modules/catalog/testing/any-layout.ts';
import { planOf, pricesOf } from '../testing/a-plan.ts';
import { planDocumentSteps, planTextSteps } from './plan-document.ts';

describe('the plan of any layout', () => {
  it('has the seats of the layout, by number and by id, in the same order', () => {
    fc.assert(
      fc.property(anyLayout, (document) => {
        const plan = planOf(document);
        const prices = new Map(pricesOf(document).map(({ grade, priceKrw }) => [grade, priceKrw]));
        const drawn = [...seatsOf(document)];
        expect(plan.seatCount).toBe(drawn.length);
        for (const seat of drawn) {
          expect(plan.seat(seat.seatNo)).toEqual({ ...seat, priceKrw: prices.get(seat.grade) });
          expect(plan.seatNoOf(seat.seatId)).toBe(seat.seatNo);
        }
      }),
    );
  });

  it('knows where each section begins and ends', () => {
    fc.assert(
      fc.property(anyLayout, (document) => {
        const plan = planOf(document);
        const bySection = Map.groupBy(seatsOf(document), ({ section }) => section);
        for (const [section, seats] of bySection) {
          expect(plan.section(section)).toEqual({ first: seats[0]?.seatNo, count: seats.length });
        }
        expect(plan.section('nowhere')).toBeUndefined();
      }),
    );
  });

  it('is the same after it was written down and read again', () => {
    fc.assert(
      fc.property(anyLayout, (document) => {
        const { document: plan } = planOf(document);
        expect(JSON.parse(finish(planTextSteps(plan)))).toEqual(plan);
      }),
    );
  });
});

const small: LayoutDocument = aGreatHall(1);

it.each(['S1-1', 'S1-1-1-1', 'S1-21-1', 'S1-1-51', 'S2-1-1', '', '--', 'S1--1', 'constructor-1-1', 's1-1-1'])(
  'no seat is called %j',
  (seatId) => {
    expect(planOf(small).seatNoOf(seatId)).toBeUndefined();
  },
);

it.each([-1, 1_000, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('no seat has the number %d', (seatNo) => {
  expect(planOf(small).seat(seatNo)).toBeUndefined();
});

it('grades stand in the order of the price list', () => {
  const prices = [
    { grade: 'S', priceKrw: 1 },
    { grade: 'VIP', priceKrw: 3 },
    { grade: 'R', priceKrw: 2 },
  ];
  const plan = planOf(aGreatHall(2), { prices });
  expect(plan.document.grades).toEqual(prices);
  expect([plan.seat(0)?.priceKrw, plan.seat(50)?.priceKrw, plan.seat(1_050)?.priceKrw]).toEqual([3, 2, 1]);
});

it('a grade without a price makes no plan', () => {
  const steps = planDocumentSteps(compactLayout(small), { layoutId: 'x', prices: [], ticketTypes: [] });
  expect(() => finish(steps)).toThrow('has a grade without a price');
});

it('the stage is the middle of its outline, or of the front edge where none is drawn', () => {
  expect(planOf(small).document.stage).toEqual({ x: 450, y: 150 });
  expect(planOf({ ...small, stage: null }).document.stage).toEqual({ x: 450, y: 0 });
});

it('100,000 seats are planned in a moment', () => {
  const hall = aGreatHall(100);
  const layout = compactLayout(hall);
  const started = performance.now();
  const plan = planOf(hall, { layout });
  expect([plan.seatCount, plan.seatNoOf('S100-20-50'), plan.seat(99_999)?.seatId]).toEqual([
    100_000,
    99_999,
    'S100-20-50',
  ]);
  // Some 20 ms on an idle machine.
  expect(performance.now() - started).toBeLessThan(2_000);
});

function finish<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
