import { createHash } from 'node:crypto';
import type { Transaction } from '#platform/postgres/database.ts';
import { createJwtKind } from '#platform/tokens/jwt.ts';
import { checkIdTokenClaims, type ExternalPerson } from '../domain/id-token-claims.ts';
import { parseEmail, parseName } from '../domain/profile.ts';
import { safeReturnPath } from '../domain/return-path.ts';
import type { User } from '../domain/user.ts';
import { authErrors } from '../errors.ts';
import { openIdToken } from '../oidc/id-token.ts';
import { createOidcProvider, type OidcProvider } from '../oidc/provider.ts';
import type { AuthDeps, OidcConfig } from '../ports.ts';
import { claimEmail, findLinkedUser, linkIdentity } from '../storage/external-identities.ts';
import { revokeFamiliesOfUser } from '../storage/refresh-tokens.ts';
import { findUsersByEmail } from '../storage/users.ts';
import { createUser } from './new-user.ts';
import type { Session, Sessions } from './sessions.ts';

export interface OidcSignIn {
  readonly providers: readonly { id: string; label: string }[];
  /** Where to send the browser, and what it must bring back with it. */
  start(begin: { provider: string; returnTo: string | undefined }): Promise<{ location: string; stateCookie: string }>;
  finish(answer: OidcAnswer): Promise<{ session: Session; returnTo: string }>;
}

/** What the browser brings back from the provider. */
export interface OidcAnswer {
  readonly provider: string;
  readonly state: string | undefined;
  readonly code: string | undefined;
  readonly error: string | undefined;
  readonly issuer: string | undefined;
  readonly stateCookie: string | undefined;
}

/** One sign-in under way. It travels in a cookie, so that it belongs to one browser and nothing is stored for strangers. */
interface SignInState {
  readonly provider: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly returnTo: string;
}

export const oidcStateTtlSeconds = 600;
const secretBytes = 32;

type OidcDeps = Pick<AuthDeps, 'database' | 'bus' | 'clock' | 'ids' | 'random' | 'logger'> & {
  readonly sessions: Sessions;
  readonly oidc: OidcConfig;
};

