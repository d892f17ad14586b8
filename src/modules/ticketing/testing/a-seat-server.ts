import { randomUUID } from 'node:crypto';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '#platform/clock.ts';
import { enforceEntry, holdSlots } from '#platform/http/entry.ts';
import { registerRoutes } from '#platform/http/routes.ts';
import { createHttpServer } from '#platform/http/server.ts';
import { createIds } from '#platform/ids.ts';
import type { Database } from '#platform/postgres/database.ts';
import { systemRandom } from '#platform/random.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { createMetrics } from '#platform/telemetry/metrics.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { eventually } from '#test/kit/faults.ts';
import { seatContracts } from '../routes/seat-contracts.ts';
import { createSeatMapParts } from '../seat-map.ts';
import { createEventBooks } from '../service/books.ts';

export interface Told {
  readonly event: string;
  readonly id: string;
  readonly data: { version: number; resync: boolean; seats: [number, number][] };
}

export interface Listener {
  readonly answer: IncomingMessage;
  readonly told: Told[];
  readonly beginning: () => string;
  readonly isOver: () => boolean;
  end(): void;
}

/** The routes of the seat map on a real server; who calls, and with which slot, is said by the test. */
export async function aSeatServer(database: Database, { clock = systemClock }: { clock?: Clock } = {}) {
  const ids = createIds({ clock, random: systemRandom });
  const metrics = createMetrics();
  const books = createEventBooks({ database, clock });
  const parts = createSeatMapParts({
    database,
    books,
    clock,
    ids,
    random: systemRandom,
    logger: silentLogger,
    metrics,
  });
  const app = createHttpServer({ logger: silentLogger, ids });
  app.addHook('onRequest', async (request) => {
    const { 'x-test-user': userId, 'x-test-slot': eventId } = request.headers;
    request.user = typeof userId === 'string' ? { userId, email: '', role: 'buyer' } : null;
    holdSlots(request, typeof eventId === 'string' ? [{ eventId, slotId: `slot of ${String(userId)}` }] : []);
  });
  enforceEntry(app);
  const { getSeatMap, getSectionSeats, streamSeats } = seatContracts;
  registerRoutes(app, { getSeatMap, getSectionSeats, streamSeats }, parts.handlers);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const requests = new Set<ClientRequest>();
  atEnd(async () => {
    for (const request of requests) request.destroy();
    await app.close();
    await parts.stop();
  });
  const signal = new AbortController().signal;

  const headersOf = (eventId: string, userId: string) => ({ 'x-test-user': userId, 'x-test-slot': eventId });
  const pathOf = (eventId: string, rest = '') => `/api/seats/events/${eventId}${rest}`;

  return {
    parts,
    metrics,
    port,
    /** The map as everything committed makes it, also beside other tests' transactions on this server. */
    async refresh(eventId: string) {
      await (await parts.mapOf(eventId)).refresh();
    },
    /** One round of every job. */
    async runJobs() {
      for (const job of parts.jobs) await job.run(signal);
    },
    call(eventId: string, rest = '', { userId = randomUUID() as string, headers = {} } = {}) {
      const url = `http://127.0.0.1:${port}${pathOf(eventId, rest)}`;
      return fetch(url, { headers: { ...headersOf(eventId, userId), ...headers } });
    },
    async listen(eventId: string, { userId = randomUUID() as string, headers = {} } = {}): Promise<Listener> {
      const options = { host: '127.0.0.1', port, path: pathOf(eventId, '/stream') };
      const request = get({ ...options, headers: { ...headersOf(eventId, userId), ...headers }, agent: false });
      requests.add(request);
      request.on('error', () => undefined);
      const answer = await new Promise<IncomingMessage>((resolve) => request.once('response', resolve));
      let beginning = '';
      let rest = '';
      let over = false;
      const told: Told[] = [];
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        if (beginning.length < 1_000) beginning += chunk;
        const blocks = `${rest}${chunk}`.split('\n\n');
        rest = blocks.pop() ?? '';
        told.push(...blocks.flatMap(parse));
      });
      answer.on('error', () => undefined);
      answer.on('close', () => {
        over = true;
      });
      return { answer, told, beginning: () => beginning, isOver: () => over, end: () => request.destroy() };
    },
    soon: (what: string, attempt: () => boolean) => eventually(attempt, { withinMs: 30_000, what }),
  };
}

function parse(block: string): Told[] {
  const lines = new Map(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  const [event, id, data] = [lines.get('event'), lines.get('id') ?? '', lines.get('data')];
  return event === undefined || data === undefined ? [] : [{ event, id, data: JSON.parse(data) }];
}
