import { createHash } from 'node:crypto';
import { createJwtKind } from '#platform/tokens/jwt.ts';
import type { AuthDeps } from '../ports.ts';

/** A browser that has signed in to an account keeps a proof of it, for as long as an address stays known. */
export const deviceTtlSeconds = 90 * 24 * 3_600;

/** Which browser, for which account. The account is a hash: the cookie outlives the session and says no name. */
interface DeviceClaims {
  readonly sub: string;
  readonly jti: string;
}

export interface Devices {
  /** A proof for this account, under a number of its own: a copy that was taken earlier shares nothing with it. */
  issue(email: string): string;
  /** The number of the browser by the first good proof; null when all are of another account, forged or too old. */
  recognise(email: string, tokens: readonly string[]): string | null;
}

export function createDevices({ config, clock, ids }: Pick<AuthDeps, 'config' | 'clock' | 'ids'>): Devices {
  const tokens = createJwtKind<DeviceClaims>({
    typ: 'device+jwt',
    secrets: config.deviceSecrets,
    ttlSeconds: deviceTtlSeconds,
    clock,
  });
  return {
    issue: (email) => tokens.sign({ sub: accountMark(email), jti: ids.next() }).token,
    recognise(email, sent) {
      for (const token of sent) {
        const verified = tokens.verify(token);
        if (verified.ok && verified.claims.sub === accountMark(email)) return verified.claims.jti;
      }
      return null;
    },
  };
}

const markLength = 16;

/** Names an account where its email should not be written. */
export function accountMark(email: string): string {
  return createHash('sha256').update(`urr device\0${email}`).digest('hex').slice(0, markLength);
}
