import type { SeatWish } from './best-available.ts';

/** A wish that could be met now; null: any. */
export interface WouldFit {
  readonly count: number;
  readonly together: boolean;
  readonly grade: string | null;
  readonly section: string | null;
  readonly maxPriceKrw: number | null;
  /** Free seats that it chooses from. */
  readonly left: number;
}

/** The nearest wishes to one that cannot be met, in the order in which people give something up. */
export function wouldFit(
  wish: SeatWish,
  seats: {
    grades: readonly { readonly grade: string }[];
    freeCount: number;
    fits(wish: SeatWish): boolean;
    countFree(wish: SeatWish): ReadonlyMap<string, number>;
  },
): WouldFit[] {
  if (seats.freeCount === 0) return [];
  const other = (changes: Partial<SeatWish>) => ({ ...wish, ...changes });
  const candidates = [
    ...(wish.together && wish.count > 1 ? [other({ together: false })] : []),
    ...(wish.section === undefined ? [] : [other({ section: undefined })]),
    ...seats.grades
      .filter(({ grade }) => grade !== wish.grade)
      .map(({ grade }) => other({ grade, maxPriceKrw: undefined })),
  ];
  const most = mostThatFit(wish.count, (count) => seats.fits(other({ count })));
  const fewer = most === 0 ? [] : [other({ count: most })];
  return [...candidates.filter((each) => seats.fits(each)), ...fewer].map((each) => ({
    count: each.count,
    together: each.together,
    grade: each.grade ?? null,
    section: each.section ?? null,
    maxPriceKrw: each.maxPriceKrw ?? null,
    left: [...seats.countFree(each).values()].reduce((sum, left) => sum + left, 0),
  }));
}

/** The largest number below `count` that fits; 0: none. Where some fit, fewer do too. */
function mostThatFit(count: number, fits: (count: number) => boolean): number {
  let [fitting, tooMany] = [0, count];
  while (tooMany - fitting > 1) {
    const middle = (fitting + tooMany) >> 1;
    if (fits(middle)) fitting = middle;
    else tooMany = middle;
  }
  return fitting;
}
