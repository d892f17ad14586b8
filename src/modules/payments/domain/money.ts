/** What the database can count. */
export const krwMax = 2_147_483_647;

/** An amount that can be booked. Providers may say others. */
export function isWholeKrw(krw: number): boolean {
  return Number.isInteger(krw) && krw > 0 && krw <= krwMax;
}

/** What payments knows of an order's money. Attempts whose money had nothing to pay for are told apart. */
export interface OrderMoney {
  readonly orderId: string;
  /** `<reservation> of user <user>`: what it paid for, and whose it is. Null: it paid for no reservation. */
  readonly subject: string | null;
  readonly capturedKrw: number;
  readonly refundedKrw: number;
  /** Asked to go back and not gone yet. */
  readonly pendingKrw: number;
  /** Given without anything being void, gone or on its way; also what a person has accepted. */
  readonly goodwillKrw: number;
  /** Asked to go back and settled by a person in another way: the provider still has it. */
  readonly acceptedKrw: number;
  /** Of refunds for cancelled tickets, what was cut off since it had gone back otherwise. */
  readonly cutKrw: number;
  /** Captured, not gone back and not asked to, of attempts with nothing to give for them. */
  readonly orphanKrw: number;
  /** An attempt whose outcome is open, or a capture of which nobody has heard yet. */
  readonly isUnderWay: boolean;
  readonly isWithPerson: boolean;
  /** Somebody gave money back at the provider, or the bank took a deposit back: without asking what is kept. */
  readonly isTakenBack: boolean;
}

/** What ticketing knows of it. */
export interface TicketMoney {
  readonly orderId: string;
  /** Of all of its tickets, as above. */
  readonly subjects: readonly string[];
  /** Face value and fee of the live tickets that it paid for. */
  readonly liveKrw: number;
  /** Of its void tickets, what did not go back. */
  readonly keptKrw: number;
  readonly isUnderWay: boolean;
}

export type MoneyVerdict = 'agree' | 'under-way' | 'with-person' | { readonly problem: string };

/**
 * captured − refunded − on its way back − settled otherwise = live tickets + fees kept − goodwill, order by order. What was cut off a refund had gone back before,
 * as goodwill or in a way that was none.
 * While an order is under way the two sides may differ: they hear of each other by messages.
 */
export function compareMoney(money: OrderMoney | null, tickets: TicketMoney | null): MoneyVerdict {
  const accepted = money?.acceptedKrw ?? 0;
  const left = (money?.capturedKrw ?? 0) - (money?.refundedKrw ?? 0) - (money?.pendingKrw ?? 0) - accepted;
  const cut = Math.min(money?.cutKrw ?? 0, money?.goodwillKrw ?? 0);
  const right = (tickets?.liveKrw ?? 0) + (tickets?.keptKrw ?? 0) - (money?.goodwillKrw ?? 0) + cut;
  const orderId = money?.orderId ?? tickets?.orderId;
  const strange = tickets?.subjects.find((one) => money?.subject != null && one !== money.subject);
  if (strange !== undefined)
    return {
      problem: `order ${orderId}: it paid for reservation ${money?.subject}, and its tickets are of ${strange}`,
    };
  if (left === right && (money?.orphanKrw ?? 0) === 0) return 'agree';
  // All of it is gone, also what the terms of refund let us keep, and no ticket is left.
  const isGone = money?.isTakenBack === true && left === 0 && (tickets?.liveKrw ?? 0) === 0;
  if (isGone && money.orphanKrw === 0) return 'agree';
  if (money?.isUnderWay === true || tickets?.isUnderWay === true) return 'under-way';
  if (money?.isWithPerson === true) return 'with-person';
  if ((money?.orphanKrw ?? 0) !== 0)
    return { problem: `order ${orderId}: ${money?.orphanKrw} KRW were captured for nothing and do not go back` };
  return {
    problem:
      `order ${orderId}: captured ${money?.capturedKrw ?? 0} − refunded ${money?.refundedKrw ?? 0} − on its way ${money?.pendingKrw ?? 0} ` +
      `− settled otherwise ${accepted} = ${left}, but ` +
      `live tickets ${tickets?.liveKrw ?? 0} + kept ${tickets?.keptKrw ?? 0} − goodwill ${money?.goodwillKrw ?? 0} + cut ${cut} = ${right}`,
  };
}
