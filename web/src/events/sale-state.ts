import type { EventDetail, EventSummary, SaleTier } from './event-types.ts';

export type SaleState =
  | { readonly kind: 'opens'; readonly opensAt: number }
  | { readonly kind: 'open'; readonly closesAt: number }
  | { readonly kind: 'sold_out' }
  | { readonly kind: 'ended' }
  | { readonly kind: 'cancelled' };

type SaleFacts = Pick<EventSummary, 'status' | 'saleOpensAt' | 'saleClosesAt'>;

/**
 * Where a sale stands now. The status was true when it was read; the clock carries it on from there, so that a page that
 * was opened early turns at the opening without asking the server, and a crowd of pages does not ask all at once.
 */
export function saleState(event: SaleFacts, nowMs: number): SaleState {
  const opensAt = Date.parse(event.saleOpensAt);
  const closesAt = Date.parse(event.saleClosesAt);
  if (event.status === 'cancelled') return { kind: 'cancelled' };
  if (event.status === 'ended' || nowMs >= closesAt) return { kind: 'ended' };
  if (event.status === 'sold_out') return { kind: 'sold_out' };
  // The server says open while our clock is a moment behind: the server is right.
  if (event.status === 'on_sale' || nowMs >= opensAt) return { kind: 'open', closesAt };
  return { kind: 'opens', opensAt };
}

export interface PhaseState {
  readonly tier: SaleTier;
  readonly opensAt: number;
  readonly state: 'over' | 'now' | 'sold_out' | 'next';
}

/** The phases of a sale in order. One without phases is for everybody from the start. */
export function phaseStates(event: SaleFacts & Pick<EventDetail, 'phases'>, nowMs: number): PhaseState[] {
  const sale = saleState(event, nowMs).kind;
  const phases = event.phases.length === 0 ? [{ tier: 'general' as const, opensAt: event.saleOpensAt }] : event.phases;
  return phases.map(({ tier, opensAt }, index) => {
    const following = phases[index + 1];
    const begun = Date.parse(opensAt) <= nowMs || (index === 0 && sale === 'open');
    const over =
      sale === 'ended' || sale === 'cancelled' || (following !== undefined && Date.parse(following.opensAt) <= nowMs);
    const live = sale === 'sold_out' ? 'sold_out' : 'now';
    return { tier, opensAt: Date.parse(opensAt), state: over ? 'over' : begun ? live : 'next' };
  });
}
