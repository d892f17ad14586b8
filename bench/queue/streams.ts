import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import type { Served } from './stage.ts';

export interface OpenStreams {
  readonly open: number;
  readonly bytesEach: number;
  /** Does something that moves everybody up, and waits until all were told: how long it took, and from the first to the last. */
  update(cause: () => Promise<unknown>): Promise<{ totalMs: number; spreadMs: number }>;
  close(): void;
}

const connectsAtOnce = 100;
const updateWithinMs = 30_000;

/** As many readers as asked for, each with a connection of its own. */
export async function openStreams(
  server: Served,
  path: string,
  people: readonly { ticket: string }[],
): Promise<OpenStreams> {
  const sockets: Socket[] = [];
  let round = 0;
  let told = 0;
  let firstMs = 0;
  let lastMs = 0;
  let allTold: (() => void) | null = null;
  const before = residentBytes(server.pid);

  function open(ticket: string): Promise<void> {
    const { hostname, port } = new URL(server.url);
    const socket = connect({ host: hostname, port: Number(port) });
    sockets.push(socket);
    let toldInRound = 0;
    return new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.on('data', (chunk: Buffer) => {
        const text = chunk.toString('latin1');
        if (text.startsWith('HTTP/') && !text.startsWith('HTTP/1.1 200')) return reject(new Error(text));
        if (!text.includes('RANK_UPDATE')) return;
        resolve();
        if (toldInRound === round) return;
        toldInRound = round;
        told += 1;
        lastMs = performance.now();
        if (told === 1) firstMs = lastMs;
        if (told === sockets.length) allTold?.();
      });
      socket.write(
        `GET ${path} HTTP/1.1\r\nhost: bench\r\naccept: text/event-stream\r\nx-queue-ticket: ${ticket}\r\n\r\n`,
      );
    });
  }

  for (let n = 0; n < people.length; n += connectsAtOnce)
    await Promise.all(people.slice(n, n + connectsAtOnce).map(({ ticket }) => open(ticket)));

  return {
    open: sockets.length,
    bytesEach: (residentBytes(server.pid) - before) / sockets.length,
    async update(cause) {
      round += 1;
      told = 0;
      const everybody = new Promise<void>((resolve, reject) => {
        allTold = resolve;
        setTimeout(() => reject(new Error(`only ${told} of ${sockets.length} were told`)), updateWithinMs).unref();
      });
      const startedMs = performance.now();
      await cause();
      await everybody;
      return { totalMs: lastMs - startedMs, spreadMs: lastMs - firstMs };
    },
    close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}
