import { connect } from 'node:net';
import { Type } from 'typebox';
import { afterAll, expect, test } from 'vitest';
import { aLog } from '#test/kit/log.ts';
import { systemClock } from '../clock.ts';
import { platformErrors } from '../errors.ts';
import { createIds } from '../ids.ts';
import { systemRandom } from '../random.ts';
import { policyOf } from './answer-policy.ts';
import { defineRoutes, PreparedJson } from './contract.ts';
import { listen } from './listen.ts';
import { registerRoutes } from './routes.ts';
import { createHttpServer } from './server.ts';

const strict = { additionalProperties: false };
const open = { access: 'public', rate: 'write', summary: 'For this test.' } as const;

const routes = defineRoutes({
  order: {
    ...open,
    operation: 'order',
    method: 'POST',
    path: '/orders',
    body: Type.Object({ item: Type.String({ maxLength: 10 }), count: Type.Integer({ minimum: 1 }) }, strict),
    responses: { 201: Type.Object({ item: Type.String() }) },
  },
  list: {
    ...open,
    operation: 'list',
    method: 'GET',
    path: '/orders',
    query: Type.Object({ limit: Type.Integer({ minimum: 1, maximum: 50, default: 20 }) }, strict),
    responses: { 200: Type.Object({ limit: Type.Integer() }) },
  },
  remove: { ...open, operation: 'remove', method: 'DELETE', path: '/orders', responses: { 204: Type.Null() } },
  prepared: { ...open, operation: 'prepared', method: 'GET', path: '/prepared', responses: { 200: Type.Object({}) } },
  preparedBytes: { ...open, operation: 'bytes', method: 'GET', path: '/bytes', responses: { 200: Type.Object({}) } },
  broken: { ...open, operation: 'broken', method: 'GET', path: '/broken', responses: { 200: Type.Object({}) } },
  away: { ...open, operation: 'away', method: 'GET', path: '/away', responses: { 200: Type.Object({}) } },
  mine: {
    ...open,
    operation: 'mine',
    access: 'user',
    method: 'GET',
    path: '/mine',
    responses: { 200: Type.Object({}) },
  },
  elsewhere: { ...open, operation: 'leaveFor', method: 'GET', path: '/elsewhere', responses: { 302: Type.Null() } },
  taken: { ...open, operation: 'taken', method: 'GET', path: '/taken', responses: { 200: Type.String() } },
  staff: {
    ...open,
    operation: 'staff',
    access: ['operator', 'admin'],
    method: 'GET',
    path: '/staff',
    responses: { 200: Type.Object({}) },
  },
});

const log = aLog();
const app = createHttpServer({
  logger: log.logger,
  ids: createIds({ clock: systemClock, random: systemRandom }),
  bodyLimitBytes: 1_024,
});
app.addHook('onRequest', (request, _reply, done) => {
  const role = request.headers['x-test-role'];
  if (role === 'buyer' || role === 'operator') request.user = { userId: 'u', email: 'e', role };
  done();
});
registerRoutes(app, routes, {
  order: async (request) => ({ item: request.body.item, secret: 'never sent' }),
  list: async (request) => ({ limit: request.query.limit }),
  remove: async () => null,
  prepared: () => new PreparedJson('{"ready":"준비"}', '"v1"'),
  preparedBytes: () => new PreparedJson(Buffer.from('{"ready":"준비"}'), '"v1"'),
  broken: async () => {
    throw new Error('the password of the database is hunter2');
  },
  away: async () => {
    throw platformErrors.fault('DATABASE_UNAVAILABLE');
  },
  mine: async () => ({}),
  staff: async () => ({}),
  elsewhere: async (_request, reply) => reply.redirect('/there', 302),
  taken: async (_request, reply) => {
    reply.hijack();
    reply.raw.end('mine');
    return reply;
  },
});
app.get('/page', { config: { policy: policyOf({ 'script-src': ["'self'"] }) } }, (request, reply) => {
  if ('broken' in (request.query as object)) throw new Error('no page');
  return reply.type('text/html').send('<!doctype html>');
});
const listening = await listen(app, { host: '127.0.0.1', port: 0, reusePort: false });
afterAll(() => listening.close(1_000));

const post = (payload: string, contentType = 'application/json') =>
  app.inject({ method: 'POST', url: '/orders', payload, headers: { 'content-type': contentType } });

test('a good body gets the status and only the fields of its contract', async () => {
  const response = await post('{"item":"seat","count":1}');
  expect(response.statusCode).toBe(201);
  expect(response.json()).toEqual({ item: 'seat' });
  expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}-[0-9]+$/);
});

