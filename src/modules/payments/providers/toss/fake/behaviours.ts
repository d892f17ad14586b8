/** What a call does and what is heard of it. Each act is for one call; afterwards everything is as usual. */
export type Act =
  | { readonly act: 'lost_before' | 'lost_after' | 'slow' | 'not_json' | 'too_large' | 'redirected' }
  /** Answered by an error. `ends`: the payment is over, as after a decline. */
  | { readonly act: 'error'; readonly status: number; readonly code: string; readonly ends: boolean };

export interface Plan {
  readonly words: string;
  readonly confirm?: readonly Act[];
  readonly cancel?: readonly Act[];
  readonly webhooks?: 'never' | 'twice' | 'late' | 'contradictory';
}

const declines = (code: string, status = 403): Pick<Plan, 'confirm'> => ({
  confirm: [{ act: 'error', status, code, ends: true }],
});
const failsOnce = (code: string, status: number): Act => ({ act: 'error', status, code, ends: false });

/** What the buyer may choose in the window, and a test by name. */
export const behaviours = {
  approves: { words: 'The payment is approved.' },
  declines: { words: 'The card company declines.', ...declines('REJECT_CARD_COMPANY') },
  declines_funds: { words: 'Declined: not enough money.', ...declines('REJECT_ACCOUNT_PAYMENT') },
  declines_expired_card: { words: 'Declined: the card has expired.', ...declines('INVALID_CARD_EXPIRATION', 400) },
  declines_limit: { words: 'Declined: over the limit.', ...declines('EXCEED_MAX_PAYMENT_AMOUNT', 400) },
  times_out_before: { words: 'The first answer is lost; no money is taken.', confirm: [{ act: 'lost_before' }] },
  times_out_after: { words: 'The first answer is lost; the money is taken.', confirm: [{ act: 'lost_after' }] },
  slow: { words: 'It is answered after 65 seconds.', confirm: [{ act: 'slow' }] },
  fails_once: { words: 'A temporary error, once (PROVIDER_ERROR, 400).', confirm: [failsOnce('PROVIDER_ERROR', 400)] },
  answers_html: { words: 'The money is taken; the first answer is no JSON.', confirm: [{ act: 'not_json' }] },
  answers_too_much: { words: 'The money is taken; the first answer has no end.', confirm: [{ act: 'too_large' }] },
  redirects: { words: 'The first call is redirected elsewhere.', confirm: [{ act: 'redirected' }] },
  refund_times_out_before: { words: 'The first refund is lost; nothing goes back.', cancel: [{ act: 'lost_before' }] },
  refund_times_out_after: { words: 'The answer to the first refund is lost.', cancel: [{ act: 'lost_after' }] },
  refund_fails_once: {
    words: 'The first refund gets a temporary error.',
    cancel: [failsOnce('FAILED_INTERNAL_SYSTEM_PROCESSING', 500)],
  },
  webhooks_twice: { words: 'Approved; every webhook comes twice.', webhooks: 'twice' },
  webhooks_late: { words: 'Approved; webhooks come ten minutes late.', webhooks: 'late' },
  webhooks_contradictory: { words: 'Approved; webhooks contradict each other.', webhooks: 'contradictory' },
  webhooks_never: { words: 'Approved; no webhook comes.', webhooks: 'never' },
} satisfies Readonly<Record<string, Plan>>;

export type FakeBehaviour = keyof typeof behaviours;

export function isBehaviour(name: unknown): name is FakeBehaviour {
  return typeof name === 'string' && Object.hasOwn(behaviours, name);
}

export function planOf(name: FakeBehaviour): Plan {
  return behaviours[name];
}
