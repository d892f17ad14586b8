import { Type } from 'typebox';
import { defineRoutes } from '#platform/http/contract.ts';
import { cookieNames, cookiePrefixes } from '#platform/http/names.ts';
import { exactly } from '#platform/schemas.ts';
import { emailLengthMax, nameLengthMax, passwordLengthMax, passwordLengthMin } from '../domain/profile.ts';
import { adminRoutes } from './admin-contracts.ts';
import { oidcRoutes } from './oidc-contracts.ts';
import { personalDataRoutes } from './personal-data-contracts.ts';
import { publicUser, role } from './schemas.ts';

const email = Type.String({ minLength: 3, maxLength: emailLengthMax });
const token = Type.String({ minLength: 1, maxLength: 4_096 });
/** Browsers send the cookie and no body; other clients may send the token here instead. */
const refreshBody = Type.Union([exactly({ refreshToken: Type.Optional(token) }), Type.Null()]);
const sessionBody = exactly({ user: publicUser, accessToken: Type.String() });

const accountRoutes = defineRoutes({
  register: {
    operation: 'register',
    method: 'POST',
    path: '/api/auth/register',
    summary: 'Register with email and password',
    description: 'Makes a user with the role buyer. It does not sign in: call login next.',
    access: 'public',
    rate: 'login',
    body: exactly({
      email,
      password: Type.String({ minLength: passwordLengthMin, maxLength: passwordLengthMax }),
      name: Type.String({ minLength: 1, maxLength: nameLengthMax }),
    }),
    responses: { 201: exactly({ user: publicUser }) },
    problems: ['EMAIL_TAKEN', 'SIGN_IN_BUSY'],
  },
  login: {
    operation: 'login',
    method: 'POST',
    path: '/api/auth/login',
    summary: 'Sign in with email and password',
    description: `Sets the cookies \`${cookieNames.access}\` (15 minutes), \`${cookieNames.refresh}\`, and \`${cookiePrefixes.device}…\`, by which wrong passwords of strangers do not hold this browser up. Clients without cookies send the access token as a bearer token.`,
    access: 'public',
    rate: 'login',
    body: exactly({ email, password: Type.String({ minLength: 1, maxLength: passwordLengthMax }) }),
    responses: { 200: sessionBody },
    problems: ['INVALID_CREDENTIALS', 'ACCOUNT_DISABLED', 'TOO_MANY_ATTEMPTS', 'SIGN_IN_BUSY'],
  },
  refresh: {
    operation: 'refreshSession',
    method: 'POST',
    path: '/api/auth/refresh',
    summary: 'Exchange the refresh token for a new pair',
    description:
      'Takes the refresh token from the cookie, or from the body, which then also answers with the next one and sets no cookies. Each refresh token works once; within ten seconds a repeat gets the same answer, later it ends the session.',
    access: 'public',
    rate: 'write',
    body: refreshBody,
    responses: {
      200: exactly({ user: publicUser, accessToken: Type.String(), refreshToken: Type.Optional(Type.String()) }),
    },
    problems: ['REFRESH_INVALID', 'REFRESH_REUSED', 'REFRESH_SUPERSEDED'],
  },
  logout: {
    operation: 'logout',
    method: 'POST',
    path: '/api/auth/logout',
    summary: 'Sign out',
    description:
      'Ends the session of the refresh token (cookie or body) and clears the cookies. Never fails for a token that is gone.',
    access: 'public',
    rate: 'write',
    body: refreshBody,
    responses: { 204: Type.Null() },
  },
  me: {
    operation: 'getMe',
    method: 'GET',
    path: '/api/auth/me',
    summary: 'Who am I',
    access: 'user',
    rate: 'read',
    responses: { 200: exactly({ user: publicUser }) },
  },
  verifyToken: {
    operation: 'verifyToken',
    method: 'POST',
    path: '/api/auth/verify-token',
    summary: 'Is this access token good',
    description:
      'Answers 200 also for a bad token and says why. It judges as the gateway does: signature, kind and time.',
    access: 'public',
    rate: 'read',
    body: exactly({ token: Type.String({ maxLength: 4_096 }) }),
    responses: {
      200: exactly({
        valid: Type.Boolean(),
        reason: Type.Optional(Type.Enum(['expired', 'invalid'])),
        claims: Type.Optional(
          exactly({ sub: Type.String(), email: Type.String(), role, iat: Type.Integer(), exp: Type.Integer() }),
        ),
      }),
    },
  },
});

export const authRoutes = { ...accountRoutes, ...personalDataRoutes, ...oidcRoutes, ...adminRoutes };
export type AuthRoutes = typeof authRoutes;
