import { expect, vi } from 'vitest';
import { atEnd } from '#test/kit/at-end.ts';
import { oidcLimitsDefault } from '../ports.ts';
import { anAuthServer, type TestAuthServer } from './an-auth-server.ts';
import type { TestOidcProvider } from './an-oidc-provider.ts';

export interface TestOidcServer extends TestAuthServer {
  /** A browser that signs in with the provider of this name. */
  browser(name: string): Browser;
  advance(ms: number): Promise<void>;
}

interface Browser {
  /** Begins a sign-in and keeps the cookie. */
  start(returnTo?: string): Promise<{ location: string; cookie: Answer['cookies'][number] | undefined; state: string }>;
  comeBack(url: URL, state: string): Promise<Answer>;
  /** Both, with what the provider answers between them. */
  signIn(returnTo?: string): Promise<Answer>;
}

export type Answer = Awaited<ReturnType<TestAuthServer['call']>>;

/** Nobody listens there. */
const away = { id: 'away', label: 'Away', issuer: 'http://127.0.0.1:9', clientId: 'x', clientSecret: 'x' };

/** An auth server with these providers, and one that is away. openid-client reads the system's date, so that follows the test's time. */
export async function anOidcServer(providers: Readonly<Record<string, TestOidcProvider>>): Promise<TestOidcServer> {
  const configured = Object.entries(providers).map(([id, { issuer, clientId, clientSecret }]) => {
    return { id, label: id.toUpperCase(), issuer, clientId, clientSecret };
  });
  const server = await anAuthServer({
    config: {
      oidc: {
        publicUrl: 'https://tickets.example',
        stateSecrets: ['s'.repeat(32)],
        failurePath: '/login',
        providers: [...configured, away],
        // A busy machine takes its time; what is slow on purpose is tested with the provider alone.
        limits: { ...oidcLimitsDefault, timeoutMs: 120_000 },
      },
    },
  });
  vi.useFakeTimers({ toFake: ['Date'], now: server.time.now() });
  atEnd(async () => void vi.useRealTimers());
  return {
    ...server,
    browser: (name) => aBrowser(server.call, { name, provider: providers[name] }),
    async advance(ms) {
      await server.time.advance(ms);
      vi.setSystemTime(server.time.now());
    },
  };
}

function aBrowser(
  call: TestAuthServer['call'],
  { name, provider }: { name: string; provider: TestOidcProvider | undefined },
): Browser {
  if (provider === undefined) throw new Error(`there is no provider ${name}`);
  const browser: Browser = {
    async start(returnTo = '/events/7') {
      const response = await call('GET', `/api/auth/oidc/${name}/start?returnTo=${encodeURIComponent(returnTo)}`);
      expect(response.statusCode).toBe(302);
      const cookie = response.cookies.find((one) => one.name === 'urr-oidc');
      return { location: String(response.headers.location), cookie, state: cookie?.value ?? '' };
    },
    comeBack: (url, state) => call('GET', `${url.pathname}${url.search}`, { cookies: { 'urr-oidc': state } }),
    async signIn(returnTo) {
      const { location, state } = await browser.start(returnTo);
      return browser.comeBack(provider.authorize(location), state);
    },
  };
  return browser;
}

export function accessOf(response: Answer): string {
  return response.cookies.find(({ name }) => name === 'urr-access')?.value ?? '';
}

/** Sent to the page that says why, with no cookie but the one that is taken away. */
export function expectRefused(response: Answer, code: string): void {
  expect(response.statusCode).toBe(302);
  expect(response.headers.location).toBe(`/login?error=${code}`);
  expect(response.cookies.map(({ name, value }) => [name, value])).toEqual([['urr-oidc', '']]);
}
