import type { FieldProblem } from './field-problem.ts';

/** Who may buy first. A membership of a tier counts for every tier after it in this list. */
export const saleTiers = ['diamond', 'gold', 'silver', 'general'] as const;
export type SaleTier = (typeof saleTiers)[number];

/** From `opensAt` on, this tier and every better one may buy, until the sale closes. */
export interface Phase {
  readonly tier: SaleTier;
  readonly opensAt: number;
}

export interface SaleWindow {
  readonly saleOpensAt: number;
  readonly saleClosesAt: number;
  readonly phases: readonly Phase[];
}

/**
 * The lowest tier that may buy now, or `null` outside the sale window. No phases means that the sale is general from
 * the start; phases without `general` make a sale for members only.
 */
export function openTier(window: SaleWindow, nowMs: number): SaleTier | null {
  if (nowMs < window.saleOpensAt || nowMs >= window.saleClosesAt) return null;
  if (window.phases.length === 0) return 'general';
  return window.phases.findLast((phase) => phase.opensAt <= nowMs)?.tier ?? null;
}

export function mayBuy(window: SaleWindow, buyer: SaleTier, nowMs: number): boolean {
  const open = openTier(window, nowMs);
  return open !== null && saleTiers.indexOf(buyer) <= saleTiers.indexOf(open);
}

/** Phases go from the best tier to the last, each later than the one before, and all inside the sale window. */
export function phaseProblems(window: SaleWindow): FieldProblem[] {
  const problems: FieldProblem[] = [];
  for (const [index, phase] of window.phases.entries()) {
    const field = `phases.${index}`;
    const before = window.phases[index - 1];
    if (before === undefined && phase.opensAt !== window.saleOpensAt) {
      problems.push({ field: `${field}.opensAt`, message: 'the first phase opens with the sale, at saleOpensAt' });
    }
    if (before !== undefined && phase.opensAt <= before.opensAt) {
      problems.push({ field: `${field}.opensAt`, message: 'must be later than the phase before' });
    }
    if (before !== undefined && saleTiers.indexOf(phase.tier) <= saleTiers.indexOf(before.tier)) {
      problems.push({ field: `${field}.tier`, message: 'phases go from diamond over gold and silver to general' });
    }
    if (phase.opensAt >= window.saleClosesAt) {
      problems.push({ field: `${field}.opensAt`, message: 'must be before the sale closes' });
    }
  }
  return problems;
}
