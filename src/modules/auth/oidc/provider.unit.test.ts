import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { aClock } from '#test/kit/clock.ts';
import { eventually } from '#test/kit/faults.ts';
import { anOidcProvider, slowMs, type TestOidcProvider } from '../testing/an-oidc-provider.ts';
import { createOidcProvider } from './provider.ts';

const question = { state: 's'.repeat(43), nonce: 'n'.repeat(43), codeVerifier: 'v'.repeat(43) };
/** Enough for any answer that comes at all. */
const patient = { timeoutMs: 60_000, bytesMax: 64 * 1024 };

function connect({ issuer, clientId, clientSecret }: TestOidcProvider, { limits = patient, clock = aClock() } = {}) {
  const redirectUri = 'https://tickets.example/callback';
  const config = { id: 'test', label: 'Test', issuer, clientId, clientSecret };
  return createOidcProvider({ config, redirectUri, clock, limits });
}

async function signIn(theirs: TestOidcProvider, ours = connect(theirs)) {
  theirs.person = { sub: 'mina' };
  const back = theirs.authorize(await ours.authorizationUrl(question));
  return ours.claims({ code: back.searchParams.get('code') ?? '', state: question.state }, question);
}

it.each<['RS256' | 'ES256', string[] | undefined]>([
  ['RS256', undefined],
  ['RS256', ['client_secret_basic']],
  ['ES256', ['client_secret_post', 'client_secret_basic']],
  ['ES256', ['private_key_jwt', 'client_secret_post']],
])('a provider that signs with %s and takes the secret by %j', async (signsWith, methods) => {
  const theirs = await anOidcProvider({
    signsWith,
    metadata: {
      id_token_signing_alg_values_supported: [signsWith],
      ...(methods && { token_endpoint_auth_methods_supported: methods }),
    },
  });
  expect(await signIn(theirs)).toMatchObject({ sub: 'mina', nonce: question.nonce });
});

it('a provider that publishes `none` as a way to sign is not believed without a signature', async () => {
  const theirs = await anOidcProvider({ metadata: { id_token_signing_alg_values_supported: ['none', 'RS256'] } });
  const ours = connect(theirs);
  expect(await signIn(theirs, ours)).toMatchObject({ sub: 'mina' });
  theirs.bend = { header: { alg: 'none' } };
  await expect(signIn(theirs, ours)).rejects.toMatchObject({ code: 'OIDC_TOKEN_INVALID' });
});

it.each(['silent', 'dripping', 'huge'] as const)(
  'a provider that is %s is given up, and asked again',
  async (fault) => {
    const theirs = await anOidcProvider();
    // Time is short only for the two that take it: no answer would come, however long one waits.
    const ours = connect(theirs, { limits: fault === 'huge' ? patient : { ...patient, timeoutMs: 200 } });
    theirs.fault = fault;
    const refusal = { code: 'OIDC_PROVIDER_UNAVAILABLE', definition: { status: 503 }, retryAfterSeconds: 5 };
    await expect(ours.authorizationUrl(question)).rejects.toMatchObject(refusal);
    theirs.fault = 'none';
    await eventually(() => ours.authorizationUrl(question), {
      withinMs: 60_000,
      what: 'a provider that is well again',
    });
  },
);

it('a provider whose answers are each in time, but not all together, is given up', async () => {
  const theirs = await anOidcProvider();
  const back = theirs.authorize(await connect(theirs).authorizationUrl(question));
  theirs.fault = 'slow';
  const ours = connect(theirs, { limits: { ...patient, timeoutMs: 1.5 * slowMs } });
  const answer = { code: back.searchParams.get('code') ?? '', state: question.state };
  await expect(ours.claims(answer, question)).rejects.toMatchObject({ code: 'OIDC_PROVIDER_UNAVAILABLE' });
});

it.each<[string, Record<string, unknown>]>([
  ['another issuer', { issuer: 'https://evil.example' }],
  ['an issuer that is no address', { issuer: 'me' }],
  ['no token endpoint', { token_endpoint: undefined }],
  ['no keys', { jwks_uri: undefined }],
  ['an authorization endpoint without TLS elsewhere', { authorization_endpoint: 'http://id.example/authorize' }],
  ['a token endpoint without TLS elsewhere', { token_endpoint: 'http://id.example/token' }],
  ['keys without TLS elsewhere', { jwks_uri: 'http://id.example/keys' }],
  ['keys in a file', { jwks_uri: 'file:///etc/hosts' }],
])('a discovery document with %s is refused', async (_name, metadata) => {
  const ours = connect(await anOidcProvider({ metadata }));
  await expect(ours.authorizationUrl(question)).rejects.toMatchObject({ code: 'OIDC_PROVIDER_UNAVAILABLE' });
});

it('an issuer without TLS is refused at start, unless it is on this machine', async () => {
  const theirs = await anOidcProvider();
  for (const issuer of ['http://id.example', 'http://127.0.0.1.id.example', 'ftp://127.0.0.1', 'nonsense'])
    expect(() => connect({ ...theirs, issuer })).toThrow('must be an https address');
});

it('many who begin at once ask once, and what was said is kept for an hour', async () => {
  const theirs = await anOidcProvider();
  const clock = aClock();
  const ours = connect(theirs, { clock });
  await Promise.all(Array.from({ length: 20 }, () => ours.authorizationUrl(question)));
  clock.advance(59 * 60_000);
  await ours.authorizationUrl(question);
  expect(theirs.requests).toHaveLength(1);
  clock.advance(60_000);
  await ours.authorizationUrl(question);
  expect(theirs.requests).toHaveLength(2);
});

it('the reason of a refusal names no person', async () => {
  const theirs = await anOidcProvider();
  theirs.bend = { claims: { aud: 'somebody-else', email: 'mina@example.com' } };
  const refusal = await signIn(theirs).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: 'OIDC_TOKEN_INVALID', cause: { message: expect.stringContaining('"aud"') } });
  expect(inspect(refusal, { depth: null, showHidden: true })).not.toContain('mina@example.com');
});
