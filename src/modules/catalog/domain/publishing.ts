import type { EventFacts } from './event.ts';
import type { FieldProblem } from './field-problem.ts';
import type { LayoutTotals, StandingArea } from './layout.ts';
import { phaseProblems } from './phases.ts';

/** The layout as far as selling is concerned. */
export interface SellableLayout extends LayoutTotals {
  readonly venueId: string;
  readonly standingAreas: readonly Omit<StandingArea, 'outline'>[];
}

/**
 * Everything that keeps an event from being sold, all at once, so that a seller can mend it in one go. A draft may
 * have any of these; a published event has none, at any time.
 */
export function publishingProblems(facts: EventFacts, layout: SellableLayout | null): FieldProblem[] {
  return [...missingFacts(facts), ...timeProblems(facts), ...layoutAndPriceProblems(facts, layout)];
}

const requiredFacts = ['artistId', 'venueId', 'layoutId', 'startsAt', 'saleOpensAt', 'saleClosesAt'] as const;

function missingFacts(facts: EventFacts): FieldProblem[] {
  return requiredFacts.filter((name) => facts[name] === null).map((field) => ({ field, message: 'is missing' }));
}

function timeProblems(facts: EventFacts): FieldProblem[] {
  const { startsAt, doorsAt, saleOpensAt, saleClosesAt } = facts;
  const problems: FieldProblem[] = [];
  if (doorsAt !== null && startsAt !== null && doorsAt > startsAt) {
    problems.push({ field: 'doorsAt', message: 'must not be after startsAt' });
  }
  if (saleClosesAt !== null && startsAt !== null && saleClosesAt > startsAt) {
    problems.push({ field: 'saleClosesAt', message: 'must not be after startsAt' });
  }
  if (saleOpensAt !== null && saleClosesAt !== null) {
    if (saleOpensAt >= saleClosesAt) problems.push({ field: 'saleOpensAt', message: 'must be before saleClosesAt' });
    problems.push(...phaseProblems({ saleOpensAt, saleClosesAt, phases: facts.phases }));
  }
  return problems;
}

function layoutAndPriceProblems(facts: EventFacts, layout: SellableLayout | null): FieldProblem[] {
  if (layout === null) return [];
  const problems: FieldProblem[] = [];
  if (facts.venueId !== null && layout.venueId !== facts.venueId) {
    problems.push({ field: 'layoutId', message: 'belongs to another venue' });
  }
  problems.push(
    ...pricingProblems({
      field: 'prices',
      offered: layout.seatsByGrade.map(({ grade }) => grade),
      priced: facts.prices.map(({ grade }) => grade),
    }),
    ...pricingProblems({
      field: 'ticketTypes',
      offered: layout.standingAreas.map(({ id }) => id),
      priced: facts.ticketTypes.map(({ areaId }) => areaId),
    }),
  );
  return problems;
}

/** What is offered and what is priced must be the same set, each once. */
function pricingProblems(sets: {
  field: string;
  offered: readonly string[];
  priced: readonly string[];
}): FieldProblem[] {
  const { field, offered, priced } = sets;
  const seen = new Set<string>();
  const problems: FieldProblem[] = [];
  for (const name of priced) {
    if (seen.has(name)) problems.push({ field, message: `"${name}" is priced twice` });
    else if (!offered.includes(name)) problems.push({ field, message: `the layout has no "${name}"` });
    seen.add(name);
  }
  for (const name of offered) {
    if (!seen.has(name)) problems.push({ field, message: `no price for "${name}"` });
  }
  return problems;
}
