import * as openid from 'openid-client';
import type { Clock } from '#platform/clock.ts';
import { isFault } from '#platform/errors.ts';
import { withTimeout } from '#platform/resilience/timeout.ts';
import { clockToleranceSeconds } from '../domain/id-token-claims.ts';
import { authErrors } from '../errors.ts';
import type { OidcLimits, OidcProviderConfig } from '../ports.ts';
import { createBoundedFetch, isLocal, isReachable } from './bounded-fetch.ts';

/** A provider as openid-client speaks to it. What it publishes about itself is fetched when first needed and kept for an hour. */
export interface OidcProvider {
  readonly config: OidcProviderConfig;
  /** Where the browser goes to be asked. */
  authorizationUrl(question: OidcQuestion): Promise<string>;
  /**
   * The claims of the ID token that the provider gives for the browser's answer. State, issuer, signature, audience, time
   * and nonce have been checked; whom the claims speak of has not.
   */
  claims(answer: OidcAnswer, question: OidcQuestion): Promise<Readonly<Record<string, unknown>>>;
}

/** The secrets of one sign-in, made for one browser. */
export interface OidcQuestion {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** What the browser brings back, as the parameters are called. */
export interface OidcAnswer {
  readonly state?: string | undefined;
  readonly code?: string | undefined;
  readonly error?: string | undefined;
  readonly iss?: string | undefined;
}

interface ProviderOptions {
  readonly config: OidcProviderConfig;
  readonly redirectUri: string;
  readonly clock: Clock;
  readonly limits: OidcLimits;
}

const keepMs = 60 * 60_000;
const endpoints = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;

export function createOidcProvider(options: ProviderOptions): OidcProvider {
  const { config, redirectUri, clock, limits } = options;
  if (!isReachable(config.issuer))
    throw new Error(`the issuer ${config.issuer} must be an https address (http only on this machine)`);
  const configured = keep(() => discover(config, limits), clock);

  async function authorizationUrl({ state, nonce, codeVerifier }: OidcQuestion): Promise<string> {
    const url = openid.buildAuthorizationUrl(await configured(), {
      redirect_uri: redirectUri,
      scope: 'openid email profile',
      state,
      nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    });
    return url.href;
  }

  async function claims(answer: OidcAnswer, { state, nonce, codeVerifier }: OidcQuestion) {
    const configuration = await configured();
    const url = new URL(redirectUri);
    for (const [name, value] of Object.entries(answer)) if (value !== undefined) url.searchParams.set(name, value);
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: codeVerifier };
    try {
      const tokens = await openid.authorizationCodeGrant(configuration, url, checks);
      return tokens.claims() ?? {};
    } catch (error) {
      throw toFault(error);
    }
  }

  /** Discovery, exchange and keys may each be slow: together they have the time of one. */
  function inTime<T>(work: Promise<T>): Promise<T> {
    const cause = new Error(`not done within ${limits.timeoutMs} ms`);
    return withTimeout(work, limits.timeoutMs, () => authErrors.fault('OIDC_PROVIDER_UNAVAILABLE', { cause }));
  }

  return {
    config,
    authorizationUrl: (question) => inTime(authorizationUrl(question)),
    claims: (answer, question) => inTime(claims(answer, question)),
  };
}

async function discover(config: OidcProviderConfig, limits: OidcLimits): Promise<openid.Configuration> {
  // By itself the library believes an ID token that came over TLS. Its signature is checked here as well.
  const execute = [openid.enableNonRepudiationChecks];
  if (isLocal(config.issuer)) execute.push(openid.allowInsecureRequests);
  try {
    const found = await openid.discovery(
      new URL(config.issuer),
      config.clientId,
      { [openid.clockTolerance]: clockToleranceSeconds },
      clientSecret(config.clientSecret),
      { execute, [openid.customFetch]: createBoundedFetch(limits) },
    );
    const published = found.serverMetadata();
    const missing = endpoints.find((name) => !isReachable(published[name] ?? ''));
    if (missing !== undefined) throw new Error(`discovery lacks an https ${missing}`);
    return found;
  } catch (cause) {
    throw unwrapped(cause) ?? authErrors.fault('OIDC_PROVIDER_UNAVAILABLE', { cause });
  }
}

/**
 * In the body where the provider takes it there: of Basic credentials RFC 6749 wants both halves form-encoded, and some
 * providers forget to decode them.
 */
function clientSecret(secret: string): openid.ClientAuth {
  const inBody = openid.ClientSecretPost(secret);
  const inHeader = openid.ClientSecretBasic(secret);
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_post') ? inBody : inHeader)(server, ...rest);
  };
}

function toFault(error: unknown) {
  if (error instanceof openid.AuthorizationResponseError) return authErrors.fault('OIDC_DENIED');
  const isAnswerToAnother = detailsOf(error).parameters !== undefined;
  // Only the reason is kept: what the library attaches to it holds the claims of a person.
  const cause = new Error(reasonOf(error));
  return (
    unwrapped(error) ?? authErrors.fault(isAnswerToAnother ? 'OIDC_STATE_MISMATCH' : 'OIDC_TOKEN_INVALID', { cause })
  );
}

/** What our own fetch threw comes out as the cause of an error of the library. */
function unwrapped(error: unknown) {
  return error instanceof Error && isFault(error.cause) ? error.cause : undefined;
}

/** The library attaches the browser's `parameters` where these are the problem: a wrong state, or another issuer's name. */
function detailsOf(error: unknown): { parameters?: unknown } {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause.cause : undefined;
  return typeof inner === 'object' && inner !== null ? inner : {};
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof openid.ResponseBodyError)
    return `the provider answered ${error.status}: ${error.error.slice(0, 100)}`;
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

/** A value fetched at most once at a time. A failure is not kept. */
function keep<T>(fetchValue: () => Promise<T>, clock: Clock): () => Promise<T> {
  let kept: { value: T; atMs: number } | undefined;
  let inFlight: Promise<T> | undefined;
  return () => {
    if (kept && clock.monotonicMs() - kept.atMs < keepMs) return Promise.resolve(kept.value);
    inFlight ??= fetchValue()
      .then((value) => {
        kept = { value, atMs: clock.monotonicMs() };
        return value;
      })
      .finally(() => {
        inFlight = undefined;
      });
    return inFlight;
  };
}
