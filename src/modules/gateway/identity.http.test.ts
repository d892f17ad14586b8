import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createJwtKind } from '#platform/tokens/jwt.ts';
import { aGateway, secrets, type TestGateway } from './test/a-gateway.ts';

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await aGateway();
});
afterEach(() => gateway.app.close());

const get = (url: string, headers: Record<string, string>) => gateway.call({ method: 'GET', url, headers });
const post = (url: string, headers: Record<string, string>) => gateway.call({ method: 'POST', url, headers });

describe('who is calling', () => {
  it('is told by a bearer token or by the cookie', async () => {
    const token = gateway.token('ann');
    for (const headers of [
      { authorization: `Bearer ${token}` },
      { authorization: `bearer ${token}` },
      { cookie: `x=1; urr-access=${token}` },
    ]) {
      expect((await get('/api/mine', headers)).json()).toMatchObject({ userId: 'ann' });
    }
  });

  it('is told by the header when there are both', async () => {
    const headers = {
      authorization: `Bearer ${gateway.token('header')}`,
      cookie: `urr-access=${gateway.token('cookie')}`,
    };
    expect((await get('/api/mine', headers)).json()).toMatchObject({ userId: 'header' });
    expect((await get('/api/mine', { ...headers, authorization: 'Basic eDp5' })).statusCode).toBe(401);
  });

  it('is never told by X-User headers from outside', async () => {
    const spoofed = {
      'x-user-id': 'admin',
      'X-USER-EMAIL': 'a@b.c',
      'x-user-role': 'admin',
      'x-internal-signature': '1.x',
      'x-entry-slots': 'e1=j1',
    };
    expect((await get('/api/open', spoofed)).json()).toEqual({ userId: null });
    expect((await get('/api/mine', spoofed)).statusCode).toBe(401);
    const both = { ...spoofed, authorization: `Bearer ${gateway.token('ann')}` };
    expect((await get('/api/open', both)).json()).toMatchObject({ userId: 'ann' });
  });

  it('is nobody for a token that is not good: 401 where a user is needed, anonymous elsewhere', async () => {
    const { clock } = gateway;
    const claims = { sub: 'ann', email: 'ann@urr.test', role: 'buyer' };
    const otherKey = createJwtKind<object>({
      typ: 'at+jwt',
      secrets: ['another-secret-0123456789-0123456789-x'],
      ttlSeconds: 900,
      clock,
    });
    const otherKind = createJwtKind<object>({ typ: 'entry+jwt', secrets: [secrets.access], ttlSeconds: 900, clock });
    const good = gateway.token('ann');
    const bad = {
      'another key': otherKey.sign(claims).token,
      'another kind': otherKind.sign(claims).token,
      'alg none': `${base64({ alg: 'none', typ: 'at+jwt' })}.${base64({ ...claims, iat: 1, exp: 4e9 })}.`,
      'another algorithm': signedWith('HS512', { ...claims, iat: 1, exp: 4e9 }),
      'changed claims': good.replace(/\.[^.]+\./, `.${base64({ ...claims, sub: 'eve', iat: 1, exp: 4e9 })}.`),
      'an unknown role': gateway.accessTokens.sign({ ...claims, role: 'root' }).token,
      'no subject': createJwtKind<object>({ typ: 'at+jwt', secrets: [secrets.access], ttlSeconds: 900, clock }).sign({
        email: 'x',
      }).token,
      rubbish: 'rubbish',
      empty: '',
    };
    for (const [name, token] of Object.entries(bad)) {
      const refused = await get('/api/mine', { authorization: `Bearer ${token}` });
      expect([name, refused.statusCode, refused.json().code]).toEqual([name, 401, 'UNAUTHENTICATED']);
      expect(refused.headers['www-authenticate']).toContain('Bearer');
      const anonymous = await get('/api/open', { authorization: `Bearer ${token}` });
      expect([name, anonymous.json().userId]).toEqual([name, null]);
    }
  });

  it('is nobody once the token expires, although it was good before', async () => {
    const headers = { authorization: `Bearer ${gateway.token('ann')}` };
    expect((await get('/api/mine', headers)).statusCode).toBe(200);
    gateway.clock.ms += 899_000;
    expect((await get('/api/mine', headers)).statusCode).toBe(200);
    gateway.clock.ms += 1_000;
    expect((await get('/api/mine', headers)).statusCode).toBe(401);
    expect((await get('/api/mine', headers)).statusCode).toBe(401);
  });

  it('decides by role', async () => {
    expect((await get('/api/office', { authorization: `Bearer ${gateway.token('ann')}` })).json().code).toBe(
      'FORBIDDEN',
    );
    expect((await get('/api/office', { authorization: `Bearer ${gateway.token('bob', 'operator')}` })).statusCode).toBe(
      200,
    );
  });
});

describe('a change that comes with cookies', () => {
  const host = { host: 'shop.test' };

  it('must come from this site', async () => {
    const cookie = { ...host, cookie: `urr-access=${gateway.token('ann')}` };
    for (const headers of [
      cookie,
      { ...cookie, origin: 'https://evil.test' },
      { ...cookie, 'sec-fetch-site': 'cross-site' },
      { ...cookie, origin: 'null' },
    ]) {
      const refused = await post('/api/change', headers);
      expect([refused.statusCode, refused.json().code]).toEqual([403, 'CROSS_SITE_REFUSED']);
    }
    for (const headers of [
      { ...cookie, origin: 'https://shop.test' },
      { ...cookie, 'sec-fetch-site': 'same-origin' },
    ]) {
      expect((await post('/api/change', headers)).json()).toMatchObject({ userId: 'ann' });
    }
  });

  it('counts every cookie of ours, also one that has expired', async () => {
    expect((await post('/api/change', { ...host, cookie: 'urr-refresh=x' })).statusCode).toBe(403);
    expect((await post('/api/change', { ...host, cookie: 'urr-access=old' })).statusCode).toBe(403);
    expect((await post('/api/change', { ...host, cookie: 'urr-queue-ticket-1=t' })).statusCode).toBe(403);
  });

  it('is not asked of reads, of bearer tokens, nor of calls without our cookies', async () => {
    const evil = { ...host, origin: 'https://evil.test' };
    expect((await get('/api/mine', { ...evil, cookie: `urr-access=${gateway.token('ann')}` })).statusCode).toBe(200);
    expect((await post('/api/change', { ...evil, authorization: `Bearer ${gateway.token('ann')}` })).statusCode).toBe(
      200,
    );
    expect((await post('/api/change', { ...evil, cookie: 'theme=dark' })).statusCode).toBe(200);
  });
});

function base64(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function signedWith(alg: 'HS512', claims: object): string {
  const text = `${base64({ alg, typ: 'at+jwt' })}.${base64(claims)}`;
  return `${text}.${createHmac('sha512', secrets.access).update(text).digest('base64url')}`;
}
