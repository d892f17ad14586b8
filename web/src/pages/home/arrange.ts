import type { EventSummary } from '../../events/event-types.ts';
import { saleState } from '../../events/sale-state.ts';

export interface HomeArrangement {
  /** The sale that opens first. */
  readonly next: EventSummary | null;
  /** The openings after it, soonest first. */
  readonly later: readonly EventSummary[];
  /** What can be bought now, including sales that opened since the lists were read. */
  readonly open: readonly EventSummary[];
}

export function arrange(lists: {
  readonly onSale: readonly EventSummary[];
  readonly announced: readonly EventSummary[];
  readonly nowMs: number;
}): HomeArrangement {
  const opened: EventSummary[] = [];
  const upcoming: EventSummary[] = [];
  const known = new Set(lists.onSale.map((event) => event.id));
  for (const event of lists.announced) {
    // Between two readings an event can stand in both lists.
    if (known.has(event.id)) continue;
    const sale = saleState(event, lists.nowMs).kind;
    if (sale === 'opens') upcoming.push(event);
    if (sale === 'open') opened.push({ ...event, status: 'on_sale' });
  }
  upcoming.sort((one, other) => Date.parse(one.saleOpensAt) - Date.parse(other.saleOpensAt));
  const [next = null, ...later] = upcoming;
  const open = [...opened, ...lists.onSale].filter((event) => saleState(event, lists.nowMs).kind === 'open');
  return { next, later, open };
}
