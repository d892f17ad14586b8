import { connect, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { sendBytes } from '#test/kit/raw-http.ts';
import { aGatewayTo, aRole, closing } from './test/a-role.ts';

/** Somebody on the way between gateway and role, who hears all that is sent to the role and may change it. */
async function aTap(url: string, change: (text: string) => string = (text) => text) {
  const { hostname, port } = new URL(url);
  const heard: string[] = [];
  const server = createServer((caller) => {
    const role = connect(Number(port), hostname);
    for (const socket of [caller, role]) {
      socket.on('error', () => undefined);
      closing.push(() => socket.destroy());
    }
    caller.on('data', (chunk) => {
      heard.push(chunk.toString('latin1'));
      role.write(change(chunk.toString('latin1')), 'latin1');
    });
    role.pipe(caller);
  });
  closing.push(() => server.close());
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it does not listen');
  return { url: `http://127.0.0.1:${address.port}`, heard: () => heard.join('') };
}

/** Ann takes a seat, by way of the tap. */
async function hold(tap: { url: string }) {
  const gateway = await aGatewayTo(tap.url);
  const entry = gateway.entryTokens.sign({ sub: 'e1', uid: 'ann', jti: 'j' }).token;
  const headers = { authorization: `Bearer ${gateway.token('ann')}`, 'x-queue-entry-token': entry };
  return gateway.call({ method: 'POST', url: '/api/holds', payload: { eventId: 'e1' }, headers });
}

const playedTo = async (url: string, bytes: string) => {
  const answer = await sendBytes(url, bytes.replace(/connection: keep-alive/i, 'connection: close'));
  return answer.split('\r\n', 1)[0];
};

describe('a forwarded call that was overheard', () => {
  it('is not taken a second time, nor by another role', async () => {
    const role = await aRole();
    const tap = await aTap(role.url);
    expect((await hold(tap)).json()).toEqual({ userId: 'ann', entry: { eventId: 'e1', slotId: 'j' } });
    expect(await playedTo(role.url, tap.heard())).toBe('HTTP/1.1 401 Unauthorized');
    expect(await playedTo((await aRole({ roles: ['box-office'] })).url, tap.heard())).toBe('HTTP/1.1 401 Unauthorized');
    // What is left: another process of the same role has not seen it, and takes it once.
    const other = await aRole();
    expect(await playedTo(other.url, tap.heard())).toBe('HTTP/1.1 200 OK');
    expect(await playedTo(other.url, tap.heard())).toBe('HTTP/1.1 401 Unauthorized');
  });

  it('is not taken with another body', async () => {
    const role = await aRole();
    const changed = await hold(await aTap(role.url, (text) => text.replace('{"eventId":"e1"}', '{"eventId":"e9"}')));
    expect([changed.statusCode, changed.json().detail]).toEqual([401, 'The body is not the one that was signed.']);
    const dropped = await hold(
      await aTap(role.url, (text) =>
        text.replace('{"eventId":"e1"}', '').replace('content-length: 16', 'content-length: 0'),
      ),
    );
    expect(dropped.statusCode).toBe(401);
  });

  it('is not taken for somebody else, or by another path', async () => {
    const role = await aRole();
    for (const change of [
      (text: string) => text.replace('x-user-id: ann', 'x-user-id: eve'),
      (text: string) => text.replace('/api/holds', '/api/holds?a'),
      (text: string) => text.replace('x-entry-slots: e1=j', 'x-entry-slots: e1=k'),
    ])
      expect((await hold(await aTap(role.url, change))).statusCode).toBe(401);
  });
});
