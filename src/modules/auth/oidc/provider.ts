import type { Clock } from '#platform/clock.ts';
import { authErrors } from '../errors.ts';
import type { OidcProviderConfig } from '../ports.ts';
import { fetchJson } from './bounded-fetch.ts';
import { type SigningKey, toSigningKeys } from './id-token.ts';

/** What a provider publishes about itself, fetched when first needed and kept for an hour. */
export interface OidcProvider {
  readonly config: OidcProviderConfig;
  endpoints(): Promise<Endpoints>;
  /** `kid` unknown to what is kept: fetched anew, but not more often than once a minute. */
  signingKeys(kid: string | undefined): Promise<readonly SigningKey[]>;
  /** The ID token that the provider gives for the code. */
  exchange(grant: { code: string; codeVerifier: string; redirectUri: string }): Promise<string>;
}

export interface Endpoints {
  readonly authorization: string;
  readonly token: string;
  readonly jwks: string;
  /** How the client shows its secret at the token endpoint. */
  readonly clientAuth: 'basic' | 'post';
}

const keepMs = 60 * 60_000;
const keysAgainAfterMs = 60_000;

export function createOidcProvider({ config, clock }: { config: OidcProviderConfig; clock: Clock }): OidcProvider {
  assertReachable(config.issuer);
  const endpoints = keep(() => discover(config.issuer), clock);
  const keys = keep(async () => {
    const { status, document } = await fetchJson({ url: (await endpoints.get()).jwks });
    if (status !== 200) throw unusable(`the key set answered ${status}`);
    return toSigningKeys(document.keys);
  }, clock);

  return {
    config,
    endpoints: () => endpoints.get(),
    async signingKeys(kid) {
      const known = await keys.get();
      if (kid === undefined || known.some((key) => key.kid === kid)) return known;
      return keys.get({ olderThanMs: keysAgainAfterMs });
    },
    async exchange({ code, codeVerifier, redirectUri }) {
      const { token, clientAuth } = await endpoints.get();
      const { clientId, clientSecret } = config;
      const body = new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        code_verifier: codeVerifier,
      });
      const headers: Record<string, string> = {};
      if (clientAuth === 'basic') {
        headers.authorization = `Basic ${btoa(`${formEncode(clientId)}:${formEncode(clientSecret)}`)}`;
      } else {
        body.set('client_id', clientId);
        body.set('client_secret', clientSecret);
      }
      const { status, document } = await fetchJson({ url: token, method: 'POST', headers, body });
      const idToken = document.id_token;
      if (status >= 500) throw unusable(`the token endpoint answered ${status}`);
      if (status !== 200 || typeof idToken !== 'string') {
        const cause = new Error(`the token endpoint answered ${status}: ${String(document.error).slice(0, 100)}`);
        throw authErrors.fault('OIDC_TOKEN_INVALID', { cause });
      }
      return idToken;
    },
  };
}

async function discover(issuer: string): Promise<Endpoints> {
  const { status, document } = await fetchJson({
    url: `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
  });
  if (status !== 200) throw unusable(`discovery answered ${status}`);
  // Else one provider could speak in the name of another.
  if (document.issuer !== issuer) throw unusable('discovery names another issuer');
  const methods = document.token_endpoint_auth_methods_supported;
  const basic = !Array.isArray(methods) || methods.includes('client_secret_basic');
  return {
    authorization: endpoint(document.authorization_endpoint),
    token: endpoint(document.token_endpoint),
    jwks: endpoint(document.jwks_uri),
    clientAuth: basic ? 'basic' : 'post',
  };
}

function endpoint(value: unknown): string {
  if (typeof value !== 'string' || !isReachable(value)) throw unusable('discovery lacks an https endpoint');
  return value;
}

function assertReachable(issuer: string): void {
  if (!isReachable(issuer))
    throw new Error(`the issuer ${issuer} must be an https address (http only on this machine)`);
}

function isReachable(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname));
}

/** RFC 6749 2.3.1: both halves of Basic credentials are form-encoded first. */
function formEncode(text: string): string {
  return new URLSearchParams({ v: text }).toString().slice(2);
}

function unusable(reason: string) {
  return authErrors.fault('OIDC_PROVIDER_UNAVAILABLE', { cause: new Error(reason) });
}

/** A value fetched at most once at a time. A failure is not kept, and leaves the older value where there is one. */
function keep<T>(fetchValue: () => Promise<T>, clock: Clock) {
  let kept: { value: T; atMs: number } | undefined;
  let inFlight: Promise<T> | undefined;
  return {
    async get({ olderThanMs = keepMs }: { olderThanMs?: number } = {}): Promise<T> {
      if (kept && clock.now() - kept.atMs < olderThanMs) return kept.value;
      inFlight ??= fetchValue()
        .then((value) => {
          kept = { value, atMs: clock.now() };
          return value;
        })
        .finally(() => {
          inFlight = undefined;
        });
      return inFlight;
    },
  };
}
