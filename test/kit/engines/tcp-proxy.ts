import { createConnection, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  /** Every connection is cut, unless said otherwise; new ones go to this port. As a virtual address does that follows the primary. */
  pointTo(port: number, options?: { cut: boolean }): void;
  /** What the near side sends is kept back, until `letGo` sends it on. */
  hold(): void;
  letGo(): void;
  close(): Promise<void>;
}

/** One address on loopback whose server behind it may become another one. */
export async function startTcpProxy(firstPort: number): Promise<TcpProxy> {
  let target = firstPort;
  const sockets = new Set<Socket>();
  const farSides = new Map<Socket, Socket>();
  const cut = () => sockets.forEach((socket) => void socket.destroy());
  const server = createServer((near) => {
    const far = createConnection(target, '127.0.0.1');
    farSides.set(near, far);
    near.on('close', () => farSides.delete(near));
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.setNoDelay();
      one
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(one);
          other.destroy();
        });
      one.pipe(other);
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy does not listen on a port');
  return {
    port: address.port,
    pointTo(port, options = { cut: true }) {
      target = port;
      if (options.cut) cut();
    },
    hold: () => farSides.forEach((_, near) => void near.unpipe().pause()),
    letGo: () => farSides.forEach((far, near) => void near.pipe(far)),
    async close() {
      cut();
      await new Promise((done) => server.close(done));
    },
  };
}
