import { randomInt } from 'node:crypto';
import { connect, createServer, type Server } from 'node:net';

/**
 * Below what systems hand out by themselves, to connections that go out and to servers that take any port: a port from here
 * is nobody else's between now and its engine's start, nor while the engine is down before its restart.
 */
const lowest = 11_000;
const highest = 20_999;
/** A node of a Redis Cluster also listens so much higher, which no other port from here reaches. */
const busOffset = 10_000;
const triesMax = 1_000;

/** Ports where nobody listened a moment ago, all different, each with its bus port free as well. */
export async function freePorts(count: number): Promise<number[]> {
  const held = new Map<number, Server[]>();
  try {
    for (let tries = 0; held.size < count; tries++) {
      if (tries === triesMax) throw new Error(`no ${count} free ports from ${lowest} to ${highest}`);
      const port = randomInt(lowest, highest + 1);
      if (held.has(port)) continue;
      const servers = await hold([port, port + busOffset]);
      if (servers !== null) held.set(port, servers);
    }
    return [...held.keys()];
  } finally {
    await Promise.all([...held.values()].flat().map(close));
  }
}

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  if (port === undefined) throw new Error('no free port');
  return port;
}

/** Throws when nobody listens there. */
export function knock(port: number): Promise<void> {
  return new Promise((done, fail) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      done();
    });
    socket.once('error', fail);
  });
}

/** Listens on all of them, or on none. */
async function hold(ports: readonly number[]): Promise<Server[] | null> {
  const servers = await Promise.all(ports.map(listen));
  const listening = servers.filter((server) => server !== null);
  if (listening.length === ports.length) return listening;
  await Promise.all(listening.map(close));
  return null;
}

function listen(port: number): Promise<Server | null> {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') done(null);
      else fail(error);
    });
    server.listen(port, '127.0.0.1', () => done(server));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((done) => server.close(() => done()));
}
