import { createServer, type Server, type ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '#test/kit/faults.ts';
import { serving } from '#test/kit/serving.ts';
import { createRoleConnections, type RoleConnections } from './role-connections.ts';

const opened: RoleConnections[] = [];
afterEach(() => {
  for (const connections of opened.splice(0)) connections.close();
});

/** A role that answers when it is told to. */
async function aHeldRole() {
  const held: ServerResponse[] = [];
  let sockets = 0;
  const server: Server = createServer((_request, response) => void held.push(response));
  server.on('connection', () => {
    sockets += 1;
  });
  const { url } = await serving(server);
  return { url: new URL(url), held, sockets: () => sockets };
}

function open(url: URL, limits: { connectionsMax: number; waitingMax: number }): RoleConnections {
  const connections = createRoleConnections({ url, connectTimeoutMs: 20_000, ...limits });
  opened.push(connections);
  return connections;
}

/** A call that gives its connection back when it was answered. */
function call(connections: RoleConnections): { done: Promise<string>; refused: boolean; cancel(): void } {
  const { promise: done, resolve } = Promise.withResolvers<string>();
  const waiting = connections.take((connection) => {
    void connection.request({ method: 'GET', path: '/' }).then(
      async ({ body }) => {
        const text = await body.text();
        connections.giveBack(connection);
        resolve(text);
      },
      () => {
        connections.discard(connection);
        resolve('broken');
      },
    );
  });
  return { done, refused: waiting === null, cancel: () => waiting?.cancel() };
}

const arrived = (held: readonly unknown[], count: number) =>
  eventually(() => held.length === count, { withinMs: 20_000, what: `${count} calls at the role` });

test('no more calls are at a role than it has connections, and the next one goes when one was answered', async () => {
  const { url, held, sockets } = await aHeldRole();
  const connections = open(url, { connectionsMax: 2, waitingMax: 10 });
  const calls = Array.from({ length: 5 }, () => call(connections));
  for (let n = 0; n < calls.length; n++) {
    await arrived(held, Math.min(calls.length, n + 2));
    held[n]?.end(`answer ${n}`);
    await calls[n]?.done;
  }
  expect(await Promise.all(calls.map(({ done }) => done))).toEqual(calls.map((_, n) => `answer ${n}`));
  expect(sockets()).toBe(2);
});

test('anyone who would wait behind too many is refused at once, and anyone who gave up is passed over', async () => {
  const { url, held } = await aHeldRole();
  const connections = open(url, { connectionsMax: 1, waitingMax: 2 });
  const [first, second, third, fourth] = [call(connections), call(connections), call(connections), call(connections)];
  expect([first, second, third, fourth].map(({ refused }) => refused)).toEqual([false, false, false, true]);
  second.cancel();
  expect(call(connections).refused).toBe(false);
  await arrived(held, 1);
  held[0]?.end('one');
  await arrived(held, 2);
  held[1]?.end('two');
  expect([await first.done, await third.done]).toEqual(['one', 'two']);
});

test('a connection that is discarded or set aside makes room for another', async () => {
  const { url, held, sockets } = await aHeldRole();
  const connections = open(url, { connectionsMax: 1, waitingMax: 10 });
  connections.take((connection) => {
    void connection.request({ method: 'GET', path: '/' }).catch(() => undefined);
    void arrived(held, 1).then(() => connections.discard(connection));
  });
  connections.take((connection) => {
    void connection.request({ method: 'GET', path: '/' }).catch(() => undefined);
    void arrived(held, 2).then(() => connections.setAside(connection));
  });
  const last = call(connections);
  await arrived(held, 3);
  held[2]?.end('last');
  expect(await last.done).toBe('last');
  expect(sockets()).toBe(3);
  // The first was hung up on, the second goes on.
  await eventually(() => held[0]?.destroyed === true, { withinMs: 20_000, what: 'the first to be closed' });
  expect(held[1]?.destroyed).toBe(false);
});

test('closing ends all of them, those set aside too', async () => {
  const { url, held } = await aHeldRole();
  const connections = open(url, { connectionsMax: 2, waitingMax: 10 });
  connections.take((connection) => {
    void connection.request({ method: 'GET', path: '/' }).catch(() => undefined);
    connections.setAside(connection);
  });
  const other = call(connections);
  await arrived(held, 2);
  connections.close();
  expect(await other.done).toBe('broken');
  await eventually(() => held.every(({ destroyed }) => destroyed), { withinMs: 20_000, what: 'all to be closed' });
});
