import { Type } from 'typebox';
import { defineRoutes } from '#platform/http/contract.ts';
import { exactly } from '#platform/schemas.ts';

const params = exactly({ provider: Type.String({ pattern: '^[a-z][a-z0-9-]{0,30}$' }) });
const signInProblems = ['OIDC_PROVIDER_UNKNOWN', 'OIDC_PROVIDER_UNAVAILABLE'];

export const oidcRoutes = defineRoutes({
  listProviders: {
    operation: 'listSignInProviders',
    method: 'GET',
    path: '/api/auth/providers',
    summary: 'Sign-in providers that are configured',
    access: 'public',
    rate: 'read',
    responses: { 200: exactly({ items: Type.Array(exactly({ id: Type.String(), label: Type.String() })) }) },
  },
  startOidc: {
    operation: 'startOidcSignIn',
    method: 'GET',
    path: '/api/auth/oidc/:provider/start',
    summary: 'Sign in with a provider',
    description: 'For browsers: sends them to the provider. `returnTo` is a path of this site.',
    access: 'public',
    rate: 'login',
    params,
    query: exactly({ returnTo: Type.Optional(Type.String({ maxLength: 512 })) }),
    responses: { 302: Type.Null() },
    problems: signInProblems,
  },
  finishOidc: {
    operation: 'finishOidcSignIn',
    method: 'GET',
    path: '/api/auth/oidc/:provider/callback',
    summary: 'Return from a provider',
    description:
      'Sets the session cookies and goes to `returnTo`. A refused sign-in goes to the sign-in page with `error=CODE`.',
    access: 'public',
    rate: 'login',
    params,
    // Open: providers add parameters of their own, and to those that we read they may send anything.
    query: Type.Object({
      state: Type.Optional(Type.String({ maxLength: 512 })),
      code: Type.Optional(Type.String({ maxLength: 4_096 })),
      error: Type.Optional(Type.String({ maxLength: 512 })),
      iss: Type.Optional(Type.String({ maxLength: 512 })),
    }),
    responses: { 302: Type.Null() },
    problems: signInProblems,
  },
});
