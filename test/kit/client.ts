import { randomUUID } from 'node:crypto';
import type { Role } from '#platform/http/identity.ts';
import { type Client, createClient, type LoginResult } from '../../web/src/api/client.generated.ts';
import type { Fetch } from '../../web/src/api/runtime.ts';
import { type CookieJar, createCookieJar } from './cookie-jar.ts';

export { ApiProblem, isProblem } from '../../web/src/api/problem.ts';

/** The generated client as one visitor with cookies of their own: the same methods that the pages use, and a little more. */
export interface TestClient extends Client {
  readonly baseUrl: string;
  readonly cookies: CookieJar;
  /** Any request, with this visitor's cookies: for what no typed method would send. */
  raw(path: string, init?: RequestInit): Promise<Response>;
  signIn(email: string, password?: string): Promise<LoginResult['user']>;
  /** Another visitor, signed in. A buyer is somebody new each time; the other roles are the demonstration accounts. */
  as(role: Role): Promise<TestClient>;
  /** Another visitor, not signed in. */
  anonymous(): TestClient;
}

/** Of the demonstration accounts, unless URR_DEMO_PASSWORD says otherwise. */
export const demoPassword = 'urr-demo';
const newPassword = 'a-password-for-tests';

export function aClient(baseUrl: string): TestClient {
  const cookies = createCookieJar();
  const send = withCookies(cookies, baseUrl);
  const client = createClient({ baseUrl, fetch: send });
  const signIn = async (email: string, password = demoPassword) =>
    (await client.login({ body: { email, password } })).user;
  return {
    ...client,
    baseUrl,
    cookies,
    raw: (path, init = {}) => send(baseUrl + path, init),
    signIn,
    async as(role) {
      const other = aClient(baseUrl);
      if (role === 'buyer') await signInAsNewBuyer(other);
      else await other.signIn(`${role}@urr.test`);
      return other;
    },
    anonymous: () => aClient(baseUrl),
  };
}

async function signInAsNewBuyer(client: TestClient): Promise<void> {
  const email = `buyer-${randomUUID()}@urr.test`;
  await client.register({ body: { email, password: newPassword, name: '새 관객' } });
  await client.signIn(email, newPassword);
}

/** Sends the visitor's cookies and keeps what comes back, and says as a browser would that the call is from this site. */
function withCookies(cookies: CookieJar, origin: string): Fetch {
  return async (url, init) => {
    const headers = new Headers(init.headers);
    const cookie = cookies.header(new URL(url).pathname);
    if (cookie !== '' && !headers.has('cookie')) headers.set('cookie', cookie);
    if (!headers.has('origin')) headers.set('origin', origin);
    const response = await fetch(url, { redirect: 'manual', ...init, headers });
    cookies.keep(response);
    return response;
  };
}
