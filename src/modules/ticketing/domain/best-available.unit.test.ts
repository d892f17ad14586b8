import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aloneIn, createSeatPicker, keyOf, type SeatWish } from './best-available.ts';
import type { PlanDocument } from './seat-plan.ts';
import { seatRunsOf } from './seat-runs.ts';
import { wouldFit } from './would-fit.ts';

type Place = readonly [x: number, y: number, grade: number];

/** The stage is at 0, 0; each section is a list of rows. */
function aDocument(sections: Record<string, readonly (readonly Place[])[]>): PlanDocument {
  return {
    grades: [
      { grade: 'VIP', priceKrw: 200_000 },
      { grade: 'R', priceKrw: 150_000 },
      { grade: 'S', priceKrw: 100_000 },
    ],
    sections: Object.entries(sections).map(([id, rows]) => ({
      id,
      rows: rows.map((places, index) => ({
        label: `${index + 1}`,
        labels: places.map((_, at) => `${at + 1}`),
        grades: places.map(([, , grade]) => grade),
        x: places.map(([x]) => x),
        y: places.map(([, y]) => y),
      })),
    })),
    stage: { x: 0, y: 0 },
    ticketTypes: [],
  };
}

const row = (xs: readonly number[], y: number, grade = 0): Place[] => xs.map((x) => [x, y, grade]);
const pairUp = { count: 2, together: true };

function aPicker(document: PlanDocument, taken: readonly number[] = []) {
  const picker = createSeatPicker({ document });
  for (const seatNo of taken) picker.setFree(seatNo, false);
  return picker;
}

test('the nearest to the stage come first, then those nearer to the middle', () => {
  const picker = aPicker(
    aDocument({ A: [row([-30, -20, -10, 0, 10, 20, 30], 100), row([-30, -20, -10, 0, 10, 20, 30], 50)] }),
  );
  expect(picker.pick({ count: 3, together: true })).toEqual([9, 10, 11]);
  expect(picker.pick({ count: 1, together: true })).toEqual([10]);
});

test('a better grade comes before a nearer seat, in the order of the price list', () => {
  const picker = aPicker(aDocument({ A: [row([0, 10], 10, 1), row([0, 10], 500, 0)] }));
  expect(picker.pick(pairUp)).toEqual([2, 3]);
  expect(picker.pick({ ...pairUp, grade: 'R' })).toEqual([0, 1]);
  expect(picker.pick({ ...pairUp, maxPriceKrw: 150_000 })).toEqual([0, 1]);
  expect(picker.pick({ ...pairUp, maxPriceKrw: 99_999 })).toBeNull();
  expect(picker.pick({ ...pairUp, grade: 'no such grade' })).toBeNull();
});

test('neighbours with an aisle between them are not together, whichever way the row runs', () => {
  const document = aDocument({ A: [row([0, 10, 30, 40], 10)], B: [[0, 10, 30, 40].map((y): Place => [500, y, 0])] });
  expect([...seatRunsOf(document).starts]).toEqual([0, 2, 4, 6, 8]);
  expect(aPicker(document).pick({ count: 3, together: true })).toBeNull();
  expect(aPicker(document, [0]).pick({ ...pairUp, section: 'A' })).toEqual([2, 3]);
  expect(aPicker(document).pick({ ...pairUp, section: 'B' })).toEqual([4, 5]);
  expect(aPicker(document).pick({ ...pairUp, section: 'C' })).toBeNull();
});

test('no single seat is left alone while that can be avoided in the grade', () => {
  const document = aDocument({ A: [row([-10, 0, 10], 10), row([-15, -5, 5, 15], 200), row([0, 10], 10, 1)] });
  expect(aPicker(document).pick(pairUp)).toEqual([3, 4]);
  expect(aPicker(document, [3, 4, 5]).pick(pairUp)).toEqual([0, 1]);
});

