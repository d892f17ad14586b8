import type { EntryClaims } from '#modules/gateway/contract.ts';
import { systemClock } from '#platform/clock.ts';
import { cookiePrefixes } from '#platform/http/names.ts';
import { createJwtKind } from '#platform/tokens/jwt.ts';
import { testSecrets } from '#test/kit/secrets.ts';

const entryTokens = createJwtKind<EntryClaims>({
  typ: 'entry+jwt',
  secrets: [testSecrets.URR_QUEUE_ENTRY_TOKEN_SECRET],
  ttlSeconds: 3_600,
  clock: systemClock,
});

/** Entry tokens for these events as a browser would send them, of slots that the queue never gave. */
export function entryCookie(userId: string, eventIds: readonly string[]): string {
  return eventIds
    .map((eventId, n) => {
      const { token } = entryTokens.sign({
        sub: eventId,
        uid: userId,
        jti: `${eventId}.${n + 1}.${systemClock.now()}`,
      });
      return `${cookiePrefixes.entryToken}${eventId}=${token}`;
    })
    .join('; ');
}
