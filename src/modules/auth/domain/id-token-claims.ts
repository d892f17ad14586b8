/** What an ID token must say before we believe who came (OpenID Connect Core 3.1.3.7). The signature is checked before. */
export interface IdTokenExpectation {
  readonly issuer: string;
  readonly clientId: string;
  readonly nonce: string;
  readonly nowMs: number;
}

export interface ExternalPerson {
  readonly subject: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly name: string | null;
}

export type CheckedClaims = { ok: true; person: ExternalPerson } | { ok: false; reason: string };

const clockLeewayMs = 60_000;
const subjectLengthMax = 255;

export function checkIdTokenClaims(
  claims: Readonly<Record<string, unknown>>,
  expected: IdTokenExpectation,
): CheckedClaims {
  const { iss, aud, azp, exp, iat, nonce, sub } = claims;
  if (iss !== expected.issuer) return refused('issued by somebody else');
  const audiences = Array.isArray(aud) ? aud : [aud];
  if (!audiences.includes(expected.clientId)) return refused('meant for another client');
  if (audiences.length > 1 && azp === undefined) return refused('several audiences and no authorized party');
  if (azp !== undefined && azp !== expected.clientId) return refused('authorized for another client');
  if (typeof exp !== 'number' || exp * 1000 + clockLeewayMs <= expected.nowMs) return refused('expired');
  if (typeof iat !== 'number' || iat * 1000 - clockLeewayMs > expected.nowMs) return refused('issued in the future');
  if (nonce !== expected.nonce) return refused('made for another sign-in');
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
