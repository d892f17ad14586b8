import { createSigner, createVerifier, TokenError } from 'fast-jwt';
import type { Clock } from '../clock.ts';

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
  const verifiers = secrets.map((key) =>
    createVerifier({
      key,
      algorithms: ['HS256'],
      checkTyp: typ,
      requiredClaims: ['iat', 'exp'],
      cache: false,
      // Time is checked below against our own clock, so that tests own it.
      ignoreExpiration: true,
      ignoreNotBefore: true,
    }),
  );
  return {
    typ,
    sign(claims, options = {}) {
      const now = clock.now();
      const expiresAt = Math.min(now + ttlSeconds * 1000, options.expiresAtMs ?? Number.POSITIVE_INFINITY);
      const exp = Math.floor(expiresAt / 1000);
      return { token: signer({ ...claims, iat: Math.floor(now / 1000), exp }), expiresAt: exp * 1000 };
    },
    verify(token) {
      if (token.length > tokenLengthMax) return { ok: false, reason: 'invalid' };
      for (const verifier of verifiers) {
        let claims: Claims & { iat: number; exp: number };
        try {
          claims = verifier(token) as typeof claims;
        } catch (error) {
          if (error instanceof TokenError) continue;
          throw error;
        }
        if (typeof claims.exp !== 'number' || typeof claims.iat !== 'number') return { ok: false, reason: 'invalid' };
        return claims.exp * 1000 <= clock.now() ? { ok: false, reason: 'expired' } : { ok: true, claims };
      }
      return { ok: false, reason: 'invalid' };
    },
  };
}
