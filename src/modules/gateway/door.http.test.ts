import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { Type } from 'typebox';
import { afterEach, describe, expect, it } from 'vitest';
import { moduleDescriptions } from '#app/modules.ts';
import { openApiFacts } from '#app/routing.ts';
import { registerInternalCalls } from '#platform/http/internal-client.ts';
import { createInternalSignature } from '#platform/http/internal-signature.ts';
import { buildOpenApi } from '#platform/http/openapi.ts';
import type { ParameterObject } from '#platform/http/openapi-parts.ts';
import { defineInternalCalls } from '#platform/internal-call.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { aGateway, internalSecret, type TestGateway } from './test/a-gateway.ts';

let gateway: TestGateway | undefined;
afterEach(async () => {
  await gateway?.app.close();
  gateway = undefined;
});
async function open(...changes: Parameters<typeof aGateway>): Promise<TestGateway> {
  gateway = await aGateway(...changes);
  return gateway;
}

describe('paths', () => {
  it('that could be read in two ways are refused', async () => {
    const { app } = await open();
    const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
    const paths = [
      '/api/../open',
      '/api/%2e%2e/open',
      '/api%2fopen',
      '/api/%5copen',
      '/api/x%00',
      '/nowhere//at/all',
      '//api/open',
    ];
    for (const path of paths) {
      const { status, body } = await rawGet(port, path);
      expect([path, status, JSON.parse(body).code]).toEqual([path, 400, 'MALFORMED_PATH']);
    }
  });

  it('answer alike with and without the version', async () => {
    const { call } = await open();
    expect((await call({ url: '/api/v1/open' })).json()).toEqual((await call({ url: '/api/open' })).json());
  });
});

describe('answers', () => {
  it('are kept by nobody unless the handler says so, for they may be for one user', async () => {
    const { call, token } = await open();
    const mine = await call({ url: '/api/mine', headers: { authorization: `Bearer ${token('u1')}` } });
    expect([mine.statusCode, mine.headers['cache-control']]).toEqual([200, 'no-store']);
  });
});

describe('other origins', () => {
  const preflight = {
    method: 'OPTIONS',
    url: '/api/open',
    headers: { origin: 'https://app.test', 'access-control-request-method': 'POST' },
  } as const;

  it('are not invited by default', async () => {
    const { call } = await open();
    expect((await call(preflight)).headers['access-control-allow-origin']).toBeUndefined();
  });

  it('are let in when configured, and only those', async () => {
    const { call, token } = await open({ corsOrigins: ['https://app.test'] });
    const answer = await call(preflight);
    expect([answer.statusCode, answer.headers['access-control-allow-origin']]).toEqual([204, 'https://app.test']);
    const read = await call({ url: '/api/open', headers: { origin: 'https://app.test' } });
    expect(read.headers).toMatchObject({ 'access-control-allow-credentials': 'true', vary: 'Origin' });
    const other = await call({ url: '/api/open', headers: { origin: 'https://evil.test' } });
    expect(other.headers['access-control-allow-origin']).toBeUndefined();
    const change = await call({
      method: 'POST',
      url: '/api/change',
      headers: { origin: 'https://app.test', cookie: `urr-access=${token('ann')}` },
    });
    expect(change.statusCode).toBe(200);
  });

  it('may send every header that a contract reads', async () => {
    const { call } = await open({ corsOrigins: ['https://app.test'] });
    const allowed = String((await call(preflight)).headers['access-control-allow-headers']).split(', ');
    const { paths, components } = buildOpenApi({ ...openApiFacts, modules: moduleDescriptions });
    const read = Object.values(paths)
      .flatMap((item) => Object.values(item))
      .flatMap(({ parameters }) => parameters.filter((parameter) => parameter.in === 'header'))
      .concat(
        Object.values(components.securitySchemes as Record<string, ParameterObject>).filter(
          (one) => one.in === 'header',
        ),
      )
      .map(({ name }) => name);
    // The document says them all: those of the ticket, the entry token and the idempotency key are among them.
    expect(read).toEqual(
      expect.arrayContaining(['x-queue-ticket', 'x-queue-entry-token', 'idempotency-key', 'last-event-id']),
    );
    expect([...new Set(read)].filter((name) => !allowed.includes(name))).toEqual([]);
  });
});

describe('internal calls', () => {
  const calls = defineInternalCalls({
    double: {
      summary: 'Doubles.',
      input: Type.Object({ n: Type.Integer() }),
      output: Type.Integer(),
      idempotent: true,
    },
  });

  it('are not there for the outside, and are there for a signed peer', async () => {
    const { app, call, clock } = await open();
    const signature = createInternalSignature({ secrets: [internalSecret], clock, roles: ['math'] });
    registerInternalCalls(app, { module: 'math', calls, handlers: { double: async ({ n }) => 2 * n }, signature });
    const path = '/internal/math/double';
    const request = { method: 'POST', url: path, payload: { n: 4 } } as const;
    expect((await call(request)).statusCode).toBe(404);
    expect((await call({ ...request, headers: { 'x-internal-signature': `${clock.now()}.AAAA` } })).statusCode).toBe(
      404,
    );
    const sign = () =>
      signature.sign({
        role: 'math',
        method: 'POST',
        path,
        body: JSON.stringify(request.payload),
        user: null,
        slots: [],
      });
    expect((await call({ ...request, headers: sign() })).json()).toEqual({ output: 8 });
    expect((await call({ ...request, url: '/%69nternal/math/double', headers: sign() })).statusCode).toBe(404);
    const headers = sign();
    clock.ms += 16_000;
    expect((await call({ ...request, headers })).statusCode).toBe(404);
  });
});

