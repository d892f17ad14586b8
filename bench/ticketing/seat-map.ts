import { connect } from 'node:net';
import { createSendRaw } from '#test/kit/raw-http.ts';
import type { BenchReport } from '../report.ts';
import { aCall, aRequest } from './callers.ts';
import { cpuSecondsOf } from './cpu.ts';
import { loadBy } from './load.ts';
import type { Size } from './size.ts';
import type { Served, TicketingStage } from './stage.ts';

const few = 10;
const many = 1_000;
/** Between two reads of one reader. */
const pauseMs = 1_000;
/** So that the map is never the same for long. */
const holdEveryMs = 100;

interface Readings {
  readonly reads: number;
  readonly cpuSeconds: number;
  readonly queriesPerSecond: number;
}

/** Readers poll the whole map of a hall, while ten seats a second are sold. */
export async function measureSeatMap(options: {
  stage: TicketingStage;
  size: Size;
  report: BenchReport;
  eventId: string;
  seatIds: readonly string[];
}): Promise<void> {
  const { stage, report, eventId, seatIds } = options;
  const path = `/api/seats/events/${eventId}`;
  const name = `the map of ${seatIds.length.toLocaleString('en-US')} seats`;
  // The first read loads it.
  await bytesOfAnswer(stage.own, aRequest({ method: 'GET', path, eventId }));
  const bytes = await bytesOfAnswer(stage.own, aRequest({ method: 'GET', path, eventId }));
  report.weigh({ name, subject: 'one answer on the wire, head included', value: bytes, unit: 'bytes' });
  const selling = sellAlong(stage.own.url, eventId, seatIds);
  try {
    const read = (readers: number) => pollBy({ ...options, path, readers });
    await read(few);
    const [byFew, byMany] = [await read(few), await read(many)];
    report.weigh({
      name: `${name}, ${many.toLocaleString('en-US')} readers polling`,
      subject: 'CPU time of the process per read',
      value: ((byMany.cpuSeconds - byFew.cpuSeconds) / (byMany.reads - byFew.reads)) * 1_000_000,
      unit: 'µs',
    });
    for (const { readers, measured } of [
      { readers: few, measured: byFew },
      { readers: many, measured: byMany },
    ])
      report.weigh({
        name: `${name}, database queries with ${readers.toLocaleString('en-US')} readers`,
        subject: `${measured.reads.toLocaleString('en-US')} reads`,
        value: measured.queriesPerSecond,
        unit: 'queries/s',
      });
  } finally {
    await selling.stop();
  }
}

async function pollBy(options: {
  stage: TicketingStage;
  size: Size;
  eventId: string;
  path: string;
  readers: number;
}): Promise<Readings> {
  const { stage, size, eventId, path, readers } = options;
  // The pauses vary by half, and every reader begins at once.
  const count = readers * (size.mapSeconds * 2 + 1);
  const requests = Array.from({ length: count }, () => aRequest({ method: 'GET', path, eventId }));
  const before = { cpu: cpuSecondsOf(stage.own.pid), queries: await queriesOf(stage.own) };
  const startedMs = performance.now();
  const { answers } = await loadBy({
    ...{ folder: stage.folder, url: stage.own.url, requests, expected: 200 },
    ...{ connections: readers, seconds: size.mapSeconds, pauseMs },
  });
  const seconds = (performance.now() - startedMs) / 1_000;
  return {
    reads: answers,
    cpuSeconds: cpuSecondsOf(stage.own.pid) - before.cpu,
    queriesPerSecond: ((await queriesOf(stage.own)) - before.queries) / seconds,
  };
}

/** Statements that the process has sent, whatever for, as its metrics count them. */
async function queriesOf({ url }: Served): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const counts = [...text.matchAll(/^urr_postgres_statement_seconds_count\{.*\} (\d+)/gm)];
  if (counts.length === 0) throw new Error(`${url}/metrics counts no statements`);
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

function bytesOfAnswer({ url }: Served, request: string): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let head = '';
    socket.once('error', reject);
    socket.on('data', (chunk: Buffer) => {
      if (head === '') head = chunk.toString('latin1');
    });
    socket.once('end', () => {
      if (!head.startsWith('HTTP/1.1 200')) reject(new Error(head));
      else resolve(socket.bytesRead);
    });
    socket.write(request.replace('host: bench\r\n', 'host: bench\r\nconnection: close\r\n'));
  });
}

function sellAlong(url: string, eventId: string, seatIds: readonly string[]): { stop(): Promise<void> } {
  const send = createSendRaw(url, { connectionsMax: 1 });
  let next = 0;
  let trouble: Error | null = null;
  let last = Promise.resolve();
  const timer = setInterval(() => {
    const body = { eventId, seatIds: [seatIds[next++ % seatIds.length]] };
    last = send(aCall({ method: 'POST', path: '/api/seats/reserve', eventId, body })).then(
      ({ status, text }) => {
        if (status !== 201) trouble = new Error(`a seat beside the readers: ${status} ${text}`);
      },
      (error: Error) => {
        trouble = error;
      },
    );
  }, holdEveryMs);
  return {
    async stop() {
      clearInterval(timer);
      await last;
      if (trouble !== null) throw trouble;
    },
  };
}
