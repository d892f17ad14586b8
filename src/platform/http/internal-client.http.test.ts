import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Type } from 'typebox';
import { afterEach, describe, expect, it } from 'vitest';
import { defineErrors } from '../errors.ts';
import { createIds } from '../ids.ts';
import { defineInternalCalls, type InternalHandlers } from '../internal-call.ts';
import { systemRandom } from '../random.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { createInternalClient, httpTransport, inProcessTransport, registerInternalCalls } from './internal-client.ts';
import { createInternalSignature } from './internal-signature.ts';
import { createHttpServer } from './server.ts';

const clock = { ms: 1_800_000_000_000, now: () => clock.ms, monotonicMs: () => clock.ms };
const secrets = ['internal-secret-0123456789-0123456789-a'];
const signature = createInternalSignature({ secrets, clock, roles: ['seats'] });
const errors = defineErrors({
  NO_SEAT: { status: 409, title: 'No seat left', help: 'Choose another.', retryAfterSeconds: 7 },
});
const input = Type.Object({ n: Type.Integer() }, { additionalProperties: false });
const calls = defineInternalCalls({
  double: { summary: 'Doubles.', input, output: Type.Integer(), idempotent: true },
  find: { summary: 'May find nothing.', input, output: Type.Union([Type.String(), Type.Null()]), idempotent: true },
  take: { summary: 'Takes a seat.', input, output: Type.Void(), idempotent: false },
  hang: { summary: 'Never answers.', input, output: Type.Void(), idempotent: true },
});
const handlers: InternalHandlers<typeof calls> = {
  double: async ({ n }) => 2 * n,
  find: async ({ n }) => (n === 0 ? null : String(n)),
  take: async ({ n }) => {
    if (n === 0) throw errors.fault('NO_SEAT', { detail: 'Row 1 is gone.', extensions: { row: 1 } });
  },
  hang: () => new Promise(() => {}),
};

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function overHttp(options: { url?: string; timeoutMs?: number } = {}) {
  const url = options.url ?? (await aServer());
  const transport = httpTransport({ module: 'seats', url, signature, clock, timeoutMs: options.timeoutMs ?? 5_000 });
  return createInternalClient(calls, transport);
}

async function aServer(): Promise<string> {
  const app = createHttpServer({ logger: silentLogger, ids: createIds({ clock, random: systemRandom }) });
  registerInternalCalls(app, { module: 'seats', calls, handlers, signature });
  closing.push(() => {
    app.server.closeAllConnections();
    return app.close();
  });
  return app.listen({ host: '127.0.0.1', port: 0 });
}

/** Hangs up on the first `times` connections, then answers `{"output":42}`. */
async function aFlakyServer(times: number) {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    const hangUp = connections <= times;
    socket.on('error', () => {});
    socket.once('data', () => {
      if (hangUp) socket.destroy();
      else socket.end('HTTP/1.1 200 OK\r\nContent-Length: 13\r\nConnection: close\r\n\r\n{"output":42}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, connections: () => connections };
}

describe.each([
  ['in this process', async () => createInternalClient(calls, inProcessTransport(handlers))],
  ['over HTTP', () => overHttp()],
])('an internal call %s', (_where, connect) => {
  it('answers what the handler answers', async () => {
    const client = await connect();
    expect(await client.double({ n: 21 })).toBe(42);
    expect(await client.find({ n: 0 })).toBeNull();
    expect(await client.take({ n: 1 })).toBeUndefined();
  });

  it('throws the fault that the handler throws', async () => {
    const client = await connect();
    await expect(client.take({ n: 0 })).rejects.toMatchObject({
      code: 'NO_SEAT',
      definition: { status: 409, title: 'No seat left' },
      detail: 'Row 1 is gone.',
      extensions: { row: 1 },
      retryAfterSeconds: 7,
    });
  });
});

describe('an internal call that was overheard', () => {
  const path = '/internal/seats/double';
  const body = '{"n":21}';
  const facts = { role: 'seats', method: 'POST', path, body, user: null, slots: [] } as const;
  async function aCaller() {
    const url = await aServer();
    return async (sent: string, headers: Record<string, string>, type = 'application/json') => {
      const answer = await fetch(url + path, {
        method: 'POST',
        headers: { ...(type !== '' && { 'content-type': type }), ...headers },
        ...(sent !== '' && { body: sent }),
      });
      return answer.status;
    };
  }

  it('is not taken a second time', async () => {
    const call = await aCaller();
    const headers = signature.sign(facts);
    expect(await call(body, headers)).toBe(200);
    expect(await call(body, headers)).toBe(404);
  });

  it('is not taken with another body, another kind of body, or none', async () => {
    const call = await aCaller();
    expect(await call('{"n":22}', signature.sign(facts))).toBe(401);
    expect(await call('', signature.sign(facts))).toBe(401);
    expect(await call('', signature.sign(facts), '')).toBe(404);
    expect(await call(body, signature.sign(facts), 'text/plain')).toBe(415);
    expect(await call(body, signature.sign({ ...facts, body: null }))).toBe(401);
  });

  it('is not taken by another role', async () => {
    const call = await aCaller();
    expect(await call(body, signature.sign({ ...facts, role: 'catalog' }))).toBe(404);
  });
});

describe('an internal call over HTTP', () => {
  it('is validated where it arrives', async () => {
    const client = await overHttp();
    await expect(client.double({ n: 'x' } as never)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  it('ends within its limit', async () => {
    const client = await overHttp({ timeoutMs: 150 });
    await expect(client.hang({ n: 1 })).rejects.toMatchObject({ code: 'ROLE_UNAVAILABLE' });
  });

  it('is sent again when the connection broke, if it is idempotent', async () => {
    const flaky = await aFlakyServer(1);
    expect(await (await overHttp({ url: flaky.url })).double({ n: 1 })).toBe(42);
    const other = await aFlakyServer(1);
    await expect((await overHttp({ url: other.url })).take({ n: 1 })).rejects.toMatchObject({
      code: 'ROLE_UNAVAILABLE',
    });
    expect(other.connections()).toBe(1);
  });

  it('is not even tried for a while after several failures', async () => {
    const flaky = await aFlakyServer(5);
    const client = await overHttp({ url: flaky.url });
    for (let i = 0; i < 6; i++) await expect(client.take({ n: 1 })).rejects.toMatchObject({ code: 'ROLE_UNAVAILABLE' });
    expect(flaky.connections()).toBe(5);
    clock.ms += 1_000;
    expect(await client.double({ n: 1 })).toBe(42);
  });
});
