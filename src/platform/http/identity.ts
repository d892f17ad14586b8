export const roles = ['buyer', 'seller', 'operator', 'admin'] as const;
export type Role = (typeof roles)[number];

export function isRole(text: string): text is Role {
  return (roles as readonly string[]).includes(text);
}

/** Who is calling, as the gateway found out. Modules read this and never a token. */
export interface Identity {
  readonly userId: string;
  readonly email: string;
  readonly role: Role;
}

/** A slot that the caller holds: proved by an entry token at the gateway, by the internal signature behind it. */
export interface EntrySlot {
  readonly eventId: string;
  readonly slotId: string;
}
