import type { FastifyReply } from 'fastify';
import { isoTime } from '#platform/clock.ts';
import { isFault, platformErrors } from '#platform/errors.ts';
import type { RouteHandlers } from '#platform/http/contract.ts';
import { isRole } from '#platform/http/identity.ts';
import { cookieNames } from '#platform/http/names.ts';
import type { User } from '../domain/user.ts';
import { authErrors } from '../errors.ts';
import type { AuthDeps } from '../ports.ts';
import type { AuthService } from '../service/index.ts';
import type { Session } from '../service/sessions.ts';
import type { AuthRoutes } from './contracts.ts';
import { createSessionCookies, sentCookie, sentDeviceTokens } from './cookies.ts';

type HandlerDeps = Pick<AuthDeps, 'accessTokens' | 'clock' | 'config'> & { readonly service: AuthService };

export function createHandlers({ service, accessTokens, clock, config }: HandlerDeps): RouteHandlers<AuthRoutes> {
  const { sessions, administration, oidc, devices } = service;
  const cookies = createSessionCookies({ secure: config.secureCookies, now: () => clock.now() });
  /** Somebody has proved who they are, by a password or through a provider. */
  const welcome = (reply: FastifyReply, session: Session) => {
    const { email } = session.user;
    cookies.set(reply, session);
    cookies.setDevice(reply, { email, token: devices.issue(email) });
  };
  const failurePage = (code: string) => {
    const path = config.oidc?.failurePath ?? '/';
    return `${path}${path.includes('?') ? '&' : '?'}error=${encodeURIComponent(code)}`;
  };

  return {
    async register({ body }) {
      return { user: publicUser(await service.register(body)) };
    },

    async login(request, reply) {
      const { body, ip } = request;
      const deviceTokens = (email: string) => sentDeviceTokens(request, email);
      const session = await service.login({ ...body, ip, deviceTokens });
      welcome(reply, session);
      return { user: publicUser(session.user), accessToken: session.accessToken };
    },

    async refresh(request, reply) {
      const given = request.body?.refreshToken;
      const sent = sentCookie(request, cookieNames.refresh);
      try {
        const session = await sessions.refresh(given ?? sent);
        const answer = { user: publicUser(session.user), accessToken: session.accessToken };
        // A script that uses the cookie must not get to read the token through the answer.
        if (given !== undefined) return { ...answer, refreshToken: session.refreshToken };
        cookies.set(reply, session);
        return answer;
      } catch (error) {
        const isOver = isFault(error, 'REFRESH_INVALID') || isFault(error, 'REFRESH_REUSED');
        // Only a cookie that came can be the one that is over: under `/api/v1` browsers do not send it.
        if (isOver && given === undefined && sent !== undefined) cookies.clear(reply);
        throw error;
      }
    },

    async logout(request, reply) {
      await sessions.close(request.body?.refreshToken ?? sentCookie(request, cookieNames.refresh));
      cookies.clear(reply);
      return reply.send();
    },

    async me({ user }) {
      const found = await service.find(user.userId);
      if (found === null || found.disabledAtMs !== null) throw platformErrors.fault('UNAUTHENTICATED');
      return { user: publicUser(found) };
    },

    async exportMe({ user }, reply) {
      const document = await service.personalData.export(user.userId);
      return reply
        .type('application/json')
        .header('content-disposition', `attachment; filename="urr-${user.userId}.json"`)
        .header('cache-control', 'no-store')
        .send(JSON.stringify(document, null, 2));
    },

    async deleteMe(request, reply) {
      const { body, user, ip, id } = request;
      const refreshToken = sentCookie(request, cookieNames.refresh);
      const call = { userId: user.userId, requestId: id, ip, password: body?.password, refreshToken };
      const { acceptedAtMs, accessEndsAtMs } = await service.erasure.request(call);
      cookies.clear(reply);
      cookies.clearDevice(reply, user.email);
      return { acceptedAt: isoTime(acceptedAtMs), accessEndsAt: isoTime(accessEndsAtMs) };
    },

    async verifyToken({ body }) {
      const verified = accessTokens.verify(body.token);
      if (!verified.ok) return { valid: false, reason: verified.reason };
      const { sub, email, role, iat, exp } = verified.claims;
      if (!isRole(role)) return { valid: false, reason: 'invalid' };
      return { valid: true, claims: { sub, email, role, iat, exp } };
    },

    async listProviders() {
      return { items: [...(oidc?.providers ?? [])] };
    },

    async startOidc({ params, query }, reply) {
      if (oidc === null) throw authErrors.fault('OIDC_PROVIDER_UNKNOWN');
      const { location, stateCookie } = await oidc.start({ provider: params.provider, returnTo: query.returnTo });
      cookies.setOidcState(reply, stateCookie);
      return reply.header('cache-control', 'no-store').redirect(location, 302);
    },

    async finishOidc(request, reply) {
      const { params, query, log } = request;
      if (oidc === null) throw authErrors.fault('OIDC_PROVIDER_UNKNOWN');
      const { state, code, error, iss } = query;
      cookies.clearOidcState(reply);
      reply.header('cache-control', 'no-store');
      try {
        const { session, returnTo } = await oidc.finish({
          provider: params.provider,
          answer: { state, code, error, iss },
          stateCookie: sentCookie(request, cookieNames.oidcState),
        });
        welcome(reply, session);
        return reply.redirect(returnTo, 302);
      } catch (problem) {
        // A person looks at this, not a program: they get a page, and the code says which sentence it shows.
        if (!isFault(problem) || !(problem.code in authErrors.table)) throw problem;
        log.info(
          { err: problem.cause, code: problem.code, provider: params.provider },
          'sign-in with a provider failed',
        );
        return reply.redirect(failurePage(problem.code), 302);
      }
    },

    async listUsers({ query }) {
      const { items, nextCursor } = await administration.list(query);
      return { items: items.map(adminUser), nextCursor };
    },

    async getUser({ params }) {
      return { user: adminUser(await administration.get(params.userId)) };
    },

    async changeRole({ user, params, body, id }) {
      const act = { actor: user, userId: params.userId, requestId: id, role: body.role };
      return { user: adminUser(await administration.changeRole(act)) };
    },

    async disableUser({ user, params, id }) {
      const act = { actor: user, userId: params.userId, requestId: id, enabled: false };
      return { user: adminUser(await administration.setEnabled(act)) };
    },

    async enableUser({ user, params, id }) {
      const act = { actor: user, userId: params.userId, requestId: id, enabled: true };
      return { user: adminUser(await administration.setEnabled(act)) };
    },
  };
}

function publicUser({ id, email, name, role }: User) {
  return { id, email, name, role };
}

function adminUser(user: User) {
  const { createdAtMs, disabledAtMs } = user;
  return {
    ...publicUser(user),
    createdAt: isoTime(createdAtMs),
    disabledAt: disabledAtMs === null ? null : isoTime(disabledAtMs),
  };
}
