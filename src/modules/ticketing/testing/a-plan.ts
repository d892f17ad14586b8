import { type CompactLayout, compactLayout } from '#modules/catalog/domain/compact-layout.ts';
import { type LayoutDocument, layoutTotals } from '#modules/catalog/domain/layout.ts';
import type { Offer } from '../domain/offer.ts';
import { planDocumentSteps } from '../domain/plan-document.ts';
import { createSeatPlan, type SeatPlan } from '../domain/seat-plan.ts';

/** A price for each grade of a layout, all of them different. */
export function pricesOf(document: LayoutDocument): Offer['prices'] {
  return layoutTotals(document).seatsByGrade.map(({ grade }, index) => ({ grade, priceKrw: 200_000 - 10_000 * index }));
}

/** The plan of a layout, as building makes it. */
export function planOf(
  document: LayoutDocument,
  options: Partial<Offer> & { readonly offer?: string; readonly layout?: CompactLayout } = {},
): SeatPlan {
  const { offer = 'an offer', layoutId = 'a layout', prices = pricesOf(document), ticketTypes = [] } = options;
  const steps = planDocumentSteps(options.layout ?? compactLayout(document), { layoutId, prices, ticketTypes });
  for (;;) {
    const step = steps.next();
    if (step.done) return createSeatPlan({ offer, layoutId, document: step.value });
  }
}