export function createOidcSignIn(deps: OidcDeps): OidcSignIn {
  const { database, bus, clock, ids, random, logger, sessions, oidc } = deps;
  const providers = new Map(oidc.providers.map((config) => [config.id, createOidcProvider({ config, clock })]));
  const states = createJwtKind<SignInState>({
    typ: 'oidc-state+jwt',
    secrets: oidc.stateSecrets,
    ttlSeconds: oidcStateTtlSeconds,
    clock,
  });
  const secret = () => random.bytes(secretBytes).toString('base64url');
  const redirectUri = (id: string) => new URL(`/api/auth/oidc/${id}/callback`, oidc.publicUrl).href;

  function providerOf(id: string): OidcProvider {
    const provider = providers.get(id);
    if (provider === undefined) throw authErrors.fault('OIDC_PROVIDER_UNKNOWN');
    return provider;
  }

  /** Only an answer to a question that this very browser asked here, of this provider, is heard at all. */
  function readState({ provider, state, stateCookie, issuer }: OidcAnswer, expectedIssuer: string): SignInState {
    const opened = states.verify(stateCookie ?? '');
    if (!opened.ok || opened.claims.provider !== provider || opened.claims.state !== state) {
      throw authErrors.fault('OIDC_STATE_MISMATCH');
    }
    // RFC 9207: a provider that names itself must be the one that was asked.
    if (issuer !== undefined && issuer !== expectedIssuer) throw authErrors.fault('OIDC_STATE_MISMATCH');
    return opened.claims;
  }

  async function identify(provider: OidcProvider, idToken: string, nonce: string): Promise<ExternalPerson> {
    const { issuer, clientId, id } = provider.config;
    const claims = await openIdToken(idToken, (kid) => provider.signingKeys(kid));
    const checked = checkIdTokenClaims(claims, { issuer, clientId, nonce, nowMs: clock.now() });
    if (checked.ok) return checked.person;
    logger.warn({ provider: id, reason: checked.reason }, 'an identity token was refused');
    throw authErrors.fault('OIDC_TOKEN_INVALID', { cause: new Error(`the identity token is ${checked.reason}`) });
  }

  /** By the provider's subject; else by an email that the provider has verified; else somebody new. */
  async function resolveUser(tx: Transaction, provider: string, person: ExternalPerson): Promise<User> {
    const identity = { provider, subject: person.subject };
    const linked = await findLinkedUser(tx, identity);
    if (linked !== null) return linked;
    const email = parseEmail(person.email ?? '');
    if (!email.ok) throw authErrors.fault('OIDC_EMAIL_MISSING');
    const registered = await register(tx, email.value, person);
    // The same person may be signing in twice at once, and the other was faster: its link counts.
    const fasterLink = registered === null ? await findLinkedUser(tx, identity) : null;
    if (fasterLink !== null) return fasterLink;
    const user = registered ?? (await adopt(tx, email.value, person));
    await linkIdentity(tx, { ...identity, userId: user.id });
    return user;
  }

  async function register(tx: Transaction, email: string, person: ExternalPerson): Promise<User | null> {
    const given = parseName(person.name ?? '');
    const name = given.ok ? given.value : (email.split('@', 1)[0] ?? email);
    const user = {
      id: ids.next(),
      email,
      name,
      role: 'buyer',
      passwordHash: null,
      emailVerified: person.emailVerified,
    } as const;
    return createUser(tx, { bus, user, via: 'oidc' });
  }

  async function adopt(tx: Transaction, email: string, person: ExternalPerson): Promise<User> {
    if (!person.emailVerified) throw authErrors.fault('OIDC_EMAIL_UNVERIFIED');
    const [found] = await findUsersByEmail(tx, [email]);
    if (found === undefined) throw new Error('an email is taken and belongs to nobody');
    if (await claimEmail(tx, found.user.id)) {
      await revokeFamiliesOfUser(tx, { id: found.user.id, reason: 'email_claimed' });
      logger.info(
        { userId: found.user.id },
        'the email was proved by a provider; password, links and sessions of before are void',
      );
    }
    return found.user;
  }

  return {
    providers: oidc.providers.map(({ id, label }) => ({ id, label })),

    async start({ provider: id, returnTo }) {
      const provider = providerOf(id);
      const { authorization } = await provider.endpoints();
      const state = {
        provider: id,
        state: secret(),
        nonce: secret(),
        codeVerifier: secret(),
        returnTo: safeReturnPath(returnTo),
      };
      const location = new URL(authorization);
      for (const [name, value] of Object.entries({
        response_type: 'code',
        client_id: provider.config.clientId,
        redirect_uri: redirectUri(id),
        scope: 'openid email profile',
        state: state.state,
        nonce: state.nonce,
        code_challenge: createHash('sha256').update(state.codeVerifier).digest('base64url'),
        code_challenge_method: 'S256',
      })) {
        location.searchParams.set(name, value);
      }
      return { location: location.href, stateCookie: states.sign(state).token };
    },

    async finish(answer) {
      const provider = providerOf(answer.provider);
      const state = readState(answer, provider.config.issuer);
      if (answer.error !== undefined || answer.code === undefined) throw authErrors.fault('OIDC_DENIED');
      const { codeVerifier, nonce, returnTo } = state;
      const idToken = await provider.exchange({
        code: answer.code,
        codeVerifier,
        redirectUri: redirectUri(answer.provider),
      });
      const person = await identify(provider, idToken, nonce);
      const session = await database.transaction(async (tx) => {
        const user = await resolveUser(tx, answer.provider, person);
        if (user.disabledAtMs !== null) throw authErrors.fault('ACCOUNT_DISABLED');
        return sessions.open(tx, user);
      });
      return { session, returnTo };
    },
  };
}