test('a handler that has answered by itself is not answered for, and nothing is warned of', async () => {
  const before = log.lines().length;
  expect(await fetch(`http://127.0.0.1:${listening.port}/taken`).then((answer) => answer.text())).toBe('mine');
  expect((await app.inject('/elsewhere')).headers.location).toBe('/there');
  expect((await app.inject({ method: 'DELETE', url: '/orders' })).statusCode).toBe(204);
  expect(log.lines().slice(before)).toEqual([]);
});

test('a page is answered under the policy that it declares, and a refusal under the strict one', async () => {
  const strictest = "default-src 'none'; frame-ancestors 'none'";
  const policyAt = async (url: string, method: 'GET' | 'HEAD' = 'GET') =>
    (await app.inject({ method, url })).headers['content-security-policy'];
  for (const method of ['GET', 'HEAD'] as const) expect(await policyAt('/page', method)).toContain("script-src 'self'");
  expect(await policyAt('/page?broken')).toBe(strictest);
  expect(await policyAt('/orders')).toBe(strictest);
  expect(await policyAt('/nowhere')).toBe(strictest);
});

test('every bad field is named at once', async () => {
  const response = await post('{"item":12,"colour":"red"}');
  expect(response.statusCode).toBe(400);
  expect(response.headers['content-type']).toContain('application/problem+json');
  const problem = response.json();
  expect(problem).toMatchObject({ code: 'VALIDATION_FAILED', status: 400 });
  expect(problem.errors).toEqual(
    expect.arrayContaining([
      { field: 'body.count', message: 'is missing' },
      { field: 'body.colour', message: 'is not a known field' },
      { field: 'body.item', message: 'must be string' },
    ]),
  );
});

test('numbers in bodies are not guessed from text, those in queries are', async () => {
  expect((await post('{"item":"seat","count":"1"}')).statusCode).toBe(400);
  expect((await app.inject('/orders?limit=7')).json()).toEqual({ limit: 7 });
  expect((await app.inject('/orders?limit=x')).json()).toMatchObject({ code: 'VALIDATION_FAILED' });
  expect((await app.inject('/orders?limt=7')).statusCode).toBe(400);
});

