import { describe, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { listen } from '#platform/http/listen.ts';
import { createHttpServer } from '#platform/http/server.ts';
import { createIds } from '#platform/ids.ts';
import { systemRandom } from '#platform/random.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { sendBytes } from '#test/kit/raw-http.ts';
import { aStage, jsonCall, refusalOf } from '#test/kit/stage.ts';

/** Requests that no honest client sends. Each is refused in words, quickly, and the next honest one is served. */
describe.each(['together', 'apart'] as const)('%s', async (kind) => {
  const { url, send, users, eventId } = await aStage(kind);
  const token = users.seller.accessToken;
  const artist = (body: unknown, headers: Record<string, string> = {}) =>
    send(jsonCall({ path: '/api/seller/artists', token, body, headers }));

  describe('paths', () => {
    test.each([
      '//api/events',
      '/api//events',
      '/api/./events',
      '/api/../api/events',
      '/api/%2e%2e/api/events',
      '/api/%2E./events',
      '/api%2fevents',
      '/api/events/%2F',
      '/api/events/..%5c',
      '/api\\events',
      '/api/events%00',
      '/api/events/%zz',
      '/api/events/%c0%ae',
      'http://elsewhere.test/api/events',
    ])('%s could mean two things, or none', async (path) => {
      expect(refusalOf(await send({ path }))).toBe('400 MALFORMED_PATH');
    });

    test.each([
      '/api/v1/v1/events',
      '/API/events',
      '/api/Events',
      '/Api/v1/events',
      '/api/events;v=1',
      '/api/events.json',
      '/api/v1',
      '/internal',
      '/internal/catalog/eventFacts',
      '/INTERNAL/catalog/eventFacts',
      '/%69nternal/catalog/eventFacts',
      '/api/internal/catalog/eventFacts',
      '/api/v1/internal/catalog/eventFacts',
      '/.git/config',
      '/.env',
      '/package.json',
      '/api/events/x/y/z',
    ])('%s is nowhere', async (path) => {
      expect(refusalOf(await send({ path }))).toBe('404 NOT_FOUND');
      expect(refusalOf(await send(jsonCall({ path, body: { eventId } })))).toBe('404 NOT_FOUND');
    });

    test.each(['/api/v1/events', '/api/events/', '/api/events?'])('%s is the list', async (path) => {
      expect((await send({ path })).status).toBe(200);
    });

    test('a part that is too long is refused before anybody looks for it', async () => {
      const long = 'x'.repeat(600);
      expect(refusalOf(await send({ path: `/api/events/${long}` }))).toBe('404 NOT_FOUND');
      for (const path of [`/api/seller/events/${long}`, `/api/admin/users/${long}`]) {
        expect(refusalOf(await send({ method: 'DELETE', path }))).toBe('400 MALFORMED_PATH');
      }
    });

    test('a wrong method is told which ones are right', async () => {
      const answer = await send({ method: 'DELETE', path: '/api/events' });
      expect([refusalOf(answer), answer.headers.allow]).toEqual(['405 METHOD_NOT_ALLOWED', 'GET, HEAD']);
    });

    test('a method named in a header is not the method', async () => {
      const headers = { 'x-http-method-override': 'DELETE', 'x-method-override': 'DELETE' };
      expect((await send({ path: `/api/events/${eventId}`, headers })).status).toBe(200);
    });
  });

  describe('queries', () => {
    test.each([
      'limit=0',
      'limit=-1',
      'limit=101',
      'limit=1e308',
      'limit=9007199254740993',
      'limit=abc',
      'limit=',
      'limit=1&limit=2',
      'limit[]=1',
      'limit=1.5',
      'cursor=',
      'cursor=nonsense',
      'cursor=bnVsbA',
      'cursor=W10',
      `cursor=${Buffer.from(JSON.stringify(['a\u0000', 1, eventId])).toString('base64url')}`,
      `cursor=${Buffer.from(JSON.stringify([0, 1e300, eventId])).toString('base64url')}`,
      `cursor=${Buffer.from(JSON.stringify([0, 1, "' OR 1=1"])).toString('base64url')}`,
      'status=open',
      'status=on_sale&status=ended',
      'artistId=1',
      'artistId=00000000-0000-7000-8000-00000000000g',
      'unknown=1',
      '__proto__=1',
      'constructor=1',
      `q=${'x'.repeat(101)}`,
    ])('?%s is not valid', async (query) => {
      expect(refusalOf(await send({ path: `/api/events?${query}` }))).toBe('400 VALIDATION_FAILED');
    });

    test.each(['q=%00', 'q=%ff%fe', 'q=%ED%A0%80', 'q=%25_%27%22--', 'q=%F0%9F%8E%AB', 'q='])(
      '?%s finds nothing worse',
      async (query) => {
        expect((await send({ path: `/api/events?${query}` })).status).toBe(200);
        expect((await send(jsonCall({ path: `/api/seller/events?${query}`, token }))).status).toBe(200);
        const people = await send(jsonCall({ path: `/api/admin/users?${query}`, token: users.admin.accessToken }));
        expect([200, 400]).toContain(people.status);
      },
    );

    test('a query longer than headers may be is 431', async () => {
      expect(refusalOf(await send({ path: `/api/events?q=${'x'.repeat(20_000)}` }))).toBe('431 HEADERS_TOO_LARGE');
    });
  });

  describe('bodies', () => {
    test.each([
      ['cut off', '{"name":'],
      ['two documents', '{"name":"a"}{"name":"b"}'],
      ['no JSON', "{'name':'a'}"],
      ['a number that is none', '{"name":NaN}'],
      ['a raw line feed in a string', '{"name":"a\nb"}'],
      ['a prototype', '{"name":"a","__proto__":{"role":"admin"}}'],
      ['a prototype inside', '{"name":"a","description":{"__proto__":{}}}'],
      ['a constructor with a prototype', '{"name":"a","constructor":{"prototype":{"role":"admin"}}}'],
    ])('%s: not JSON', async (_, body) => {
      expect(refusalOf(await artist(body))).toBe('400 MALFORMED_BODY');
    });

    test('a body that is missing is named as such', async () => {
      expect(refusalOf(await artist(''))).toBe('400 VALIDATION_FAILED');
    });

    test.each<[string, unknown]>([
      ['null', null],
      ['a list', []],
      ['a string', '"name"'],
      ['an unknown field', { name: 'a', role: 'admin' }],
      ['a field named like a method', { name: 'a', toString: 1 }],
      ['a constructor', { name: 'a', constructor: 'x' }],
      ['NUL in a string', { name: 'a\u0000b' }],
      ['NUL in prose', { name: 'a', description: '\u0000' }],
      ['half a surrogate pair', { name: 'a\ud800' }],
      ['the other half', { name: '\udc00a' }],
      ['half a pair in prose', { name: 'a', description: '\ud83d' }],
      ['a control character', { name: 'a\u0007' }],
      ['only blanks', { name: ' \u3000 ' }],
      ['too long a name', { name: 'x'.repeat(101) }],
      ['a name that is a number', { name: 1e308 }],
      ['a name that is a list', { name: ['a'] }],
      ['a script for a picture', { name: 'a', imageUrl: 'javascript:alert(1)' }],
      ['another site for a picture', { name: 'a', imageUrl: '//elsewhere.test/a.png' }],
    ])('%s: not valid', async (_, body) => {
      expect(refusalOf(await artist(body))).toBe('400 VALIDATION_FAILED');
    });

    test.each<[string, string, string]>([
      ['forty thousand brackets', '/api/seller/artists', '['.repeat(40_000)],
      ['brackets that are closed', '/api/seller/artists', '['.repeat(10_000) + ']'.repeat(10_000)],
      ['objects', '/api/seller/artists', '{"name":'.repeat(5_000)],
      ['brackets behind a string of them', '/api/seller/artists', `["\\"[[", ${'['.repeat(40)}`],
      ['eight million brackets', '/api/seller/layouts', '['.repeat(8_000_000)],
      ['four million brackets that are closed', '/api/seller/layouts', '['.repeat(4_000_000) + ']'.repeat(4_000_000)],
      ['two million empty lists', '/api/seller/layouts', `[${'[],'.repeat(2_000_000)}0]`],
      ['two million zeros', '/api/seller/layouts', `{"name":"x","sections":[${'0,'.repeat(2_000_000)}0]}`],
    ])('%s: too complex', async (_, path, body) => {
      expect(refusalOf(await send(jsonCall({ path, token, body })))).toBe('400 BODY_TOO_COMPLEX');
    });

    test('of two equal keys the last one counts, for the check and for what is stored', async () => {
      expect(refusalOf(await artist('{"name":"good","name":""}'))).toBe('400 VALIDATION_FAILED');
      expect(JSON.parse((await artist('{"name":"","name":"last"}')).text).name).toBe('last');
    });

    test.each([1e308, -0.5, -1, 2 ** 53 + 2, 10_000_001, '1', null, true])(
      'a price of %s is none',
      async (priceKrw) => {
        const body = { title: 'x', prices: [{ grade: 'R', priceKrw }] };
        expect(refusalOf(await send(jsonCall({ path: '/api/seller/events', token, body })))).toBe(
          '400 VALIDATION_FAILED',
        );
      },
    );

    test.each([
      '9999-12-31T23:59:59Z',
      '0001-01-01T00:00:00Z',
      '2026-02-30T00:00:00Z',
      '2026-12-31T23:59:60Z',
      'tomorrow',
    ])('%s is no time for a show', async (startsAt) => {
      const call = jsonCall({ path: '/api/seller/events', token, body: { title: 'x', startsAt } });
      expect(refusalOf(await send(call))).toBe('400 VALIDATION_FAILED');
    });

    test('minus zero is zero', async () => {
      const body = '{"title":"x","prices":[{"grade":"R","priceKrw":-0}]}';
      const answer = await send(jsonCall({ path: '/api/seller/events', token, body }));
      expect(JSON.parse(answer.text).prices).toEqual([{ grade: 'R', priceKrw: 0 }]);
    });

    test.each([
      ['email', { email: 'a\u0000@x.test', password: 'long enough', name: 'A' }],
      ['email', { email: '\ud800@x.test', password: 'long enough', name: 'A' }],
      ['email', { email: 'a@x.test\r\nBcc: b@x.test', password: 'long enough', name: 'A' }],
      ['password', { email: 'a@x.test', password: 'long\u0000enough', name: 'A' }],
      ['name', { email: 'a@x.test', password: 'long enough', name: 'A\u0000' }],
      ['name', { email: 'a@x.test', password: 'long enough', name: 'A\u202eB' }],
    ])('a bad %s does not register', async (field, body) => {
      const answer = await send(jsonCall({ path: '/api/auth/register', body }));
      expect(refusalOf(answer)).toBe('400 VALIDATION_FAILED');
      expect(JSON.parse(answer.text).errors).toEqual([expect.objectContaining({ field: `body.${field}` })]);
    });

    test('NUL and half pairs in a sign-in are wrong, not broken', async () => {
      for (const password of ['\u0000', 'a\ud800']) {
        const answer = await send(jsonCall({ path: '/api/auth/login', body: { email: users.buyer.email, password } }));
        expect(refusalOf(answer)).toBe('401 INVALID_CREDENTIALS');
      }
    });

    test.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'text/plain; application/json',
      'nonsense',
    ])('%s is not JSON', async (type) => {
      expect(refusalOf(await artist({ name: 'a' }, { 'content-type': type }))).toBe('415 UNSUPPORTED_MEDIA_TYPE');
    });

    test('bytes that are no UTF-8 are stored by nobody', async () => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const bytes = Buffer.concat([
        Buffer.from('{"name":"'),
        Buffer.from([0xff, 0xfe, 0xed, 0xa0, 0x80]),
        Buffer.from('"}'),
      ]);
      const answer = await send({ method: 'POST', path: '/api/seller/artists', headers, body: bytes });
      expect(answer.status).toBeLessThan(500);
      if (answer.status === 201) expect(JSON.parse(answer.text).name).toMatch(/^\ufffd+$/);
    });

    test('too large is 413, with a length and in chunks', async () => {
      const large = JSON.stringify({ name: 'a', description: 'x'.repeat(70_000) });
      expect(refusalOf(await artist(large))).toBe('413 PAYLOAD_TOO_LARGE');
      const chunks = Array.from({ length: 7 }, (_, n) => Buffer.from(large.slice(n * 10_100, (n + 1) * 10_100)));
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const answer = await send({ method: 'POST', path: '/api/seller/artists', headers, body: chunks });
      expect(refusalOf(answer)).toBe('413 PAYLOAD_TOO_LARGE');
    });

    test('nobody may make the program read eight megabytes before saying who they are', async () => {
      const body = Buffer.alloc(2_000_000, '[');
      const headers = { 'content-type': 'application/json' };
      expect(refusalOf(await send({ method: 'POST', path: '/api/seller/layouts', headers, body }))).toBe(
        '401 UNAUTHENTICATED',
      );
    });

    const unknownFields = (count: number) => `{${Array.from({ length: count }, (_, n) => `"f${n}":0`).join()}}`;
    /** Naming each of a million bad items, or matching a pattern in every way it could match, would block everybody. */
    test.each<[string, string, string, string?]>([
      ['many zeros for sections', '/api/seller/layouts', `{"name":"x","sections":[${'0,'.repeat(900_000)}0]}`],
      ['thirty thousand zeros for prices', '/api/seller/events', `{"title":"x","prices":[${'0,'.repeat(30_000)}0]}`],
      ['a hundred unknown fields', '/api/seller/events', unknownFields(100)],
      ['half a million unknown fields', '/api/seller/layouts', unknownFields(500_000), '400 BODY_TOO_COMPLEX'],
      ['a long line that ends badly', '/api/seller/artists', JSON.stringify({ name: `${'a'.repeat(60_000)}\n` })],
      ['a long blank line', '/api/seller/artists', JSON.stringify({ name: `${' '.repeat(60_000)}\n` })],
      [
        'a long address that is none',
        '/api/auth/register',
        JSON.stringify({ email: `${'a.'.repeat(30_000)}@`, password: 'x', name: 'x' }),
      ],
    ])('%s is refused at once', async (_, path, body, refusal = '400 VALIDATION_FAILED') => {
      const before = process.cpuUsage();
      expect(refusalOf(await send(jsonCall({ path, token, body })))).toBe(refusal);
      const { user, system } = process.cpuUsage(before);
      // Of the processor, however busy the machine: done wrong they take seven seconds and more; done right, a fraction of one.
      expect((user + system) / 1e6).toBeLessThan(5);
    });
  });

  describe('HTTP itself', () => {
    const start = 'POST /api/auth/logout HTTP/1.1\r\nHost: urr\r\n';

    test.each([
      ['both lengths', `${start}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
      ['two lengths', `${start}Content-Length: 4\r\nContent-Length: 5\r\n\r\nnull`],
      ['a length with a sign', `${start}Content-Length: +4\r\n\r\nnull`],
      ['an encoding that is none', `${start}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
      ['a blank before the colon', `${start}Content-Length : 4\r\n\r\nnull`],
      ['a folded header', `${start}X-A: b\r\n c: d\r\n\r\n`],
      ['a bare line feed', 'GET /api/events HTTP/1.1\nHost: urr\n\n'],
      ['NUL in a header', 'GET /api/events HTTP/1.1\r\nHost: urr\r\nX-A: a\u0000b\r\n\r\n'],
      ['a chunk size that is none', `${start}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
      ['a read with a body', `GET /api/events HTTP/1.1\r\nHost: urr\r\nContent-Length: 4\r\n\r\nnull`],
      ['a read with a length and no body', 'GET /api/events HTTP/1.1\r\nHost: urr\r\nContent-Length: 44\r\n\r\n'],
      ['a read in chunks', 'GET /api/events HTTP/1.1\r\nHost: urr\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
      ['a length with a zero in front', `${start}Content-Length: 04\r\n\r\nnull`],
      ['packed chunks', `${start}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
      [
        'headers that only the connection may have',
        `${start}Connection: content-length\r\nContent-Length: 4\r\n\r\nnull`,
      ],
      ['an upgrade', `${start}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`],
      ['noise', '\u0016\u0003\u0001\u0002\u0000'],
    ])('%s is refused, and the connection ends there', async (_, bytes) => {
      const smuggled = `${bytes}GET /api/time HTTP/1.1\r\nHost: urr\r\n\r\n`;
      const answer = await sendBytes(url, smuggled);
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
      // What follows is never taken for another request.
      expect(answer.split('HTTP/1.1 ')).toHaveLength(2);
      expect(answer).toMatch(/"code":"[A-Z_]+"/);
    });

    test('a request without a host is refused', async () => {
      expect(await sendBytes(url, 'GET /api/events HTTP/1.1\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
    });

    test('a bomb of cookies is 431', async () => {
      const cookie = Array.from({ length: 2_000 }, (_, n) => `c${n}=${n}`).join('; ');
      expect(refusalOf(await send({ path: '/api/events', headers: { cookie } }))).toBe('431 HEADERS_TOO_LARGE');
    });

    test('odd cookies are read for what they are', async () => {
      for (const cookie of ['urr-access', '=', ';;;', 'urr-access=%', 'urr-access="', '__proto__=1', 'a=\u00ff']) {
        expect((await send({ path: '/api/events', headers: { cookie } })).status).toBe(200);
        expect(refusalOf(await send({ path: '/api/auth/me', headers: { cookie } }))).toBe('401 UNAUTHENTICATED');
      }
    });

    test('a request id is passed on only if it is harmless', async () => {
      const asked = await send({ path: '/api/events', headers: { 'x-request-id': 'order-12345678' } });
      expect(asked.headers['x-request-id']).toBe('order-12345678');
      for (const id of [
        'short',
        'x'.repeat(101),
        'a b c d e f g h',
        '<script>alert(1)</script>',
        '\u00e9'.repeat(10),
      ]) {
        const answer = await send({ path: '/api/events', headers: { 'x-request-id': id } });
        expect(answer.headers['x-request-id']).toMatch(/^[0-9a-z-]{36,60}$/);
      }
    });

    test('nothing that was sent comes back as a header', async () => {
      const answer = await send({
        path: '/api/auth/oidc/none%0d%0aset-cookie:a=b/start?returnTo=%0d%0aset-cookie:a=b',
      });
      expect(answer.status).toBe(400);
      expect(answer.headers['set-cookie']).toBeUndefined();
    });
  });

  test('afterwards honest people are served as before', async () => {
    expect((await send({ path: `/api/events/${eventId}` })).status).toBe(200);
    expect((await artist({ name: '정직한 가수' })).status).toBe(201);
    expect((await send({ path: '/ready' })).status).toBe(200);
  });
});

describe('who dawdles is hung up on', async () => {
  const ids = createIds({ clock: systemClock, random: systemRandom });
  const app = createHttpServer({ logger: silentLogger, ids, requestTimeoutMs: 1_000 });
  app.post('/anything', async () => 'all of it');
  const listening = await listen(app, { host: '127.0.0.1', port: 0, reusePort: false });
  atEnd(() => listening.close(1_000));

  test.concurrent.each([
    ['headers', 'POST /anything HTTP/1.1\r\nHost: urr\r\nX-A'],
    ['a body', 'POST /anything HTTP/1.1\r\nHost: urr\r\nContent-Length: 4\r\nContent-Type: application/json\r\n\r\nnu'],
    [
      'chunks',
      'POST /anything HTTP/1.1\r\nHost: urr\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\n2\r\nnu',
    ],
  ])('over %s', async (_, half) => {
    const answer = await sendBytes(`http://127.0.0.1:${listening.port}`, half);
    expect(answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"REQUEST_TIMEOUT"/);
  });
});
