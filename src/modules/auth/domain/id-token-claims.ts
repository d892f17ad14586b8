/**
 * Whom the claims of an ID token speak of. Signature, issuer, audience, expiry and nonce have been checked before; here is
 * what OpenID Connect Core 3.1.3.7 leaves to the client.
 */
export interface IdTokenExpectation {
  readonly clientId: string;
  readonly nowMs: number;
}

export interface ExternalPerson {
  readonly subject: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly name: string | null;
}

export type CheckedClaims = { ok: true; person: ExternalPerson } | { ok: false; reason: string };

/** How far the provider's clock may be from ours, in either direction. */
export const clockToleranceSeconds = 60;
const subjectLengthMax = 255;

export function checkIdTokenClaims(
  claims: Readonly<Record<string, unknown>>,
  expected: IdTokenExpectation,
): CheckedClaims {
  const { azp, iat, sub } = claims;
  if (azp !== undefined && azp !== expected.clientId) return refused('authorized for another client');
  if (typeof iat !== 'number' || (iat - clockToleranceSeconds) * 1000 > expected.nowMs)
    return refused('issued in the future');
  if (typeof sub !== 'string' || sub === '' || sub.length > subjectLengthMax || /\p{Cc}/u.test(sub))
    return refused('no usable subject');
  return {
    ok: true,
    person: {
      subject: sub,
      email: typeof claims.email === 'string' ? claims.email : null,
      // Some providers send the text "true"; anything else is not verified.
      emailVerified: claims.email_verified === true || claims.email_verified === 'true',
      name: typeof claims.name === 'string' ? claims.name : null,
    },
  };
}

function refused(reason: string): CheckedClaims {
  return { ok: false, reason };
}