test('who need not sit together still gets a pair rather than two halves of pairs', () => {
  const document = aDocument({ A: [row([-10, 0], 10), row([-10, 0], 20)] });
  expect(aPicker(document).pick({ count: 2, together: false })).toEqual([0, 1]);
  expect(aPicker(document, [1]).pick({ count: 3, together: false })).toEqual([0, 2, 3]);
  expect(aPicker(document, [1, 2]).pick({ count: 3, together: false })).toBeNull();
});

test('who need not sit together leaves no single seat alone if any choice avoids it', () => {
  const document = aDocument({ A: [row([0, 10, 20, 30, 40, 50, 60, 70, 80, 90], 10)] });
  // Free are 0, 1 | 3 | 5.
  expect(aPicker(document, [2, 4, 6, 7, 8, 9]).pick({ count: 3, together: false })).toEqual([0, 1, 3]);
  // Free are 0, 1 | 3, 4 | 6.
  expect(aPicker(document, [2, 5, 7, 8, 9]).pick({ count: 4, together: false })).toEqual([0, 1, 3, 4]);
});

test('what would fit is named: apart, elsewhere, in another grade, or fewer', () => {
  const document = aDocument({ A: [row([0, 10, 20], 10, 0)], B: [row([0, 10, 20, 30], 300, 1)] });
  const picker = aPicker(document, [1]);
  const hints = (wish: SeatWish) =>
    wouldFit(wish, {
      grades: document.grades,
      freeCount: picker.freeCount,
      fits: (each) => picker.pick(each) !== null,
      countFree: picker.countFree,
    });
  const any = { grade: null, section: null, maxPriceKrw: null };
  expect(hints({ count: 2, together: true, section: 'A' })).toEqual([
    { ...any, count: 2, together: false, section: 'A', left: 2 },
    { ...any, count: 2, together: true, left: 6 },
    { ...any, count: 1, together: true, section: 'A', left: 2 },
  ]);
  expect(hints({ count: 3, together: true, grade: 'VIP' })).toEqual([
    { ...any, count: 3, together: true, grade: 'R', left: 4 },
    { ...any, count: 1, together: true, grade: 'VIP', left: 2 },
  ]);
  for (let seatNo = 0; seatNo < 7; seatNo++) picker.setFree(seatNo, false);
  expect(hints({ count: 2, together: true })).toEqual([]);
});

const anyRow = fc.array(fc.tuple(fc.constantFrom(10, 10, 10, 30), fc.nat(2)), { minLength: 1, maxLength: 9 });
const anyHall = fc.array(fc.array(anyRow, { maxLength: 3 }), { minLength: 1, maxLength: 3 }).map((sections) =>
  aDocument(
    Object.fromEntries(
      sections.map((rows, section) => [
        `S${section}`,
        rows.map((seats, index) => {
          let x = section * 50 - 60;
          return seats.map(([gap, grade]): Place => {
            x += gap;
            return [x, 10 + index * 12, grade];
          });
        }),
      ]),
    ),
  ),
);
const anyWish = fc.record(
  {
    count: fc.integer({ min: 1, max: 5 }),
    together: fc.boolean(),
    grade: fc.constantFrom('VIP', 'R', 'S'),
    section: fc.constantFrom('S0', 'S1', 'S2'),
    maxPriceKrw: fc.constantFrom(100_000, 150_000),
  },
  { requiredKeys: ['count', 'together'] },
);

/** By looking at every block there is. */
function everyBlock(document: PlanDocument, free: Uint8Array, wish: SeatWish): number[][] {
  const runs = seatRunsOf(document);
  const section =
    wish.section === undefined ? { first: 0, end: runs.starts.length - 1 } : runs.bySection.get(wish.section);
  const usable = (seatNo: number) => {
    const grade = document.grades[runs.gradeOfSeat[seatNo] ?? 0];
    const run = runs.runOfSeat[seatNo] ?? -1;
    const isIn = section !== undefined && run >= section.first && run < section.end;
    const isPaid = (grade?.priceKrw ?? 0) <= (wish.maxPriceKrw ?? Number.POSITIVE_INFINITY);
    return isIn && isPaid && free[seatNo] === 1 && (wish.grade ?? grade?.grade) === grade?.grade;
  };
  return Array.from(free, (_, first) => Array.from({ length: wish.count }, (__, at) => first + at)).filter((block) =>
    block.every((seatNo) => runs.runOfSeat[seatNo] === runs.runOfSeat[block[0] ?? 0] && usable(seatNo)),
  );
}

