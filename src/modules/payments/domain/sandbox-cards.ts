/** What the sandbox does about one payment. Kept with it as JSON; migrations/0002_sandbox.sql reads it. */
export interface SandboxPlan {
  /** The code of its decline. */
  readonly declines?: SandboxDecline;
  /** The first capture gets no answer: before it has taken the money, or after it. */
  readonly losesCapture?: 'before' | 'after';
  /** The money is taken, and the answer comes, so much later. */
  readonly delayMs?: number;
  /** So many captures end in a fault. */
  readonly failsTries?: number;
  /** For so long after the first call everything about this payment ends in a fault. */
  readonly downMs?: number;
  /** Webhooks, so much after the money was taken. What they claim is not always true. */
  readonly callsBack?: readonly { readonly afterMs: number; readonly claims: 'captured' | 'failed' }[];
  /** The first refund gets no answer: before the money went back, or after it. */
  readonly losesRefund?: 'before' | 'after';
}

export type SandboxDecline =
  | 'CARD_DECLINED'
  | 'INSUFFICIENT_FUNDS'
  | 'CARD_EXPIRED'
  | 'LIMIT_EXCEEDED'
  | 'CARD_NOT_SUPPORTED';

export interface SandboxCard {
  readonly number: string;
  readonly behaviour: string;
  /** What it does, in one line. */
  readonly summary: string;
  readonly plan: SandboxPlan;
}

/** The test cards, in the order in which the page lists them. */
export const sandboxCards = [
  { number: '4242424242424242', behaviour: 'approves', summary: 'Approves', plan: {} },
  {
    number: '4000000000000002',
    behaviour: 'declines',
    summary: 'Declines',
    plan: { declines: 'CARD_DECLINED' },
  },
  {
    number: '4000000000009995',
    behaviour: 'declines_funds',
    summary: 'Declines: not enough money',
    plan: { declines: 'INSUFFICIENT_FUNDS' },
  },
  {
    number: '4000000000000069',
    behaviour: 'declines_expired_card',
    summary: 'Declines: the card has expired',
    plan: { declines: 'CARD_EXPIRED' },
  },
  {
    number: '4000000000006975',
    behaviour: 'declines_limit',
    summary: 'Declines: over the limit of the card',
    plan: { declines: 'LIMIT_EXCEEDED' },
  },
  {
    number: '4000000000000119',
    behaviour: 'times_out_before',
    summary: 'Gives no answer and takes no money; a second try is approved',
    plan: { losesCapture: 'before' },
  },
  {
    number: '4000000000000127',
    behaviour: 'times_out_after',
    summary: 'Takes the money and gives no answer',
    plan: { losesCapture: 'after' },
  },
  {
    number: '4000000000000259',
    behaviour: 'slow',
    summary: 'Approves after 65 seconds, later than anyone waits for it',
    plan: { delayMs: 65_000, callsBack: [{ afterMs: 0, claims: 'captured' }] },
  },
  {
    number: '4000000000000341',
    behaviour: 'calls_back_twice',
    summary: 'Approves and calls back twice',
    plan: {
      callsBack: [
        { afterMs: 0, claims: 'captured' },
        { afterMs: 1_000, claims: 'captured' },
      ],
    },
  },
  {
    number: '4000000000002685',
    behaviour: 'contradicts',
    summary: 'Approves; calls back later that it failed, then that it did not',
    plan: {
      callsBack: [
        { afterMs: 3_000, claims: 'failed' },
        { afterMs: 8_000, claims: 'captured' },
      ],
    },
  },
  {
    number: '4000000000005423',
    behaviour: 'fails_once',
    summary: 'Ends the first try in a fault of the provider',
    plan: { failsTries: 1 },
  },
  {
    number: '4000000000003220',
    behaviour: 'comes_back',
    summary: 'Finds the provider down for 10 seconds, then approves',
    plan: { downMs: 10_000 },
  },
  {
    number: '4000000000005126',
    behaviour: 'refund_times_out_before',
    summary: 'Approves; the first refund gets no answer and moves nothing',
    plan: { losesRefund: 'before' },
  },
  {
    number: '4000000000007726',
    behaviour: 'refund_times_out_after',
    summary: 'Approves; the first refund gets no answer, but the money goes back',
    plan: { losesRefund: 'after' },
  },
] as const satisfies readonly SandboxCard[];

export type SandboxBehaviour = (typeof sandboxCards)[number]['behaviour'];

/** Of every other card number. */
const unknownCard = { behaviour: 'not_supported', plan: { declines: 'CARD_NOT_SUPPORTED' } } as const;

const behaviours: readonly Pick<SandboxCard, 'behaviour' | 'plan'>[] = [...sandboxCards, unknownCard];
const keyPattern = /^sandbox_([a-z_]+)_[0-9a-f]+$/;

/** The key of a payment, from which the sandbox knows what to do. `mark` (hexadecimal) tells payments apart and says nothing of the card. */
export function sandboxKeyOf({ cardNumber, mark }: { cardNumber: string; mark: string }): string {
  const card = sandboxCards.find(({ number }) => number === cardNumber) ?? unknownCard;
  return sandboxKey(card.behaviour, mark);
}

export function sandboxKey(behaviour: SandboxBehaviour | typeof unknownCard.behaviour, mark: string): string {
  return `sandbox_${behaviour}_${mark}`;
}

/** A key that is not one of these approves. */
export function sandboxPlanOf(paymentKey: string): SandboxPlan {
  const behaviour = keyPattern.exec(paymentKey)?.[1];
  return behaviours.find((known) => known.behaviour === behaviour)?.plan ?? {};
}
