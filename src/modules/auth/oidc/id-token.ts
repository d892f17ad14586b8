import { subtle, type webcrypto } from 'node:crypto';
import { authErrors } from '../errors.ts';

export interface SigningKey {
  readonly kid: string | undefined;
  readonly alg: SigningAlgorithm;
  readonly jwk: webcrypto.JsonWebKey;
}

/** Asymmetric only. `none` and HS256 (which would take a public key as its secret) cannot be asked for by a token. */
type SigningAlgorithm = 'RS256' | 'ES256';

const algorithms = {
  RS256: { kty: 'RSA', import: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, verify: { name: 'RSASSA-PKCS1-v1_5' } },
  ES256: { kty: 'EC', import: { name: 'ECDSA', namedCurve: 'P-256' }, verify: { name: 'ECDSA', hash: 'SHA-256' } },
} as const;

const tokenLengthMax = 16 * 1024;
const keysMax = 50;

/**
 * The claims of an ID token whose signature is the provider's. What the claims say is checked by the domain.
 * `keysFor` finds the provider's keys for the key id that the token names.
 */
export async function openIdToken(
  token: string,
  keysFor: (kid: string | undefined) => Promise<readonly SigningKey[]>,
): Promise<Readonly<Record<string, unknown>>> {
  const [head, payload, signature, ...rest] = token.split('.');
  if (token.length > tokenLengthMax || head === undefined || payload === undefined || !signature || rest.length > 0) {
    throw invalid('not a signed token');
  }
  const header = decodeObject(head);
  const alg = header.alg;
  if (alg !== 'RS256' && alg !== 'ES256') throw invalid('signed with an algorithm that is not accepted');
  if (header.crit !== undefined) throw invalid('asks for an extension that is not understood');
  const kid = typeof header.kid === 'string' ? header.kid : undefined;
  const candidates = (await keysFor(kid)).filter((key) => key.alg === alg && (kid === undefined || key.kid === kid));
  // Without a key id there must be no choice.
  const [key] = candidates;
  if (key === undefined || candidates.length > 1) throw invalid('no such signing key');
  if (!(await isSignedBy(key, { signed: `${head}.${payload}`, signature }))) throw invalid('the signature is wrong');
  return decodeObject(payload);
}

async function isSignedBy(
  key: SigningKey,
  { signed, signature }: { signed: string; signature: string },
): Promise<boolean> {
  const algorithm = algorithms[key.alg];
  try {
    const imported = await subtle.importKey('jwk', key.jwk, algorithm.import, false, ['verify']);
    return await subtle.verify(algorithm.verify, imported, Buffer.from(signature, 'base64url'), Buffer.from(signed));
  } catch (cause) {
    throw authErrors.fault('OIDC_TOKEN_INVALID', { cause });
  }
}

/** The keys of a JWK set that we could use; others (encryption, unknown kinds) are passed over. */
export function toSigningKeys(keys: unknown): SigningKey[] {
  if (!Array.isArray(keys)) return [];
  return keys.slice(0, keysMax).flatMap((key: unknown) => {
    if (typeof key !== 'object' || key === null) return [];
    // Just shown to be an object; each member read from it is compared or checked here.
    const jwk = key as webcrypto.JsonWebKey & { kid?: unknown };
    if (jwk.use !== undefined && jwk.use !== 'sig') return [];
    const alg = (['RS256', 'ES256'] as const).find((name) => algorithms[name].kty === jwk.kty);
    if (alg === undefined || (jwk.alg !== undefined && jwk.alg !== alg)) return [];
    return [{ alg, kid: typeof jwk.kid === 'string' ? jwk.kid : undefined, jwk: publicPart(jwk) }];
  });
}

/** Only what verifying needs: `key_ops` or `ext` of the provider's liking must not make the import fail. */
function publicPart({
  kty = '',
  n = '',
  e = '',
  crv = '',
  x = '',
  y = '',
}: webcrypto.JsonWebKey): webcrypto.JsonWebKey {
  return kty === 'RSA' ? { kty, n, e } : { kty, crv, x, y };
}

function decodeObject(part: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (cause) {
    throw authErrors.fault('OIDC_TOKEN_INVALID', { cause });
  }
  throw invalid('not a JSON object');
}

function invalid(reason: string) {
  return authErrors.fault('OIDC_TOKEN_INVALID', { cause: new Error(`the identity token is ${reason}`) });
}
