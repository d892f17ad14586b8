/** Longer than any key or order; what is longer no provider sent. */
const nameMax = 200;

/** A name that a webhook says, or null. Only what the body itself has is read. */
export function nameIn(body: unknown, member: string): string | null {
  const value = own(body, member);
  return typeof value === 'string' && value !== '' && value.length <= nameMax ? value : null;
}

export function objectIn(body: unknown, member: string): object | null {
  const value = own(body, member);
  return typeof value === 'object' ? value : null;
}

function own(body: unknown, member: string): unknown {
  if (typeof body !== 'object' || body === null) return undefined;
  return Object.getOwnPropertyDescriptor(body, member)?.value;
}
