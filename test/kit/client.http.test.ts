import { describe, expect, test } from 'vitest';
import { startTestApp } from './app.ts';
import { aClient } from './client.ts';

const app = await startTestApp({ demo: true });

describe('a visitor of the test kit', () => {
  test('reads with the typed methods', async () => {
    const { items } = await aClient(app.url).listEvents({ query: { status: 'on_sale' } });
    expect(items.length).toBeGreaterThan(0);
    expect(items.every((event) => event.status === 'on_sale')).toBe(true);
  });

  test('signs in, is known, renews and signs out', async () => {
    const visitor = aClient(app.url);
    const user = await visitor.signIn('buyer1@urr.test');
    expect((await visitor.getMe()).user).toEqual(user);
    const before = visitor.cookies.get('urr-refresh');
    await visitor.refreshSession();
    expect(visitor.cookies.get('urr-refresh')).not.toBe(before);
    await visitor.logout();
    expect(visitor.cookies.get('urr-access')).toBeUndefined();
    await expect(visitor.getMe()).rejects.toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
  });

  test.each(['buyer', 'seller', 'operator', 'admin'] as const)('can be a %s', async (role) => {
    const visitor = await aClient(app.url).as(role);
    expect((await visitor.getMe()).user.role).toBe(role);
  });

  test('gets the problem that the server names, field by field', async () => {
    const refused = aClient(app.url).login({ body: { email: '', password: '' } });
    await expect(refused).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [{ field: 'body.email' }, { field: 'body.password' }],
    });
  });
});
