import type { PayMethod, RefundAccount } from './order-types.ts';

/** What the buyer has filled in. */
export interface PayDraft {
  readonly method: PayMethod;
  readonly cardNumber: string;
  readonly bank: string;
  readonly accountNumber: string;
  readonly holder: string;
  readonly consents: readonly ConsentName[];
}

export const consentNames = ['terms', 'provider', 'privacy'] as const;
export type ConsentName = (typeof consentNames)[number];

export type PayField = 'cardNumber' | 'bank' | 'accountNumber' | 'holder' | 'consents';

/** What is to be sent, or the fields that are not right yet, the first of them first. */
export type PayChoice =
  | { readonly method: 'card'; readonly cardNumber: string | null }
  | { readonly method: 'virtual_account'; readonly refundAccount: RefundAccount };

/** `asksCard`: the number is asked for here, and not in a window of the provider. */
export function checkDraft(draft: PayDraft, asksCard: boolean): PayChoice | readonly PayField[] {
  const wrong: PayField[] = [];
  const cardNumber = draft.cardNumber.replaceAll(/[ -]/g, '');
  const account = {
    bank: draft.bank,
    number: draft.accountNumber.replaceAll(' ', ''),
    holder: draft.holder.trim(),
  };
  if (draft.method === 'card') {
    if (asksCard && !/^\d{12,19}$/.test(cardNumber)) wrong.push('cardNumber');
  } else {
    if (account.bank === '') wrong.push('bank');
    if (!/^[\d-]{4,30}$/.test(account.number)) wrong.push('accountNumber');
    if (account.holder === '') wrong.push('holder');
  }
  if (consentNames.some((name) => !draft.consents.includes(name))) wrong.push('consents');
  if (wrong.length > 0) return wrong;
  return draft.method === 'card'
    ? { method: 'card', cardNumber: asksCard ? cardNumber : null }
    : { method: 'virtual_account', refundAccount: account };
}

/** `4242 4242 4242 4242` */
export function spacedCard(number: string): string {
  return number.replaceAll(/(\d{4})(?=\d)/g, '$1 ');
}
