import { Type } from 'typebox';
import { defineRoutes } from '#platform/http/contract.ts';
import { exactly, Time } from '#platform/schemas.ts';
import { passwordLengthMax } from '../domain/profile.ts';

export const personalDataRoutes = defineRoutes({
  exportMe: {
    operation: 'exportMe',
    method: 'GET',
    path: '/api/auth/me/export',
    summary: 'Download everything that is kept of me',
    description:
      'One JSON file, with a section for each part of urr. Of very long lists the newest entries; `truncated` names them. If a part is away there is no file: 503 with Retry-After.',
    access: 'user',
    rate: 'export',
    responses: { 200: Type.Unknown() },
    download: ['application/json'],
    problems: ['ROLE_UNAVAILABLE'],
  },
  deleteMe: {
    operation: 'deleteMe',
    method: 'DELETE',
    path: '/api/auth/me',
    summary: 'Delete my account',
    description:
      'Needs the password; an account without one needs a sign-in within the last ten minutes, by the refresh cookie. From the answer on nobody can sign in, every session is over and the email may be registered again. What else is kept of the user is erased by itself, after the last access token is over (`accessEndsAt`). What was bought and paid stays in the books under an id that leads nowhere.',
    access: 'user',
    rate: 'login',
    body: Type.Union([
      exactly({ password: Type.Optional(Type.String({ minLength: 1, maxLength: passwordLengthMax })) }),
      Type.Null(),
    ]),
    responses: { 202: exactly({ acceptedAt: Time, accessEndsAt: Time }) },
    problems: [
      'PASSWORD_WRONG',
      'SIGN_IN_AGAIN',
      'ACCOUNT_IN_USE',
      'LAST_ADMIN',
      'TOO_MANY_ATTEMPTS',
      'SIGN_IN_BUSY',
      'ROLE_UNAVAILABLE',
    ],
  },
});
