/** What providers and we call things. Nothing else is kept or asked about, whoever says it. */
export const nameForms = {
  /** Also what providers take: Toss allows 6 to 64 of these characters. */
  orderId: { minLength: 6, maxLength: 64, pattern: '^[A-Za-z0-9_=-]+$' },
  paymentKey: { minLength: 1, maxLength: 200, pattern: '^[\\x21-\\x7e]+$' },
} as const;
