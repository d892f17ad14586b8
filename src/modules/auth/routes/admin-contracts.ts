import { Type } from 'typebox';
import { defineRoutes } from '#platform/http/contract.ts';
import { exactly, nullable, Uuid } from '#platform/schemas.ts';
import { adminUser, role } from './schemas.ts';

const params = exactly({ userId: Uuid });
const oneUser = { 200: exactly({ user: adminUser }) };
const changeProblems = ['LAST_ADMIN', 'OWN_ACCOUNT', 'NOT_FOUND'];

export const adminRoutes = defineRoutes({
  listUsers: {
    operation: 'listUsers',
    method: 'GET',
    path: '/api/admin/users',
    summary: 'List users, newest first',
    description: '`q` is the beginning of an email or a name.',
    access: ['admin'],
    rate: 'read',
    query: exactly({
      q: Type.Optional(Type.String({ maxLength: 100, pattern: '^[^\\u0000-\\u001f\\u007f]*$' })),
      cursor: Type.Optional(Uuid),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
    }),
    responses: { 200: exactly({ items: Type.Array(adminUser), nextCursor: nullable(Type.String()) }) },
  },
  getUser: {
    operation: 'getUser',
    method: 'GET',
    path: '/api/admin/users/:userId',
    summary: 'One user',
    access: ['admin'],
    rate: 'read',
    params,
    responses: oneUser,
    problems: ['NOT_FOUND'],
  },
  changeRole: {
    operation: 'changeUserRole',
    method: 'PUT',
    path: '/api/admin/users/:userId/role',
    summary: 'Change the role of a user',
    description: 'Ends the sessions of the user; access tokens with the old role run out within 15 minutes.',
    access: ['admin'],
    rate: 'write',
    params,
    body: exactly({ role }),
    responses: oneUser,
    problems: changeProblems,
  },
  disableUser: {
    operation: 'disableUser',
    method: 'POST',
    path: '/api/admin/users/:userId/disable',
    summary: 'Disable a user',
    description: 'Nobody can sign in as the user any more; sessions end, access tokens run out within 15 minutes.',
    access: ['admin'],
    rate: 'write',
    params,
    responses: oneUser,
    problems: changeProblems,
  },
  enableUser: {
    operation: 'enableUser',
    method: 'POST',
    path: '/api/admin/users/:userId/enable',
    summary: 'Enable a disabled user again',
    access: ['admin'],
    rate: 'write',
    params,
    responses: oneUser,
    problems: changeProblems,
  },
});
