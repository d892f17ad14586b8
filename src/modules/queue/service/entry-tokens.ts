import type { EntryClaims } from '#modules/gateway/contract.ts';
import type { JwtKind } from '#platform/tokens/jwt.ts';
import type { Slot } from '../ports.ts';

/** Proof of a slot. It can be made again at any time while the slot lasts, so nobody loses a turn with a lost answer. */
export interface EntryTokens {
  /** Ends with the slot, never later. */
  of(eventId: string, slot: Pick<Slot, 'slotId' | 'userId' | 'endsAtMs'>): Entry;
}

export interface Entry {
  readonly token: string;
  readonly slotEndsAtMs: number;
}

export function createEntryTokens({ kind }: { kind: JwtKind<EntryClaims> }): EntryTokens {
  return {
    of(eventId, { slotId, userId, endsAtMs }) {
      const { token } = kind.sign({ sub: eventId, uid: userId, jti: slotId }, { expiresAtMs: endsAtMs });
      return { token, slotEndsAtMs: endsAtMs };
    },
  };
}
