const declineReasons = [
  'declined',
  'insufficient_funds',
  'card_expired',
  'limit_exceeded',
  'cancelled_by_buyer',
  'not_supported',
] as const;
export type DeclineReason = (typeof declineReasons)[number];

/** What a buyer is told, for clients that have no words of their own. */
const declineWords: Readonly<Record<DeclineReason, string>> = {
  declined: 'The card company did not approve the payment. Try another card, or ask the card company.',
  insufficient_funds: 'There is not enough money in the account of this card. Try another one.',
  card_expired: 'This card has expired. Try another one.',
  limit_exceeded: 'The amount is over the limit of this card. Try another one, or raise the limit.',
  cancelled_by_buyer: 'The payment was cancelled before it was done. Try again while the seats are held.',
  not_supported: 'This card cannot be used here. Try another one.',
};

export function wordsOfDecline(reason: string | null): string {
  return declineWords[reason as DeclineReason] ?? declineWords.declined;
}
