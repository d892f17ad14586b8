import { describe, expect, it } from 'vitest';
import { roles } from '#platform/http/identity.ts';
import { anAuth } from '../testing/an-auth.ts';

const { service, published, hashed, internal } = await anAuth();

const demo = Array.from({ length: 23 }, (_, index) => ({
  email: `person${index}@urr.test`,
  password: 'urr-demo',
  name: `Person ${index}`,
  role: roles[index % roles.length] ?? 'buyer',
}));

describe('seeding users', () => {
  it('makes two dozen for the price of one hash', async () => {
    const users = await service.ensureUsers(demo);
    expect(users.map(({ email, role }) => ({ email, role }))).toEqual(demo.map(({ email, role }) => ({ email, role })));
    expect(hashed.count).toBe(1);
    expect(published).toHaveLength(23);
    expect(published[0]).toMatchObject({ topic: 'user-events', type: 'USER_REGISTERED', data: { via: 'seed' } });
  });

  it('changes nothing the second time', async () => {
    const before = await service.ensureUsers(demo);
    const events = published.length;
    expect(await service.ensureUsers(demo)).toEqual(before);
    expect(published).toHaveLength(events);
  });

  it('puts a changed password and role right', async () => {
    await service.ensureUsers([
      { ...demo[0], email: 'person0@urr.test', password: 'another-one', name: 'x', role: 'admin' },
    ]);
    const session = await service.login({ email: 'person0@urr.test', password: 'another-one', ip: '127.0.0.1' });
    expect(session.user).toMatchObject({ role: 'admin', name: 'Person 0' });
  });

  it('at once in two processes makes each user once', async () => {
    const wanted = [{ email: 'twin@urr.test', password: 'urr-demo', name: 'Twin', role: 'buyer' as const }];
    const [one, two] = await Promise.all([service.ensureUsers(wanted), service.ensureUsers(wanted)]);
    expect(one[0]?.id).toBe(two[0]?.id);
  });
});

it('usersById answers for those that exist', async () => {
  const [user] = await service.ensureUsers(demo.slice(1, 2));
  if (user === undefined) throw new Error('no user');
  const ids = [user.id, user.id, '00000000-0000-7000-8000-000000000000'];
  expect(await internal.usersById?.({ ids } as never)).toEqual({
    users: [{ id: user.id, name: 'Person 1', role: user.role, email: 'person1@urr.test' }],
  });
});