test('in any hall, after any changes: together is the best block of all, apart is found whenever there are enough', () => {
  const change = fc.tuple(fc.nat(80), fc.boolean());
  fc.assert(
    fc.property(
      anyHall,
      fc.array(fc.tuple(fc.array(change, { maxLength: 40, size: 'max' }), anyWish), { maxLength: 8 }),
      (document, rounds) => {
        const runs = seatRunsOf(document);
        const picker = createSeatPicker({ document });
        const free = new Uint8Array(runs.seatCount).fill(1);
        for (const [changes, wish] of rounds) {
          for (const [seatNo, isFree] of changes) {
            if (seatNo >= free.length) continue;
            free[seatNo] = isFree ? 1 : 0;
            picker.setFree(seatNo, isFree);
          }
          expect(picker.freeCount).toBe(free.reduce((sum, each) => sum + each, 0));
          const keys = everyBlock(document, free, wish).map((block) => keyOf(runs, free, block));
          const picked = picker.pick(wish);
          const usable = everyBlock(document, free, { ...wish, count: 1 }).flat();
          expect(picked?.every((seatNo) => usable.includes(seatNo)) ?? true).toBe(true);
          expect(new Set(picked).size).toBe(picked?.length ?? 0);
          if (wish.together || wish.count === 1) {
            expect(picked === null ? undefined : keyOf(runs, free, picked)).toBe(keys.sort((a, b) => a - b)[0]);
          } else {
            expect(picked?.length).toBe(usable.length >= wish.count ? wish.count : undefined);
            if (picked !== null && keys.length > 0)
              expect(keyOf(runs, free, picked)).toBeLessThanOrEqual(Math.min(...keys));
          }
        }
      },
    ),
  );
});

/** Every choice of so many of these. */
function* everyChoice(seatNos: readonly number[], count: number): Generator<readonly number[]> {
  if (count === 0) yield [];
  for (const [at, seatNo] of seatNos.entries())
    for (const rest of everyChoice(seatNos.slice(at + 1), count - 1)) yield [seatNo, ...rest];
}

test('in any small hall of one grade: apart leaves as few single seats alone as any choice does', () => {
  const gaps = fc.array(fc.constantFrom(10, 10, 10, 30), { minLength: 3, maxLength: 13 });
  const anyTaken = fc.array(fc.nat(12), { maxLength: 6 });
  fc.assert(
    fc.property(gaps, anyTaken, fc.integer({ min: 2, max: 6 }), fc.integer({ min: -60, max: 60 }), (...drawn) => {
      const [between, taken, count, from] = drawn;
      const xs = between.map((_, at) => between.slice(0, at + 1).reduce((sum, gap) => sum + gap, from));
      const document = aDocument({ A: [row(xs, 10)] });
      const runs = seatRunsOf(document);
      const free = new Uint8Array(runs.seatCount).fill(1);
      for (const seatNo of taken) if (seatNo < free.length) free[seatNo] = 0;
      const picked = aPicker(
        document,
        taken.filter((seatNo) => seatNo < free.length),
      ).pick({ count, together: false });
      const usable = [...free.keys()].filter((seatNo) => free[seatNo] === 1);
      const fewest = Math.min(...[...everyChoice(usable, count)].map((each) => aloneIn(keyOf(runs, free, each))));
      if (picked === null) expect(usable.length).toBeLessThan(count);
      else expect(aloneIn(keyOf(runs, free, picked))).toBe(fewest);
    }),
    { numRuns: 3_000 },
  );
});
