import { createConnection, createServer, type Socket } from 'node:net';

/** Stops a call on its way, there or back. What is kept is never sent on: the caller or the server is about to be killed. */
export interface GatedProxy {
  readonly port: number;
  /** A connection that sends this text gets no further. Resolves when one has tried, or so many. */
  keepBack(marker: string, times?: number): Promise<void>;
  /** A connection that sends this text gets no answer. Resolves when there was one, or so many. */
  keepAnswersTo(marker: string, times?: number): Promise<void>;
  /** Connections made from now on go to this port, and nothing is kept. */
  pointTo(port: number): void;
  close(): Promise<void>;
}

interface Gate {
  readonly marker: string;
  readonly reached: (by: Socket) => void;
}

export async function startGatedProxy(firstPort: number): Promise<GatedProxy> {
  let target = firstPort;
  let askedGates: Gate[] = [];
  let answerGates: Gate[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = createConnection(target, '127.0.0.1');
    let [isKept, isMute]: [boolean, Gate | undefined] = [false, undefined];
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
    }
    near.on('data', (chunk) => {
      const gate = askedGates.find(({ marker }) => chunk.includes(marker));
      isKept ||= gate !== undefined;
      gate?.reached(near);
      isMute ??= answerGates.find(({ marker }) => chunk.includes(marker));
      if (!isKept) far.write(chunk);
    });
    far.on('data', (chunk) => {
      isMute?.reached(near);
      if (isMute === undefined) near.write(chunk);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy does not listen on a port');
  const add = (gates: Gate[], marker: string, times: number) =>
    new Promise<void>((resolve) => {
      const stopped = new Set<Socket>();
      const reached = (by: Socket) => {
        if (stopped.add(by).size >= times) resolve();
      };
      gates.push({ marker, reached });
    });
  return {
    port: address.port,
    keepBack: (marker, times = 1) => add(askedGates, marker, times),
    keepAnswersTo: (marker, times = 1) => add(answerGates, marker, times),
    pointTo(port) {
      target = port;
      [askedGates, answerGates] = [[], []];
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}
