/**
 * The seats of an event as they are sold, in columns: what `ticketing.plans` keeps. `seatNo` counts through sections, rows and
 * labels in this order, from 0, as catalog's layout does.
 */
export interface PlanDocument {
  readonly grades: readonly { readonly grade: string; readonly priceKrw: number }[];
  readonly sections: readonly {
    readonly id: string;
    readonly rows: readonly {
      readonly label: string;
      readonly labels: readonly string[];
      /** Index into `grades`, for each label. */
      readonly grades: readonly number[];
      readonly x: readonly number[];
      readonly y: readonly number[];
    }[];
  }[];
  /** Where the stage is, for who is best seated: its middle; the middle of the front edge where the drawing has none. */
  readonly stage: { readonly x: number; readonly y: number };
  readonly ticketTypes: readonly {
    readonly ticketTypeId: string;
    readonly areaId: string;
    readonly name: string;
    readonly nameEn: string | null;
    readonly capacity: number;
    readonly priceKrw: number;
  }[];
}

export interface PlannedSeat {
  readonly seatNo: number;
  readonly seatId: string;
  readonly section: string;
  readonly row: string;
  readonly label: string;
  readonly grade: string;
  readonly priceKrw: number;
  readonly x: number;
  readonly y: number;
}

export interface SeatPlan {
  readonly offer: string;
  readonly layoutId: string;
  readonly document: PlanDocument;
  readonly seatCount: number;
  seat(seatNo: number): PlannedSeat | undefined;
  seatNoOf(seatId: string): number | undefined;
  /** First seat and number of seats of a section, which stand together. */
  section(sectionId: string): { readonly first: number; readonly count: number } | undefined;
  ticketType(ticketTypeId: string): PlanDocument['ticketTypes'][number] | undefined;
}

/** Costs a little for each row and nothing for each seat: labels are indexed when a seat of their row is first asked for. */
export function createSeatPlan(plan: Pick<SeatPlan, 'offer' | 'layoutId' | 'document'>): SeatPlan {
  const { sections, grades, ticketTypes } = plan.document;
  const rows: PlannedRow[] = [];
  const bySection = new Map<string, { first: number; count: number; rows: ReadonlyMap<string, PlannedRow> }>();
  let seatCount = 0;
  for (const section of sections) {
    const first = seatCount;
    const byLabel = new Map<string, PlannedRow>();
    for (const row of section.rows) {
      const planned = { first: seatCount, section: section.id, row, numbers: null };
      rows.push(planned);
      byLabel.set(row.label, planned);
      seatCount += row.labels.length;
    }
    bySection.set(section.id, { first, count: seatCount - first, rows: byLabel });
  }
  const types = new Map(ticketTypes.map((type) => [type.ticketTypeId, type]));

  return {
    ...plan,
    seatCount,

    seat(seatNo) {
      if (!Number.isInteger(seatNo) || seatNo < 0 || seatNo >= seatCount) return undefined;
      const { first, section, row } = rowAt(rows, seatNo);
      const at = seatNo - first;
      const label = row.labels[at] as string; // All columns of a row are as long as it has seats.
      const { grade, priceKrw } = grades[row.grades[at] as number] as PlanDocument['grades'][number];
      const place = { x: row.x[at] as number, y: row.y[at] as number };
      return {
        seatNo,
        seatId: `${section}-${row.label}-${label}`,
        section,
        row: row.label,
        label,
        grade,
        priceKrw,
        ...place,
      };
    },

    seatNoOf(seatId) {
      // Labels hold no `-`.
      const [section, rowLabel, label, more] = seatId.split('-');
      if (section === undefined || rowLabel === undefined || label === undefined || more !== undefined)
        return undefined;
      const planned = bySection.get(section)?.rows.get(rowLabel);
      if (planned === undefined) return undefined;
      planned.numbers ??= new Map(planned.row.labels.map((each, at) => [each, planned.first + at]));
      return planned.numbers.get(label);
    },

    section(sectionId) {
      const known = bySection.get(sectionId);
      return known && { first: known.first, count: known.count };
    },

    ticketType: (ticketTypeId) => types.get(ticketTypeId),
  };
}

interface PlannedRow {
  readonly first: number;
  readonly section: string;
  readonly row: PlanDocument['sections'][number]['rows'][number];
  numbers: ReadonlyMap<string, number> | null;
}

/** The last row that begins at or before the seat; there is one, since the seat exists. */
function rowAt(rows: readonly PlannedRow[], seatNo: number): PlannedRow {
  let low = 0;
  let high = rows.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((rows[middle] as PlannedRow).first <= seatNo) low = middle;
    else high = middle - 1;
  }
  return rows[low] as PlannedRow;
}