test.each([
  ['broken JSON', '{"item":', 'application/json', 400, 'MALFORMED_BODY'],
  ['no JSON at all', '', 'application/json', 400, 'VALIDATION_FAILED'],
  [
    'a poisoned prototype',
    '{"__proto__":{"admin":true},"item":"a","count":1}',
    'application/json',
    400,
    'MALFORMED_BODY',
  ],
  // It never ends, so that it would be malformed if anybody had tried to parse it.
  ['too many levels', '['.repeat(33), 'application/json', 400, 'BODY_TOO_COMPLEX'],
  ['a form', 'item=seat', 'application/x-www-form-urlencoded', 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['XML', '<order/>', 'text/xml', 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['too much', `{"item":"${'x'.repeat(2_000)}","count":1}`, 'application/json', 413, 'PAYLOAD_TOO_LARGE'],
])('%s is refused clearly', async (_what, payload, contentType, status, code) => {
  const response = await post(payload, contentType);
  expect(response.statusCode).toBe(status);
  expect(response.json()).toMatchObject({ code });
});

test('an unknown address is a problem document too', async () => {
  const response = await app.inject('/nowhere');
  expect(response.statusCode).toBe(404);
  expect(response.json()).toMatchObject({ code: 'NOT_FOUND' });
});

test('an unexpected failure says nothing of its inside', async () => {
  const response = await app.inject('/broken');
  expect(response.statusCode).toBe(500);
  expect(response.body).not.toContain('hunter2');
  expect(response.json()).toMatchObject({ code: 'INTERNAL', requestId: response.headers['x-request-id'] });
});

test('an engine that is away is 503 with Retry-After, and never cached', async () => {
  const response = await app.inject('/away');
  expect(response.statusCode).toBe(503);
  expect(response.headers).toMatchObject({ 'retry-after': '2', 'cache-control': 'no-store' });
});

test('an outage that every request meets is no flood of the log, and a fault of ours is a line each', async () => {
  const own = aLog();
  const flooded = createHttpServer({
    logger: own.logger,
    ids: createIds({ clock: systemClock, random: systemRandom }),
  });
  flooded.get('/away', async () => {
    throw platformErrors.fault('DATABASE_UNAVAILABLE', { cause: new Error('no way there') });
  });
  flooded.get('/broken', async () => {
    throw new Error('a bug');
  });
  let begunAt = performance.now();
  const secondsMax = () => Math.ceil((performance.now() - begunAt) / 1_000) + 1;
  for (let n = 0; n < 300; n++) await flooded.inject('/away');
  const outages = own.lines().length;
  expect(outages).toBeGreaterThan(0);
  expect(outages).toBeLessThanOrEqual(secondsMax());
  expect(own.text()).toContain('no way there');
  begunAt = performance.now();
  for (let n = 0; n < 20; n++) await flooded.inject('/broken');
  expect(own.lines().length - outages).toBe(20);
  // With its stack once a second, and else in a few words.
  expect(own.text().split('"stack"').length - 1 - outages).toBeLessThanOrEqual(secondsMax());
  await flooded.close();
});

test.each(['/prepared', '/bytes'])(
  'prepared JSON at %s is sent as it is, and not at all when the caller has it',
  async (url) => {
    const response = await app.inject(url);
    expect(response.body).toBe('{"ready":"준비"}');
    expect(response.headers['content-length']).toBe(String(Buffer.byteLength(response.body)));
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    const again = await app.inject({ url, headers: { 'if-none-match': '"v1"' } });
    expect({ status: again.statusCode, body: again.body }).toEqual({ status: 304, body: '' });
  },
);

test('a route that takes no body does not mind an empty one that is called JSON', async () => {
  const headers = { 'content-type': 'application/json' };
  expect((await app.inject({ method: 'DELETE', url: '/orders', payload: '', headers })).statusCode).toBe(204);
});

test('request ids are unique and do not count', async () => {
  const ids = await Promise.all(
    Array.from({ length: 50 }, async () => (await app.inject('/prepared')).headers['x-request-id']),
  );
  expect(new Set(ids).size).toBe(50);
  const ends = ids.map((id) => Number.parseInt(String(id).split('-').at(-1) ?? '', 36));
  expect(ends.every((end, index) => index === 0 || end === (ends[index - 1] ?? 0) + 1)).toBe(false);
});

test('an answer without a body is 204', async () => {
  const response = await app.inject({ method: 'DELETE', url: '/orders' });
  expect({ status: response.statusCode, body: response.body }).toEqual({ status: 204, body: '' });
});

test('access is checked by the contract', async () => {
  const as = async (url: string, role?: string) =>
    (await app.inject({ url, headers: role ? { 'x-test-role': role } : {} })).statusCode;
  expect(await as('/mine')).toBe(401);
  expect(await as('/mine', 'buyer')).toBe(200);
  expect(await as('/staff')).toBe(401);
  expect(await as('/staff', 'buyer')).toBe(403);
  expect(await as('/staff', 'operator')).toBe(200);
});

test('a request id from outside is kept when it is harmless, else replaced', async () => {
  const given = async (id: string) =>
    (await app.inject({ url: '/prepared', headers: { 'x-request-id': id } })).headers['x-request-id'];
  expect(await given('trace-12345678')).toBe('trace-12345678');
  expect(await given('"><script>')).toMatch(/^[0-9a-f-]{36}-[0-9]+$/);
});

function raw(text: string, afterAnswer = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(listening.port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.on('data', (chunk) => {
      if (answer === '' && afterAnswer !== '') socket.write(afterAnswer);
      answer += chunk;
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

test('what is not HTTP gets a problem document and is hung up on', async () => {
  expect(await raw('NONSENSE\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 [\s\S]*"code":"MALFORMED_BODY"/);
});

test('oversized headers are 431', async () => {
  expect(await raw(`GET /prepared HTTP/1.1\r\nHost: x\r\nX-Long: ${'y'.repeat(20_000)}\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 431 [\s\S]*"code":"HEADERS_TOO_LARGE"/,
  );
});

test('a path with a broken escape is 400', async () => {
  expect(await raw('GET /orders/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toMatch(
    /^HTTP\/1\.1 400 [\s\S]*"code":"MALFORMED_PATH"/,
  );
});

test('a request that offers HTTP/2 is answered, and what follows on its connection is not run', async () => {
  const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n';
  const smuggled = 'GET /orders HTTP/1.1\r\nHost: x\r\n\r\n';
  // Node drops the rest of the packet, so that the body of the second request looks like a third.
  const second = `POST /orders HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${smuggled.length}\r\n\r\n`;
  const answers = await raw(`GET /prepared HTTP/1.1\r\nHost: x\r\n${offer}\r\n${second}`, smuggled);
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  expect(answers).toMatch(/^connection: close\r$/im);
  const body = '{"item":"seat","count":1}';
  const order = `POST /orders HTTP/1.1\r\nHost: x\r\n${offer}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  expect(await raw(order)).toMatch(/^HTTP\/1\.1 201 [\s\S]*"item":"seat"/);
});

test('what is not HTTP behind a good request in the same packet does not take its answer', async () => {
  const answers = await raw('GET /prepared HTTP/1.1\r\nHost: x\r\n\r\nNONSENSE\r\n\r\n');
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
});

test('a body that breaks after its request was answered gets no second answer', async () => {
  const answers = await raw('GET /prepared HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n', 'zz\r\n');
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toHaveLength(1);
});
