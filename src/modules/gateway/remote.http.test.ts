import { once } from 'node:events';
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { eventually } from '#test/kit/faults.ts';
import { aLog } from '#test/kit/log.ts';
import { openBytes } from '#test/kit/raw-http.ts';
import type { ProtectedCalls } from './contract.ts';
import { aGatewayTo, aRole, closing, megabyte } from './test/a-role.ts';

/** To the first byte of a stream. */
const streamTimeoutMs = 5_000;

/** A server that does as told with each connection it gets, in order. The last behaviour repeats. */
async function aRudeServer(
  ...behaviours: ('hang up' | 'say nothing' | 'half an answer' | 'status 999' | 'large head' | 'answer')[]
) {
  let connections = 0;
  let closed = 0;
  const halfway: Socket[] = [];
  const server: Server = createServer((socket) => {
    socket.on('close', () => {
      closed += 1;
    });
    const behaviour = behaviours[Math.min(connections++, behaviours.length - 1)];
    socket.on('error', () => {});
    socket.once('data', () => {
      if (behaviour === 'hang up') socket.destroy();
      if (behaviour === 'answer') socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}');
      if (behaviour === 'status 999') socket.write('HTTP/1.1 999 Odd\r\nContent-Length: 100\r\n\r\nhalf');
      if (behaviour === 'large head')
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`);
      if (behaviour === 'half an answer') {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf');
        halfway.push(socket);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    closed: () => closed,
    /** Hangs up on anyone who has half an answer. */
    die: () => halfway.forEach((socket) => void socket.destroy()),
  };
}

describe('a role that runs elsewhere', () => {
  it('learns who is calling and what they may enter, from the gateway alone', async () => {
    const role = await aRole();
    const gateway = await aGatewayTo(role.url);
    const authorization = `Bearer ${gateway.token('ann')}`;
    const entry = gateway.entryTokens.sign({ sub: 'e1', uid: 'ann', jti: 'j' }).token;
    const seats = await gateway.call({
      url: '/api/seats/e1',
      headers: { authorization, 'x-queue-entry-token': entry },
    });
    expect(seats.json()).toEqual({ userId: 'ann', entry: { eventId: 'e1', slotId: 'j' } });
    const hold = await gateway.call({
      method: 'POST',
      url: '/api/holds',
      payload: { eventId: 'e2' },
      headers: { authorization, 'x-queue-entry-token': entry },
    });
    expect(hold.json()).toMatchObject({ code: 'ENTRY_TOKEN_REQUIRED', redirectTo: '/queue/e2' });
    const spoofed = { 'x-user-id': 'eve', 'x-user-email': 'e', 'x-user-role': 'admin', 'x-entry-slots': 'e1=j' };
    expect((await gateway.call({ url: '/api/open', headers: spoofed })).json()).toEqual({ userId: null });
    expect((await role.app.inject({ url: '/api/open', headers: spoofed })).json()).toEqual({ userId: null });
    expect((await role.app.inject({ url: '/api/mine', headers: { authorization } })).statusCode).toBe(401);
  });

  it('leaves a slot unclaimed that is of another event than the body’s', async () => {
    const entered: string[] = [];
    const protectedCalls: ProtectedCalls = {
      entered: ({ slotId }) => void entered.push(slotId),
      answered: () => undefined,
    };
    const gateway = await aGatewayTo((await aRole()).url, { protectedCalls });
    const cookieOf = (eventId: string) =>
      `urr-entry-token-${eventId}=${gateway.entryTokens.sign({ sub: eventId, uid: 'ann', jti: `slot-${eventId}` }).token}`;
    const hold = async (cookie: string, payload: string) => {
      const headers = { authorization: `Bearer ${gateway.token('ann')}`, cookie, 'content-type': 'application/json' };
      return (await gateway.call({ method: 'POST', url: '/api/holds', payload, headers })).statusCode;
    };
    const both = `${cookieOf('e1')}; ${cookieOf('e2')}`;
    expect(await hold(both, '{"eventId":"e2"}')).toBe(200);
    expect(entered).toEqual(['slot-e2']);
    // What the role will refuse claims nothing here either.
    expect(await hold(both, '{"eventId":"e3"}')).toBe(403);
    for (const body of ['{"eventId":', '[]', 'null', '{"eventId":1}', '"e1"']) expect(await hold(both, body)).toBe(400);
    expect(await hold(cookieOf('e1'), '{"eventId":"e3"}')).toBe(403);
    expect(entered).toEqual(['slot-e2']);
  });

  it('gets the path without the version, the query, and the address of the caller', async () => {
    const gateway = await aGatewayTo((await aRole()).url);
    const answer = await fetch(`${gateway.url}/api/v1/headers?q=%EA%B3%B5`, {
      headers: { 'x-forwarded-for': '6.6.6.6', 'x-request-id': 'req-12345678', connection: 'keep-alive' },
    });
    const { ip, headers } = (await answer.json()) as { ip: string; headers: Record<string, string> };
    expect(ip).toBe('127.0.0.1');
    expect(headers).toMatchObject({ 'x-forwarded-for': '127.0.0.1', 'x-request-id': 'req-12345678' });
    expect(headers['x-internal-signature']).toBeUndefined();
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(answer.headers.get('x-of-the-role')).toBe('yes');
    expect(answer.headers.get('ratelimit-limit')).toBe('600');
  });

  it('takes the caller for who the gateway saw, and nobody else for another', async () => {
    const role = await aRole();
    const gateway = await aGatewayTo(role.url, { trustedProxies: ['127.0.0.1'] });
    const claimed = { 'x-forwarded-for': '198.51.100.7', 'x-client-address': '6.6.6.6' };
    expect((await gateway.call({ url: '/api/headers', headers: claimed })).json()).toMatchObject({
      ip: '198.51.100.7',
    });
    expect((await role.app.inject({ url: '/api/headers', headers: claimed })).json()).toMatchObject({
      ip: '127.0.0.1',
    });
  });

  it('validates the bodies that were streamed to it', async () => {
    const gateway = await aGatewayTo((await aRole()).url);
    const send = (body: string | ReadableStream, type = 'application/json') =>
      fetch(`${gateway.url}/api/echo`, {
        method: 'POST',
        body,
        duplex: 'half',
        headers: { 'content-type': type },
      } as RequestInit);
    const text = 'x'.repeat(2 * megabyte);
    expect(await (await send(JSON.stringify({ text }))).json()).toEqual({ length: text.length });
    const chunked = Readable.toWeb(Readable.from([Buffer.from('{"text":'), Buffer.from('"abc"}')])) as ReadableStream;
    expect(await (await send(chunked)).json()).toEqual({ length: 3 });
    expect(await (await send('{"text":1,"more":2}')).json()).toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(await (await send('{"text"')).json()).toMatchObject({ code: 'MALFORMED_BODY' });
    expect((await send('<a/>', 'text/xml')).status).toBe(415);
  });

  it('is spared a body beyond the limit', async () => {
    const gateway = await aGatewayTo((await aRole()).url);
    const answer = await gateway.call({
      method: 'POST',
      url: '/api/echo',
      payload: { text: 'x'.repeat(5 * megabyte) },
    });
    expect([answer.statusCode, answer.json().code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it('may answer much', async () => {
    const gateway = await aGatewayTo((await aRole()).url);
    const bytes = await (await fetch(`${gateway.url}/api/large`)).arrayBuffer();
    expect(bytes.byteLength).toBe(8 * megabyte);
  });

  it('may stream events, which arrive as they happen', async () => {
    const role = await aRole();
    const gateway = await aGatewayTo(role.url, { timeoutMs: streamTimeoutMs });
    role.stream.write('data: 1\n\n');
    const answer = await open(`${gateway.url}/api/stream`);
    expect(answer.headers['content-type']).toBe('text/event-stream');
    expect(String((await once(answer, 'data'))[0])).toBe('data: 1\n\n');
    // Longer than the limit for the first byte: an open stream is not cut.
    await new Promise((done) => setTimeout(done, streamTimeoutMs + 500));
    role.stream.write('data: 2\n\n');
    expect(String((await once(answer, 'data'))[0])).toBe('data: 2\n\n');
    answer.destroy();
    await eventually(() => role.stream.destroyed, { withinMs: 20_000, what: 'the role to learn that nobody listens' });
  });

  it('is reached over connections that are kept', async () => {
    const role = await aRole();
    let connections = 0;
    role.app.server.on('connection', () => {
      connections += 1;
    });
    const gateway = await aGatewayTo(role.url);
    for (let i = 0; i < 10; i++) expect((await fetch(`${gateway.url}/api/open`)).status).toBe(200);
    expect(connections).toBe(1);
  });

  it('answers others however many streams are open, and learns when these have no reader', async () => {
    const role = await aRole();
    const gateway = await aGatewayTo(role.url);
    const streams: IncomingMessage[] = [];
    closing.push(() => {
      for (const stream of streams) stream.destroy();
    });
    while (streams.length < 300) streams.push(await open(`${gateway.url}/api/endless`));
    expect((await fetch(`${gateway.url}/api/headers`)).status).toBe(200);
    for (const stream of streams) stream.destroy();
    const connections = () => new Promise<number>((tell) => role.app.server.getConnections((_, count) => tell(count)));
    await eventually(async () => (await connections()) <= 1, { withinMs: 20_000, what: 'the end of the streams' });
  });

  it('gets headers as they were sent, in any letters, and so does the caller', async () => {
    const role = await aRole();
    const gateway = await aGatewayTo(role.url);
    const direct = await open(`${role.url}/api/headers`);
    const answer = await open(`${gateway.url}/api/headers`, { 'x-name': '\u00e9\u00ff', connection: 'close' });
    const { headers } = JSON.parse(await textOf(answer)) as { headers: Record<string, string> };
    expect([headers['x-name'], headers.connection]).toEqual(['\u00e9\u00ff', 'keep-alive']);
    for (const name of ['x-letters', 'vary', 'set-cookie']) {
      expect(answer.headersDistinct[name]).toEqual(direct.headersDistinct[name]);
    }
    expect(answer.headersDistinct.vary).toEqual(['a', 'b']);
  });

  it('may be at an address of IPv6', async () => {
    const role = await aRole({ host: '::1' });
    expect(role.url).toContain('[::1]');
    const gateway = await aGatewayTo(role.url);
    expect((await gateway.call({ url: '/api/open' })).statusCode).toBe(200);
  });

  it('is asked on new connections when it was started again', async () => {
    const first = await aRole();
    const { port } = new URL(first.url);
    const gateway = await aGatewayTo(first.url);
    const change = async () => (await gateway.call({ method: 'POST', url: '/api/change' })).statusCode;
    expect(await change()).toBe(200);
    await first.app.close();
    await aRole({ port: Number(port) });
    // Unless the gateway has noticed already, a read does, and is asked once more.
    expect((await gateway.call({ url: '/api/open' })).statusCode).toBe(200);
    expect(await change()).toBe(200);
  });

  it('answers HEAD without a body', async () => {
    const gateway = await aGatewayTo((await aRole()).url);
    const answer = await fetch(`${gateway.url}/api/large`, { method: 'HEAD' });
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, String(8 * megabyte)]);
  });
});

describe('a role that is away', () => {
  it('is a 503 with Retry-After when nothing listens there', async () => {
    const role = await aRole();
    await role.app.close();
    const gateway = await aGatewayTo(role.url);
    const answer = await gateway.call({ url: '/api/open' });
    expect([answer.statusCode, answer.json().code]).toEqual([503, 'ROLE_UNAVAILABLE']);
    expect(answer.headers['retry-after']).toBe('2');
  });

  it('is a 503 when it does not answer within the limit', async () => {
    const gateway = await aGatewayTo((await aRole()).url, { timeoutMs: 200 });
    expect((await gateway.call({ url: '/api/slow' })).statusCode).toBe(503);
  });

  it('is asked once more for a read, and not for a change', async () => {
    const flaky = await aRudeServer('hang up', 'answer');
    expect((await (await aGatewayTo(flaky.url)).call({ url: '/api/open' })).statusCode).toBe(200);
    expect(flaky.connections()).toBe(2);
    const other = await aRudeServer('hang up', 'answer');
    expect((await (await aGatewayTo(other.url)).call({ method: 'POST', url: '/api/change' })).statusCode).toBe(503);
    expect(other.connections()).toBe(1);
  });

  it('is not asked again for being slow', async () => {
    const silent = await aRudeServer('say nothing');
    expect((await (await aGatewayTo(silent.url, { timeoutMs: 1_000 })).call({ url: '/api/open' })).statusCode).toBe(
      503,
    );
    expect(silent.connections()).toBe(1);
  });

  it('is not blamed for callers who go away', async () => {
    const role = await aRole();
    const gateway = await aGatewayTo(role.url);
    let arrived = 0;
    role.app.server.on('request', () => {
      arrived += 1;
    });
    // More than open the circuit.
    for (let n = 1; n <= 8; n++) {
      const caller = openBytes(gateway.url, 'GET /api/slow HTTP/1.1\r\nHost: x\r\n\r\n');
      await eventually(() => arrived === n, { withinMs: 20_000, what: 'the call to be at the role' });
      caller.destroy();
    }
    const connections = () => new Promise<number>((tell) => role.app.server.getConnections((_, count) => tell(count)));
    // Nobody works for them any more, and nobody gets a connection on which an answer is owed to somebody else.
    await eventually(async () => (await connections()) === 0, { withinMs: 20_000, what: 'the end of the calls' });
    expect((await gateway.call({ url: '/api/open' })).statusCode).toBe(200);
  });

  it('breaks the answer off when it dies in the middle, so that nobody takes half for whole', async () => {
    const dying = await aRudeServer('half an answer');
    const gateway = await aGatewayTo(dying.url);
    const answer = await fetch(`${gateway.url}/api/open`);
    expect(answer.status).toBe(200);
    dying.die();
    await expect(answer.text()).rejects.toThrow();
  });

  it('hears nothing of calls that are read after their caller was gone, and neither does the log', async () => {
    const role = await aRole();
    let arrived = 0;
    role.app.server.on('request', () => {
      arrived += 1;
    });
    const log = aLog();
    const gateway = await aGatewayTo(role.url, { logger: log.logger });
    let read = 0;
    gateway.app.server.prependListener('request', (incoming: IncomingMessage) => {
      if (incoming.url !== '/api/open') return;
      read += 1;
      incoming.socket.destroy();
    });
    const caller = openBytes(gateway.url, 'GET /api/open HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
    await caller.closed;
    expect(read).toBe(3);
    expect((await fetch(`${gateway.url}/api/headers`)).status).toBe(200);
    expect([arrived, log.lines()]).toEqual([1, []]);
  });

  it('is not blamed when its connections are all taken', async () => {
    const dying = await aRudeServer('half an answer', 'half an answer', 'answer');
    const remoteLimits = { connectionsMax: 2, promptMs: 600_000 };
    const gateway = await aGatewayTo(dying.url, { remoteLimits, timeoutMs: 3_000 });
    for (let n = 0; n < 2; n++) expect((await fetch(`${gateway.url}/api/open`)).status).toBe(200);
    // More than open the circuit.
    const others = await Promise.all(Array.from({ length: 8 }, () => gateway.call({ url: '/api/open' })));
    expect(others.map((answer) => answer.json().detail)).toEqual(
      Array(8).fill('Too many calls wait for the role shop.'),
    );
    dying.die();
    expect((await gateway.call({ url: '/api/open' })).statusCode).toBe(200);
  });

  it('is a 503 when its answer cannot be passed on, which counts, and ends the connection', async () => {
    const odd = await aRudeServer('status 999');
    const gateway = await aGatewayTo(odd.url);
    const change = () => gateway.call({ method: 'POST', url: '/api/change' });
    for (let n = 1; n <= 5; n++) {
      expect((await change()).json().code).toBe('ROLE_UNAVAILABLE');
      await eventually(() => odd.closed() === n, { withinMs: 20_000, what: 'the end of the connection' });
    }
    expect((await change()).statusCode).toBe(503);
    expect(odd.connections()).toBe(5);
  });

  it('is not blamed for an answer that is too large for its head', async () => {
    const large = await aRudeServer(...Array<'large head'>(8).fill('large head'), 'answer');
    const gateway = await aGatewayTo(large.url);
    for (let n = 1; n <= 8; n++) {
      expect((await gateway.call({ url: '/api/open' })).statusCode).toBe(503);
      expect(large.connections()).toBe(n);
    }
    expect((await gateway.call({ url: '/api/open' })).statusCode).toBe(200);
  });

  it('is said to be away once, not at every call', async () => {
    const role = await aRole();
    await role.app.close();
    const log = aLog();
    const gateway = await aGatewayTo(role.url, { logger: log.logger });
    for (let n = 0; n < 20; n++)
      expect((await gateway.call({ method: 'POST', url: '/api/change' })).statusCode).toBe(503);
    const [first, ...others] = log.lines();
    expect(first).toBe('request failed');
    expect(others.filter((line) => line === 'circuit to a remote role')).toHaveLength(1);
    // Those that the open circuit refused are not logged, and of the five others at most one a second.
    expect(others.length).toBeLessThanOrEqual(5);
  });

  it('is left alone after some failures, and asked again after a while', async () => {
    const rude = await aRudeServer(...Array<'hang up'>(5).fill('hang up'), 'answer');
    const gateway = await aGatewayTo(rude.url);
    const change = async () => (await gateway.call({ method: 'POST', url: '/api/change' })).statusCode;
    for (let i = 0; i < 5; i++) expect(await change()).toBe(503);
    expect(await change()).toBe(503);
    expect(rude.connections()).toBe(5);
    gateway.clock.ms += 2_000;
    expect(await change()).toBe(200);
    expect(await change()).toBe(200);
  });
});

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function open(url: string, headers: OutgoingHttpHeaders = {}): Promise<IncomingMessage> {
  const outgoing = request(url, { headers }).end();
  outgoing.on('error', () => {});
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  answer.on('error', () => {});
  return answer;
}
