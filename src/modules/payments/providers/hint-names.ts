import { nameForms } from '../domain/name-forms.ts';

/** Whom a webhook names, or null. Only what the body itself has is read, and nothing that is not written as such a name is. */
export function namesIn(body: unknown): { paymentKey: string | null; orderId: string | null } | null {
  const paymentKey = nameIn(body, 'paymentKey');
  const orderId = nameIn(body, 'orderId');
  return paymentKey === null && orderId === null ? null : { paymentKey, orderId };
}

function nameIn(body: unknown, member: keyof typeof nameForms): string | null {
  const { minLength, maxLength, pattern } = nameForms[member];
  const value = own(body, member);
  if (typeof value !== 'string' || value.length < minLength || value.length > maxLength) return null;
  return new RegExp(pattern).test(value) ? value : null;
}

export function objectIn(body: unknown, member: string): object | null {
  const value = own(body, member);
  return typeof value === 'object' ? value : null;
}

function own(body: unknown, member: string): unknown {
  if (typeof body !== 'object' || body === null) return undefined;
  return Object.getOwnPropertyDescriptor(body, member)?.value;
}
