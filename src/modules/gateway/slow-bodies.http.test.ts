import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { eventually } from '#test/kit/faults.ts';
import { type OpenBytes, openBytes } from '#test/kit/raw-http.ts';
import { aGatewayTo, aRole, closing, megabyte } from './test/a-role.ts';

/** More than the gateway has connections to a role. */
const slowCallers = 300;
const body = '{"text":"abc"}';
const head = (path: string, headers = '') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${headers}\r\n`;
const firstLine = (caller: OpenBytes) => caller.received().split('\r\n', 1)[0];

function open(url: string, bytes: string): OpenBytes {
  const caller = openBytes(url, bytes);
  closing.push(() => caller.destroy());
  return caller;
}

describe('callers who send slowly', () => {
  it('hold no connection to the role, and are answered once all is there', async () => {
    const role = await aRole();
    // All of them are there at once: how fast this machine is does not matter here.
    const gateway = await aGatewayTo(role.url, { timeoutMs: 60_000, requestTimeoutMs: 60_000 });
    let arrived = 0;
    gateway.app.server.on('request', () => {
      arrived += 1;
    });
    const slow = Array.from({ length: slowCallers }, () => open(gateway.url, head('/api/echo') + body.slice(0, 5)));
    await eventually(() => arrived === slowCallers, { withinMs: 60_000, what: 'every slow caller at the gateway' });
    const connections = () => new Promise<number>((tell) => role.app.server.getConnections((_, count) => tell(count)));
    expect(await connections()).toBe(0);
    expect((await fetch(`${gateway.url}/api/open`)).status).toBe(200);
    expect(await connections()).toBe(1);
    for (const caller of slow) caller.write(body.slice(5));
    await Promise.all(slow.map(({ answered }) => answered));
    expect(new Set(slow.map(firstLine))).toEqual(new Set(['HTTP/1.1 200 OK']));
  });

  it('are hung up on after a while, which says nothing about the role', async () => {
    const gateway = await aGatewayTo((await aRole()).url, { requestTimeoutMs: 1_000 });
    // More than open the circuit.
    const slow = Array.from({ length: 8 }, () => open(gateway.url, head('/api/echo') + body.slice(0, 5)));
    await Promise.all(slow.map(({ closed }) => closed));
    for (const caller of slow) expect(caller.received()).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"REQUEST_TIMEOUT"/);
    expect((await gateway.call({ url: '/api/open' })).statusCode).toBe(200);
  });

  it('are not counted as a slow origin', async () => {
    const told: number[] = [];
    const protectedCalls = { entered: () => undefined, answered: ({ ms }: { ms: number }) => void told.push(ms) };
    const gateway = await aGatewayTo((await aRole()).url, { protectedCalls });
    const entry = gateway.entryTokens.sign({ sub: 'e1', uid: 'ann', jti: 'j' }).token;
    const headers = `Authorization: Bearer ${gateway.token('ann')}\r\nX-Queue-Entry-Token: ${entry}\r\n`;
    const hold = '{"eventId":"e1"}'.padEnd(body.length);
    let arrived = 0;
    gateway.app.server.on('request', () => {
      arrived += 1;
    });
    const lengthened = head('/api/holds', headers).replace(`Length: ${body.length}`, `Length: ${hold.length}`);
    const caller = open(gateway.url, lengthened + hold.slice(0, 5));
    await eventually(() => arrived === 1, { withinMs: 20_000, what: 'the slow caller at the gateway' });
    gateway.clock.ms += 10_000;
    caller.write(hold.slice(5));
    await caller.answered;
    expect(firstLine(caller)).toBe('HTTP/1.1 200 OK');
    expect(told).toEqual([0]);
  });
});

/** Asks so many times on one connection and reads nothing until it is told to. */
function askWithoutReading(url: string, times: number): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  closing.push(() => socket.destroy());
  socket.on('error', () => undefined);
  socket.pause();
  socket.write('GET /api/large HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(times));
  return socket;
}

describe('callers who ask for more behind a stream', () => {
  it('do not keep the room that their bodies took: it is free when the role answers', async () => {
    const role = await aRole();
    const gateway = await aGatewayTo(role.url, { timeoutMs: 60_000 });
    let answered = 0;
    role.app.server.on('request', (_request, response) =>
      response.once('finish', () => {
        answered += 1;
      }),
    );
    // Each takes 4 MB, the limit of the route, of 64 MB for all. No answer to them can be written before the stream ends.
    const text = `{"text":"${'x'.repeat(4 * megabyte - '{"text":""}'.length)}"}`;
    const post = `POST /api/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n`;
    for (let n = 0; n < 2; n++)
      open(gateway.url, `GET /api/endless HTTP/1.1\r\nHost: x\r\n\r\n${(post + text).repeat(8)}`);
    await eventually(() => answered === 16, { withinMs: 60_000, what: 'sixteen answers of the role' });
    const caller = async () => {
      const headers = { 'content-type': 'application/json' };
      return (await fetch(`${gateway.url}/api/echo`, { method: 'POST', body, headers })).status;
    };
    await eventually(async () => (await caller()) === 200, { withinMs: 20_000, what: 'room for one more body' });
  });
});

describe('callers who read slowly', () => {
  it('hold no connection that others wait for', async () => {
    const role = await aRole();
    // The others may wait for long: how fast this machine is does not matter here.
    const gateway = await aGatewayTo(role.url, { remoteLimits: { connectionsMax: 3 }, timeoutMs: 60_000 });
    let begun = 0;
    role.app.server.on('request', () => {
      begun += 1;
    });
    const slow = Array.from({ length: 3 }, () => askWithoutReading(gateway.url, 1));
    await eventually(() => begun === slow.length, { withinMs: 60_000, what: 'every slow reader at the role' });
    expect((await fetch(`${gateway.url}/api/open`)).status).toBe(200);
    for (const socket of slow) socket.destroy();
    const connections = () => new Promise<number>((tell) => role.app.server.getConnections((_, count) => tell(count)));
    await eventually(async () => (await connections()) <= 1, { withinMs: 60_000, what: 'the end of the slow ones' });
  });

  it('get their answers whole, also when they asked for the next before they had read one', async () => {
    const gateway = await aGatewayTo((await aRole()).url, {
      remoteLimits: { connectionsMax: 4, promptMs: 50 },
      timeoutMs: 60_000,
    });
    const reader = askWithoutReading(gateway.url, 10);
    expect((await fetch(`${gateway.url}/api/open`)).status).toBe(200);
    let bytes = 0;
    reader.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    reader.resume();
    await eventually(() => bytes > 10 * 8 * megabyte, { withinMs: 120_000, what: 'ten whole answers' });
  });

  it('are cut off, the oldest first, when there are too many of them', async () => {
    const remoteLimits = { promptMs: 50, unreadMax: 2 };
    const gateway = await aGatewayTo((await aRole()).url, { remoteLimits });
    const first = askWithoutReading(gateway.url, 2);
    const closed = new Promise((resolve) => first.once('close', resolve));
    const second = askWithoutReading(gateway.url, 2);
    first.resume();
    await closed;
    expect(second.destroyed).toBe(false);
  });

  it('may not ask on and on without reading', async () => {
    const role = await aRole();
    const gateway = await aGatewayTo(role.url);
    const reader = askWithoutReading(gateway.url, 100);
    const closed = new Promise((resolve) => reader.once('close', resolve));
    reader.resume();
    await closed;
    expect((await fetch(`${gateway.url}/api/open`)).status).toBe(200);
  });
});
