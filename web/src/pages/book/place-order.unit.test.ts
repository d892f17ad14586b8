import { expect, test } from 'vitest';
import { ApiProblem } from '../../api/problem.ts';
import { wishesThatFit } from '../seats/wishes.ts';
import { offersOf, placeOrder } from './place-order.ts';

const type = { id: 't1', areaId: 'Z1', name: '스탠딩', nameEn: null, capacity: 100, priceKrw: 77_000 };

test('what is left counts what one holds oneself, and an order never exceeds it', () => {
  const held = [{ ticketTypeId: 't1', areaId: 'Z1', quantity: 2, priceKrw: 77_000 }];
  const offers = offersOf([type], [{ ticketTypeId: 't1', left: 1 }], held);
  expect(offers).toMatchObject([{ left: 3 }]);
  const order = placeOrder(offers, { t1: 4 });
  expect(order).toMatchObject({ items: [{ ticketTypeId: 't1', quantity: 3 }], count: 3, totalKrw: 231_000 });
});

test('nothing wanted is no line', () => {
  expect(placeOrder(offersOf([type], [{ ticketTypeId: 't1', left: 9 }], []), {})).toMatchObject({
    items: [],
    count: 0,
  });
});

test('what would fit is read from a refusal, and nothing else is', () => {
  const fit = { count: 2, together: false, grade: null, section: null, maxPriceKrw: null, left: 9 };
  const refusal = (wouldFit: unknown) => new ApiProblem({ code: 'NOTHING_FITS', status: 409, document: { wouldFit } });
  expect(wishesThatFit(refusal([fit, { ...fit, grade: 'R' }, 7, {}]))).toEqual([
    { count: 2, together: false },
    { count: 2, together: false, grade: 'R' },
  ]);
  expect([wishesThatFit(refusal('x')), wishesThatFit(null)]).toEqual([[], []]);
});
