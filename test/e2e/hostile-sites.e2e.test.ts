import { describe, expect, test } from 'vitest';
import { sendBytes } from '#test/kit/raw-http.ts';
import { aStage, jsonCall, refusalOf, stagePassword } from '#test/kit/stage.ts';

/** What a page of another site can make a visitor's browser do, and what a page of this site is told. */
describe.each(['together', 'apart'] as const)('%s', async (kind) => {
  const { url, send, sendToCatalog, users, eventId } = await aStage(kind);
  const { seller, buyer } = users;
  const host = new URL(url).host;
  const accessCookie = { cookie: `urr-access=${seller.accessToken}` };
  const change = (headers: Record<string, string>) =>
    send(jsonCall({ path: '/api/seller/artists', body: { name: '다른 곳의 가수' }, headers }));

  describe('a change that comes with cookies', () => {
    test.each<[string, Record<string, string>]>([
      ['says nothing of where it is from', {}],
      ['is from another site', { origin: 'https://elsewhere.test' }],
      ['is from another site, as the browser says', { 'sec-fetch-site': 'cross-site' }],
      ['is from a sibling', { 'sec-fetch-site': 'same-site' }],
      ['was typed', { 'sec-fetch-site': 'none' }],
      ['is from a sandbox', { origin: 'null' }],
      ['is from another port', { origin: `http://${host}0` }],
      ['is from a name that begins alike', { origin: `http://${host}.elsewhere.test` }],
      ['is from a name that ends alike', { origin: `http://elsewhere.test.${host}` }],
      ['is from this site with a path', { origin: `http://${host}/` }],
      ['names this site as referer only', { referer: `http://${host}/` }],
      ['names this site as forwarded host', { origin: 'https://elsewhere.test', 'x-forwarded-host': 'elsewhere.test' }],
      ['spells it in capitals', { 'sec-fetch-site': 'SAME-ORIGIN' }],
    ])('and %s is refused', async (_, headers) => {
      expect(refusalOf(await change({ ...accessCookie, ...headers }))).toBe('403 CROSS_SITE_REFUSED');
      const refresh = { cookie: `urr-refresh=${buyer.refreshToken}`, ...headers };
      for (const path of ['/api/auth/refresh', '/api/auth/logout']) {
        expect(refusalOf(await send(jsonCall({ path, body: null, headers: refresh })))).toBe('403 CROSS_SITE_REFUSED');
      }
    });

    test.each<[string, Record<string, string>]>([
      ['this site', { origin: `http://${host}` }],
      ['this site behind TLS', { origin: `https://${host}` }],
      ['this site, as the browser says', { 'sec-fetch-site': 'same-origin' }],
    ])('from %s is taken', async (_, headers) => {
      expect((await change({ ...accessCookie, ...headers })).status).toBe(201);
    });

    test('is judged also when the cookie is no good', async () => {
      const headers = { cookie: 'urr-access=nonsense', origin: 'https://elsewhere.test' };
      expect(refusalOf(await change(headers))).toBe('403 CROSS_SITE_REFUSED');
    });
  });

  test('a change with a bearer token alone may come from anywhere: no browser adds it by itself', async () => {
    const headers = { authorization: `Bearer ${seller.accessToken}`, origin: 'https://elsewhere.test' };
    expect((await change(headers)).status).toBe(201);
    expect((await change({ authorization: `Bearer ${seller.accessToken}` })).status).toBe(201);
  });

  test('a form of another site signs nobody in', async () => {
    const credentials = { email: buyer.email, password: stagePassword };
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const headers = { 'content-type': type, origin: 'https://elsewhere.test', 'sec-fetch-site': 'cross-site' };
      const answer = await send(jsonCall({ path: '/api/auth/login', body: credentials, headers }));
      expect([refusalOf(answer), answer.headers['set-cookie']]).toEqual(['415 UNSUPPORTED_MEDIA_TYPE', undefined]);
    }
  });

  test('reading with cookies is allowed, and no other site may look at the answer', async () => {
    const headers = { ...accessCookie, origin: 'https://elsewhere.test', 'sec-fetch-site': 'cross-site' };
    const answer = await send({ path: '/api/seller/events', headers });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, undefined]);
  });

  test('other origins are invited to nothing', async () => {
    for (const path of ['/api/events', '/api/seller/events', '/api/auth/login']) {
      const headers = {
        origin: 'https://elsewhere.test',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      };
      const answer = await send({ method: 'OPTIONS', path, headers });
      const allowed = Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'));
      expect([path, allowed]).toEqual([path, []]);
    }
  });

  test('every answer of the API says that it is no page', async () => {
    const calls = [
      { path: `/api/events/${eventId}` },
      { path: '/api/events?limit=0' },
      { path: '/api/auth/me' },
      jsonCall({ path: '/api/auth/login', body: { email: 'nobody@stage.test', password: 'wrong' } }),
    ];
    for (const call of calls) {
      const { headers } = await send(call);
      expect([call.path, headers['x-content-type-options']]).toEqual([call.path, 'nosniff']);
      expect(headers['content-security-policy']).toContain("default-src 'none'");
      expect(headers['cache-control']).toBeDefined();
      expect(headers['x-powered-by'] ?? headers.server).toBeUndefined();
    }
  });

  test('everything else says so as well: documents, health, metrics, what does not exist and what is refused', async () => {
    const paths = [
      ...[
        '/health',
        '/ready',
        '/metrics',
        '/docs',
        '/docs/',
        '/docs/plain',
        '/docs/viewer.js',
        '/docs/errors',
        '/docs/docs.css',
        '/docs/openapi.json',
      ],
      ...['/docs/none', '/api/none', '/api/events/none/none', '/internal/auth/none', '/assets/none.js', '/none.txt'],
      ...['/%zz', '/api/..%2fevents', '//api/events', '/'],
    ];
    const calls = paths.flatMap((path) => ['GET', 'HEAD', 'POST', 'OPTIONS'].map((method) => ({ method, path })));
    for (const to of [send, sendToCatalog]) {
      for (const call of calls) {
        const { headers } = await to(call);
        expect([call, headers['x-content-type-options']]).toEqual([call, 'nosniff']);
        expect([call, headers['content-security-policy']]).toEqual([
          call,
          expect.stringContaining("frame-ancestors 'none'"),
        ]);
        expect([call, headers['content-security-policy']]).toEqual([
          call,
          expect.stringMatching(/default-src '(none|self)'/),
        ]);
      }
    }
    const broken = await sendBytes(url, 'GET / HTTP/1.1\r\nHost: x\r\nBad Header\r\n\r\n');
    expect(broken.toLowerCase()).toContain("content-security-policy: default-src 'none'; frame-ancestors 'none'\r\n");
    expect(broken.toLowerCase()).toContain('x-content-type-options: nosniff\r\n');
  });

  test('the documents need no more than their policy allows', async () => {
    for (const path of ['/docs/plain', '/docs/errors']) {
      const { headers, text } = await send({ path });
      expect(headers['content-security-policy']).toContain("style-src 'self'");
      expect(String(headers['content-security-policy'])).not.toMatch(/script-src|unsafe|https?:/);
      expect(text).toContain('<link rel="stylesheet" href="/docs/docs.css">');
      expect(text).not.toMatch(/<(script|style|iframe|img|form|object)\b|\s(style|on[a-z]+)=/i);
    }
  });

  test('the page that tries calls may run and call only what is of this site, and nothing written into it', async () => {
    const { headers, text } = await send({ path: '/docs' });
    const policy = String(headers['content-security-policy']);
    const directives = policy.split('; ');
    for (const one of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"])
      expect(directives).toContain(one);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(text).not.toMatch(
      /<script>|<style|<(iframe|img|form|object)\b|\s(style|on[a-z]+)=|(src|href)="(?!\/docs\/|data:,")/i,
    );
  });

  test('pages may run only what this site serves, and may not be framed', async () => {
    const { headers } = await send({ path: '/', headers: { accept: 'text/html' } });
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("object-src 'none'");
    expect(policy).not.toMatch(/script-src[^;]*unsafe/);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': expect.any(String),
      'strict-transport-security': expect.any(String),
      'cross-origin-opener-policy': 'same-origin',
    });
  });

  test('cookies of a session are out of reach of scripts and of other sites', async () => {
    const login = await send(
      jsonCall({ path: '/api/auth/login', body: { email: buyer.email, password: stagePassword } }),
    );
    const [access = '', refresh = ''] = login.headers['set-cookie'] ?? [];
    const attributes = (cookie: string) => cookie.split('; ').slice(1);
    expect(attributes(access)).toEqual(expect.arrayContaining(['Path=/', 'HttpOnly', 'SameSite=Lax']));
    expect(attributes(refresh)).toEqual(expect.arrayContaining(['Path=/api/auth', 'HttpOnly', 'SameSite=Strict']));
    expect(login.text).not.toContain(refresh.slice('urr-refresh='.length, refresh.indexOf(';')));
  });
});
