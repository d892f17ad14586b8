import { type BuyerTier, buyerTiers } from './fees.ts';

interface SalePhases {
  readonly saleOpensAt: string;
  readonly phases: readonly { readonly tier: BuyerTier; readonly opensAt: string }[];
}

/** From when on a buyer of this tier may buy; null: never, the sale is for members only. */
export function opensForMs({ phases, saleOpensAt }: SalePhases, tier: BuyerTier): number | null {
  if (phases.length === 0) return Date.parse(saleOpensAt);
  // Phases go from the best tier to the last, and each is open for every better one.
  const phase = phases.find((each) => buyerTiers.indexOf(tier) <= buyerTiers.indexOf(each.tier));
  return phase === undefined ? null : Date.parse(phase.opensAt);
}
