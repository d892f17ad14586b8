/** Who may buy when, the best first. The names are catalog's. */
export const buyerTiers = ['diamond', 'gold', 'silver', 'general'] as const;
export type BuyerTier = (typeof buyerTiers)[number];

/** Booking fee of one ticket. Kept with the reservation when it is granted. */
const bookingFeeKrw: Readonly<Record<BuyerTier, number>> = {
  diamond: 1_000,
  gold: 2_000,
  silver: 3_000,
  general: 3_000,
};

/** What costs nothing has no fee. */
export function bookingFeeOf(priceKrw: number, tier: BuyerTier): number {
  return priceKrw === 0 ? 0 : bookingFeeKrw[tier];
}
