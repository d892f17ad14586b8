import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { RouteHandlers } from '#platform/http/contract.ts';
import type { Role } from '#platform/http/identity.ts';
import { registerRoutes } from '#platform/http/routes.ts';
import { createHttpServer } from '#platform/http/server.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { authRoutes } from '../contract.ts';
import { type AuthOptions, anAuth, type TestAuth } from './an-auth.ts';

export interface TestAuthServer extends TestAuth {
  readonly app: FastifyInstance;
  call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, options?: CallOptions): Promise<LightMyRequestResponse>;
  /** A registered user with this role, and a fresh sign-in. */
  signedIn(email: string, role?: Role): Promise<SignedIn>;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly cookies?: Record<string, string>;
  /** As it is sent, where one name comes several times. */
  readonly cookieHeader?: string;
  readonly bearer?: string;
  readonly ip?: string;
}

export interface SignedIn {
  readonly id: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

export const password = 'correct horse';

/** The module's routes on a real server. Who calls is taken from the bearer token, as the gateway would. */
export async function anAuthServer(options: AuthOptions = {}): Promise<TestAuthServer> {
  const auth = await anAuth(options);
  const { deps, service } = auth;
  const app = createHttpServer({ logger: deps.logger, ids: deps.ids });
  app.addHook('onRequest', async (request) => {
    const verified = deps.accessTokens.verify(request.headers.authorization?.replace('Bearer ', '') ?? '');
    if (verified.ok)
      request.user = { userId: verified.claims.sub, email: verified.claims.email, role: verified.claims.role };
  });
  await app.register(async (scope) => {
    // `createHandlers` typed them against these very contracts before the instance widened them.
    registerRoutes(scope, authRoutes, auth.handlers as unknown as RouteHandlers<typeof authRoutes>);
  });
  await app.ready();
  atEnd(() => app.close());

  const call: TestAuthServer['call'] = (method, url, { body, cookies, cookieHeader, bearer, ip } = {}) =>
    app.inject({
      method,
      url,
      ...(body !== undefined && { payload: body as object }),
      ...(cookies && { cookies }),
      headers: {
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...(cookieHeader !== undefined && { cookie: cookieHeader }),
      },
      ...(ip !== undefined && { remoteAddress: ip }),
    });

  return {
    ...auth,
    app,
    call,
    async signedIn(email, role = 'buyer') {
      const [user] = await service.ensureUsers([{ email, password, name: email, role }]);
      const response = await call('POST', '/api/auth/login', { body: { email, password } });
      const refreshToken = response.cookies.find((cookie) => cookie.name === 'urr-refresh')?.value;
      if (user === undefined || refreshToken === undefined)
        throw new Error(`${email} could not sign in: ${response.body}`);
      return { id: user.id, accessToken: response.json().accessToken, refreshToken };
    },
  };
}
