/**
 * The status of an event is derived from stored marks and the time; it is never stored, so it cannot go stale and it
 * changes in the very millisecond that the sale opens.
 *
 *            publish              saleOpensAt             saleClosesAt
 *   draft ───────────▶ announced ────────────▶ on_sale ───────────────▶ ended
 *     │                    │                   │     ▲                   ▲ │
 *     │ delete             │          sold out │     │ a seat came back  │ │
 *     ▼                    │                   ▼     │                   │ │
 *   (gone)                 │                  sold_out ──────────────────┘ │
 *                          │                    │        saleClosesAt      │
 *                          └────────────────────┴──▶ cancelled ◀───────────┘
 *                                cancel, from any of them, until the show starts
 */
export const eventStatuses = ['draft', 'announced', 'on_sale', 'sold_out', 'ended', 'cancelled'] as const;
export type EventStatus = (typeof eventStatuses)[number];

/** All that a status depends on. A published event has both times; a draft may lack them. */
export interface StatusMarks {
  readonly publishedAt: number | null;
  readonly cancelledAt: number | null;
  readonly soldOut: boolean;
  readonly saleOpensAt: number | null;
  readonly saleClosesAt: number | null;
}

export function eventStatus(marks: StatusMarks, nowMs: number): EventStatus {
  if (marks.cancelledAt !== null) return 'cancelled';
  if (marks.publishedAt === null) return 'draft';
  if (marks.saleClosesAt !== null && nowMs >= marks.saleClosesAt) return 'ended';
  if (marks.saleOpensAt === null || nowMs < marks.saleOpensAt) return 'announced';
  return marks.soldOut ? 'sold_out' : 'on_sale';
}

/** The first moment after now at which the status changes by time alone; `Infinity` when it never will. */
export function nextStatusChange(marks: StatusMarks, nowMs: number): number {
  if (marks.cancelledAt !== null || marks.publishedAt === null) return Number.POSITIVE_INFINITY;
  const { saleOpensAt, saleClosesAt } = marks;
  if (saleClosesAt !== null && nowMs >= saleClosesAt) return Number.POSITIVE_INFINITY;
  const closes = saleClosesAt ?? Number.POSITIVE_INFINITY;
  return saleOpensAt !== null && nowMs < saleOpensAt ? Math.min(saleOpensAt, closes) : closes;
}

/** The sale of a published event has begun (and may be over): buyers rely on what they were shown. */
export function saleHasOpened(marks: StatusMarks, nowMs: number): boolean {
  return marks.publishedAt !== null && marks.saleOpensAt !== null && nowMs >= marks.saleOpensAt;
}
