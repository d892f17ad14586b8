import type { Transaction } from '#platform/postgres/database.ts';
import { createJwtKind } from '#platform/tokens/jwt.ts';
import { checkIdTokenClaims, type ExternalPerson } from '../domain/id-token-claims.ts';
import { parseEmail, parseName } from '../domain/profile.ts';
import { safeReturnPath } from '../domain/return-path.ts';
import type { User } from '../domain/user.ts';
import { authErrors } from '../errors.ts';
import { createOidcProvider, type OidcAnswer, type OidcProvider, type OidcQuestion } from '../oidc/provider.ts';
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
  finish(returned: ReturnedBrowser): Promise<{ session: Session; returnTo: string }>;
}

/** A browser that comes back from the provider. */
export interface ReturnedBrowser {
  readonly provider: string;
  readonly answer: OidcAnswer;
  readonly stateCookie: string | undefined;
}

/** One sign-in under way. It travels in a cookie, so that it belongs to one browser and nothing is stored for strangers. */
interface SignInState extends OidcQuestion {
  readonly provider: string;
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
  const redirectUri = (id: string) => new URL(`/api/auth/oidc/${id}/callback`, oidc.publicUrl).href;
  const providers = new Map(
    oidc.providers.map((config) => [
      config.id,
      createOidcProvider({ config, redirectUri: redirectUri(config.id), clock, limits: oidc.limits }),
    ]),
  );
  const states = createJwtKind<SignInState>({
    typ: 'oidc-state+jwt',
    secrets: oidc.stateSecrets,
    ttlSeconds: oidcStateTtlSeconds,
    clock,
  });
  const secret = () => random.bytes(secretBytes).toString('base64url');

  function providerOf(id: string): OidcProvider {
    const provider = providers.get(id);
    if (provider === undefined) throw authErrors.fault('OIDC_PROVIDER_UNKNOWN');
    return provider;
  }

  /** Only a browser that asked here, and this provider, is heard at all; that it brings its own answer is checked next. */
  function readState({ provider, stateCookie }: ReturnedBrowser): SignInState {
    const opened = states.verify(stateCookie ?? '');
    if (!opened.ok || opened.claims.provider !== provider) throw authErrors.fault('OIDC_STATE_MISMATCH');
    return opened.claims;
  }

  async function identify(provider: OidcProvider, answer: OidcAnswer, question: OidcQuestion): Promise<ExternalPerson> {
    const { clientId, id } = provider.config;
    const claims = await provider.claims(answer, question);
    const checked = checkIdTokenClaims(claims, { clientId, nowMs: clock.now() });
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
      const question = { state: secret(), nonce: secret(), codeVerifier: secret() };
      const location = await provider.authorizationUrl(question);
      const state = { provider: id, ...question, returnTo: safeReturnPath(returnTo) };
      return { location, stateCookie: states.sign(state).token };
    },

    async finish(returned) {
      const provider = providerOf(returned.provider);
      const state = readState(returned);
      const person = await identify(provider, returned.answer, state);
      const session = await database.transaction(async (tx) => {
        const user = await resolveUser(tx, returned.provider, person);
        if (user.disabledAtMs !== null) throw authErrors.fault('ACCOUNT_DISABLED');
        return sessions.open(tx, user);
      });
      return { session, returnTo: state.returnTo };
    },
  };
}
