import { createSigner, createVerifier, TokenError } from 'fast-jwt';
import type { Clock } from '../clock.ts';
import { createKeyedMac } from './text-mac.ts';

export interface JwtKindOptions {
  /** The `typ` header: each kind of token has its own, and it is verified. */
  readonly typ: string;
  /** The first signs, all verify: that is how a secret is rotated. */
  readonly secrets: readonly string[];
  readonly ttlSeconds: number;
  readonly clock: Clock;
}

export type Verified<Claims> = { ok: true; claims: Claims } | { ok: false; reason: 'expired' | 'invalid' };

/** One kind of token: HS256 pinned, its own secret, its own `typ`. */
export interface JwtKind<Claims extends object> {
  readonly typ: string;
  /** `expiresAtMs` shortens the life, e.g. to the end of a slot. */
  sign(claims: Claims, options?: { expiresAtMs?: number }): { token: string; expiresAt: number };
  verify(token: string): Verified<Claims & { iat: number; exp: number }>;
}

const tokenLengthMax = 4_096;

export function createJwtKind<Claims extends object>({
  typ,
  secrets,
  ttlSeconds,
  clock,
}: JwtKindOptions): JwtKind<Claims> {
  const [signing] = secrets;
  if (signing === undefined) throw new Error(`no secret for tokens of kind ${typ}`);
  const signer = createSigner({ key: signing, algorithm: 'HS256', header: { alg: 'HS256', typ } });
  const readOwn = createOwnReader(signer({}), secrets);
  const readOther = createOtherReader(typ, secrets);
  return {
    typ,
    sign(claims, options = {}) {
      const now = clock.now();
      const expiresAt = Math.min(now + ttlSeconds * 1000, options.expiresAtMs ?? Number.POSITIVE_INFINITY);
      const exp = Math.floor(expiresAt / 1000);
      return { token: signer({ ...claims, iat: Math.floor(now / 1000), exp }), expiresAt: exp * 1000 };
    },
    verify(token) {
      if (token.length > tokenLengthMax) return invalid;
      const claims = readOwn.knows(token) ? readOwn.claims(token) : readOther(token);
      if (!hasTimes(claims)) return invalid;
      // Signed by us for this kind, and we sign nothing else than its claims.
      return claims.exp * 1000 <= clock.now() ? expired : { ok: true, claims: claims as Claims & Times };
    },
  };
}

const invalid = { ok: false, reason: 'invalid' } as const;
const expired = { ok: false, reason: 'expired' } as const;

interface Times {
  readonly iat: number;
  readonly exp: number;
}

function hasTimes(claims: unknown): claims is Times {
  if (typeof claims !== 'object' || claims === null || !('iat' in claims && 'exp' in claims)) return false;
  return typeof claims.iat === 'number' && typeof claims.exp === 'number';
}

/**
 * Tokens whose header is ours to the letter, which nearly all are: algorithm and `typ` need no further look. Every call of a
 * signed-in user pays for it, and the library's way costs three times as much. Null: not signed by us.
 */
function createOwnReader(example: string, secrets: readonly string[]) {
  const header = example.slice(0, example.indexOf('.') + 1);
  const macs = secrets.map((secret) => createKeyedMac(secret));
  return {
    knows: (token: string) => token.startsWith(header),
    claims(token: string): unknown {
      const end = token.lastIndexOf('.');
      const signed = token.slice(0, end);
      if (!macs.some((mac) => mac.stands(signed, token, end + 1))) return null;
      try {
        return JSON.parse(Buffer.from(token.slice(header.length, end), 'base64url').toString());
      } catch {
        return null;
      }
    },
  };
}

/** The same of tokens that say it in other words: another order of the header's fields, or more of them. */
function createOtherReader(typ: string, secrets: readonly string[]): (token: string) => unknown {
  // Time is checked against our own clock, so that tests own it.
  const options = { algorithms: ['HS256' as const], checkTyp: typ, cache: false, ignoreExpiration: true };
  const verifiers = secrets.map((key) => createVerifier({ ...options, key, ignoreNotBefore: true }));
  return (token) => {
    for (const verifier of verifiers) {
      try {
        return verifier(token);
      } catch (error) {
        if (!(error instanceof TokenError)) throw error;
      }
    }
    return null;
  };
}
