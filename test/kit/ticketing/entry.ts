import type { EntryClaims } from '#modules/gateway/contract.ts';
import { systemClock } from '#platform/clock.ts';
import { createJwtKind } from '#platform/tokens/jwt.ts';
import { aSignedIn, type SomebodySignedIn } from '../queue/show.ts';
import { testSecrets } from '../secrets.ts';

const entryTokens = createJwtKind<EntryClaims>({
  typ: 'entry+jwt',
  secrets: [testSecrets.URR_QUEUE_ENTRY_TOKEN_SECRET],
  ttlSeconds: 3_600,
  clock: systemClock,
});

/** Somebody with a slot. */
export interface Shopper extends SomebodySignedIn {
  readonly slotId: string;
  readonly entryToken: string;
}

let slots = 0;

/** In a slot without having waited: signed with the secret of the tests, by the thousands. */
export function aShopper(eventId: string, who: SomebodySignedIn = aSignedIn()): Shopper {
  slots += 1;
  const slotId = `${eventId}.${slots}.${Date.now()}`;
  return { ...who, slotId, entryToken: anEntryToken({ sub: eventId, uid: who.userId, jti: slotId }) };
}

export function anEntryToken(claims: EntryClaims, options: { expiresAtMs?: number } = {}): string {
  return entryTokens.sign(claims, options).token;
}
