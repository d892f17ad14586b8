import { expect, test } from 'vitest';
import { salesFigures } from './sales-figures.ts';
import type { PlanDocument } from './seat-plan.ts';

const row = (grades: number[]) => ({ label: '1', labels: grades.map(String), grades, x: [], y: [] });
const document: PlanDocument = {
  grades: [
    { grade: 'VIP', priceKrw: 200 },
    { grade: 'R', priceKrw: 100 },
  ],
  sections: [
    { id: 'A', rows: [row([0, 0, 1])] },
    { id: 'B', rows: [row([1, 1]), row([0])] },
  ],
  stage: { x: 0, y: 0 },
  ticketTypes: [{ ticketTypeId: 'type', areaId: 'Z', name: '스탠딩', nameEn: null, capacity: 10, priceKrw: 50 }],
};

test('every seat is counted in its grade and in one state', () => {
  const { grades } = salesFigures(
    { document },
    {
      seats: 'sfhbsf',
      ticketTypes: [],
      soldKrw: new Map([
        ['VIP', 190],
        ['R', 100],
      ]),
    },
  );
  expect(grades).toEqual([
    { grade: 'VIP', priceKrw: 200, total: 3, sold: 1, held: 0, blocked: 0, free: 2, soldKrw: 190 },
    { grade: 'R', priceKrw: 100, total: 3, sold: 1, held: 1, blocked: 1, free: 0, soldKrw: 100 },
  ]);
});

test('standing places whose hold has lapsed are free, and what is neither left nor held is sold', () => {
  const ticketTypes = [{ ticketTypeId: 'type', left: 3, held: 2, lapsed: 1 }];
  const { areas } = salesFigures({ document }, { seats: 'ffffff', ticketTypes, soldKrw: new Map([['type', 200]]) });
  expect(areas).toMatchObject([{ areaId: 'Z', total: 10, sold: 4, held: 2, free: 4, soldKrw: 200 }]);
});

test('a grade that is called as something every object has sells like any other', () => {
  const names = ['constructor', 'toString', '__proto__'];
  const odd = { ...document, grades: names.map((grade) => ({ grade, priceKrw: 100 })) };
  const facts = { seats: 'ffffff', ticketTypes: [], soldKrw: new Map([['__proto__', 100]]) };
  expect(salesFigures({ document: odd }, facts).grades.map(({ soldKrw }) => soldKrw)).toEqual([0, 0, 100]);
});
