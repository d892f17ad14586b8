import type { SeatPlan } from './seat-plan.ts';

export interface SalesFacts {
  /** One letter a seat, in order: f free, h held, s sold, b blocked. */
  readonly seats: string;
  readonly ticketTypes: readonly {
    readonly ticketTypeId: string;
    /** In the counters. */
    readonly left: number;
    /** Taken out of the counters by holds that still count. */
    readonly held: number;
    /** And by holds whose time is over, which count as free. */
    readonly lapsed: number;
  }[];
  /** Face value of live tickets by grade or ticket type, as they were sold. A map: sellers name grades as they like, also `constructor`. */
  readonly soldKrw: ReadonlyMap<string, number>;
}

export interface GradeSales {
  readonly grade: string;
  readonly priceKrw: number;
  readonly total: number;
  readonly sold: number;
  readonly held: number;
  readonly blocked: number;
  readonly free: number;
  readonly soldKrw: number;
}

export interface AreaSales extends Omit<GradeSales, 'grade' | 'blocked'> {
  readonly ticketTypeId: string;
  readonly areaId: string;
  readonly name: string;
}

/** In the order of the plan: grades as they are priced, areas as they are offered. */
export function salesFigures({ document }: Pick<SeatPlan, 'document'>, facts: SalesFacts) {
  const counts = document.grades.map(() => ({ total: 0, f: 0, h: 0, s: 0, b: 0 }));
  let seatNo = 0;
  for (const { rows } of document.sections) {
    for (const { grades } of rows) {
      for (const grade of grades) {
        const count = counts[grade];
        const letter = facts.seats[seatNo++] as 'f' | 'h' | 's' | 'b' | undefined; // These are all that the query writes.
        if (count === undefined || letter === undefined) continue;
        count.total += 1;
        count[letter] += 1;
      }
    }
  }
  const grades = document.grades.map(({ grade, priceKrw }, index): GradeSales => {
    const { total, f, h, s, b } = counts[index] ?? { total: 0, f: 0, h: 0, s: 0, b: 0 };
    return { grade, priceKrw, total, sold: s, held: h, blocked: b, free: f, soldKrw: facts.soldKrw.get(grade) ?? 0 };
  });
  return { grades, areas: areaSales(document.ticketTypes, facts) };
}

function areaSales(offered: SeatPlan['document']['ticketTypes'], { ticketTypes, soldKrw }: SalesFacts): AreaSales[] {
  return offered.map(({ ticketTypeId, areaId, name, priceKrw, capacity: total }) => {
    const { left, held, lapsed } = ticketTypes.find((type) => type.ticketTypeId === ticketTypeId) ?? {
      ...{ left: total, held: 0, lapsed: 0 },
    };
    const free = left + lapsed;
    const sold = total - free - held;
    return { ticketTypeId, areaId, name, priceKrw, total, sold, held, free, soldKrw: soldKrw.get(ticketTypeId) ?? 0 };
  });
}
