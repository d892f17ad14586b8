// Generated from src/modules/payments/domain/sandbox-cards.ts by `npm run generate`. Do not edit.
export const sandboxCards = [
  { number: '4242424242424242', behaviour: 'approves' },
  { number: '4000000000000002', behaviour: 'declines' },
  { number: '4000000000009995', behaviour: 'declines_funds' },
  { number: '4000000000000069', behaviour: 'declines_expired_card' },
  { number: '4000000000006975', behaviour: 'declines_limit' },
  { number: '4000000000000119', behaviour: 'times_out_before' },
  { number: '4000000000000127', behaviour: 'times_out_after' },
  { number: '4000000000000259', behaviour: 'slow' },
  { number: '4000000000000341', behaviour: 'calls_back_twice' },
  { number: '4000000000002685', behaviour: 'contradicts' },
  { number: '4000000000005423', behaviour: 'fails_once' },
  { number: '4000000000003220', behaviour: 'comes_back' },
  { number: '4000000000005126', behaviour: 'refund_times_out_before' },
  { number: '4000000000007726', behaviour: 'refund_times_out_after' },
] as const;