describe('pages', () => {
  const html = { accept: 'text/html,*/*' };

  async function aBuild(): Promise<string> {
    const folder = await aFolder('pages');
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'index.html'), '<!doctype html><title>urr</title>');
    writeFileSync(join(folder, 'assets', 'index-4f2a.js'), 'export {};');
    return folder;
  }

  it('are served with their assets, and any page address is the application', async () => {
    const { call } = await open({ pagesFolder: await aBuild() });
    for (const url of ['/', '/events/018f', '/queue/018f?x=1']) {
      const page = await call({ url, headers: html });
      expect([url, page.statusCode, page.headers['cache-control']]).toEqual([url, 200, 'no-cache']);
      expect(page.body).toContain('<title>urr</title>');
      expect(page.headers['content-security-policy']).toContain("script-src 'self'");
    }
    const asset = await call({ url: '/assets/index-4f2a.js' });
    expect([asset.statusCode, asset.headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
    expect((await call({ method: 'HEAD', url: '/', headers: html })).statusCode).toBe(200);
  });

  it('are sent compressed to those who take it, by one address', async () => {
    const folder = await aBuild();
    for (const [name, text] of [
      ['index.html.br', 'a page in brotli'],
      ['assets/index-4f2a.js.br', 'a script in brotli'],
      ['assets/index-4f2a.js.gz', 'a script in gzip'],
    ] as const)
      writeFileSync(join(folder, name), text);
    const { call } = await open({ pagesFolder: folder });
    const sent = async (url: string, encoding: string) => {
      const { headers, body } = await call({ url, headers: { ...html, 'accept-encoding': encoding } });
      return { encoding: headers['content-encoding'], body, vary: headers.vary, type: headers['content-type'] };
    };
    const script = { vary: 'accept-encoding', type: 'application/javascript; charset=utf-8' };
    const url = '/assets/index-4f2a.js';
    expect(await sent(url, 'gzip, deflate, br, zstd')).toEqual({
      encoding: 'br',
      body: 'a script in brotli',
      ...script,
    });
    expect(await sent(url, 'gzip')).toEqual({ encoding: 'gzip', body: 'a script in gzip', ...script });
    expect(await sent(url, 'br;q=0, gzip')).toMatchObject({ encoding: 'gzip' });
    expect(await sent(url, 'identity')).toMatchObject({ encoding: undefined, body: 'export {};', type: script.type });
    expect(await sent('/events/018f', 'gzip, br')).toMatchObject({
      encoding: 'br',
      body: 'a page in brotli',
      vary: 'accept-encoding',
    });
    // What they are made from is their only address.
    expect((await call({ url: `${url}.br` })).statusCode).toBe(404);
    const policy = (await call({ url: '/', headers: { ...html, 'accept-encoding': 'br' } })).headers;
    expect(policy['content-security-policy']).toContain("script-src 'self'");
    expect(policy['content-type']).toContain('text/html');
  });

  it('may declare what they load in addition, and no other page gets it', async () => {
    const loads = { 'script-src': ['https://pay.example'], 'frame-src': ['https://pay.example'] };
    const { call } = await open({ pagesFolder: await aBuild(), pages: [{ path: '/pay/:orderId', loads }] });
    const policyOf = async (url: string, method: 'GET' | 'HEAD' = 'GET') =>
      (await call({ method, url, headers: html })).headers['content-security-policy'];
    const usual = String(await policyOf('/events/018f'));
    expect(usual).toContain("script-src 'self';");
    expect(usual).not.toContain('pay.example');
    const own = usual.replace("script-src 'self'", "script-src 'self' https://pay.example");
    for (const method of ['GET', 'HEAD'] as const)
      expect(await policyOf('/pay/o1?x=1', method)).toBe(`${own}; frame-src https://pay.example`);
    for (const url of ['/', '/pay', '/pay/o1/more']) expect(await policyOf(url)).toBe(usual);
    // Not a page: a refusal is strict wherever it comes from.
    const refused = await call({ url: '/pay/o1', headers: { accept: 'application/json' } });
    expect([refused.statusCode, refused.headers['content-security-policy']]).toEqual([
      404,
      "default-src 'none'; frame-ancestors 'none'",
    ]);
  });

  it('are not what an unknown API address answers', async () => {
    const { call } = await open({ pagesFolder: await aBuild() });
    for (const url of ['/api/nowhere', '/api', '/internal/x', '/assets/old-1.js', '/docs/nowhere']) {
      const answer = await call({ url, headers: html });
      expect([url, answer.statusCode, answer.json().code]).toEqual([url, 404, 'NOT_FOUND']);
    }
    expect((await call({ url: '/data.json', headers: { accept: 'application/json' } })).statusCode).toBe(404);
    expect((await call({ method: 'POST', url: '/events' })).statusCode).toBe(404);
  });

  it('say so when they are not built', async () => {
    const { call } = await open({ pagesFolder: await aFolder('no-pages') });
    const answer = await call({ url: '/', headers: html });
    expect([answer.statusCode, answer.body]).toEqual([503, expect.stringContaining('npm start')]);
  });
});

/** `inject` and `fetch` tidy a path up before they send it. */
function rawGet(port: number, path: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    })
      .on('error', reject)
      .end();
  });
}
