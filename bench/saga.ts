import { type ChildProcess, fork, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database } from '#platform/postgres/database.ts';
import { startEmbeddedPostgres } from '#platform/postgres/embedded/start.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { startKafka } from '#test/kit/engines/kafka.ts';
import { eventually } from '#test/kit/faults.ts';
import { createSendRaw } from '#test/kit/raw-http.ts';
import { testSecrets } from '#test/kit/secrets.ts';
import { seatIdsOf } from '#test/kit/ticketing/seat-ids.ts';
import { addressOf, end, startWithinMs } from './kit/child.ts';
import type { BenchReport } from './report.ts';
import { buySeat, forSeconds, holdSeat } from './saga/buyers.ts';
import { createShows } from './ticketing/shows.ts';

const isTiny = process.env.URR_BENCH_SAGA === 'tiny';
/** `URR_BENCH_SAGA=tiny` only shows that it runs. */
const [seconds, pairs, events, atOnce] = isTiny ? [2, 1, 4, 16] : [6, 5, 14, 64];
const hall = { sections: 10, rows: 50, seats: 20 };
const seatIds = seatIdsOf(hall);
const ratioMin = 0.5;
const holdsPerSecond = 2_000;
const program = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const outOfReach = '1000000000';

/** Purchases through the whole chain, against one route that writes the same rows at once. */
export async function run(report: BenchReport): Promise<void> {
  for (const bus of ['embedded', 'kafka'] as const) if (report.wants(bus)) await runOn(bus, report);
  report.note(
    `${seconds} s a run, ${atOnce} buyers at a time from the same machine, each with a slot, buying one seat: hold, prepare, pay by a card of the sandbox, ticket; a purchase counts when its answer names the confirmed reservation. ` +
      'All roles in one process; PostgreSQL with its ordinary settings, fsync included. Slots are of nobody, so ending them is one call to the queue that finds none.',
  );
  report.note(
    'The bare route writes buyer, seat, reservation, ledgers, attempt, ticket, order and payment by one function in one transaction: one commit, where urr needs one for each step that a crash may fall between (hold, order, attempt, pin, capturing, the provider, captured, tickets), and three calls of the buyer.',
  );
}

async function runOn(bus: 'embedded' | 'kafka', report: BenchReport): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'urr-bench-'));
  await chmod(folder, 0o711);
  process.env.URR_TEST_SCRATCH ??= folder;
  const stops: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  const track = (child: ChildProcess) => {
    stops.push(() => end(child));
    return child;
  };
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), logger: silentLogger });
    stops.push(() => postgres.stop());
    const kafka = bus === 'kafka' ? await kafkaIn(folder, stops) : {};
    const env = {
      PATH: process.env.PATH ?? '',
      ...testSecrets,
      ...{
        URR_MODE: 'test',
        URR_HOST: '127.0.0.1',
        URR_PORT: '0',
        URR_LOG_LEVEL: 'error',
        URR_DATABASE_URL: postgres.url,
      },
      ...{ URR_RATE_WRITE_PER_MINUTE: outOfReach, URR_RATE_CONFIRM_PER_MINUTE: outOfReach },
      ...kafka,
    };
    const urr = track(spawn(process.execPath, [program, 'serve'], { stdio: ['ignore', 'pipe', 'inherit'], env }));
    const url = await addressOf(urr);
    const database = createDatabase({ url: postgres.url, poolMax: 4, statementTimeoutMs: 120_000 });
    stops.push(() => database.close());
    await database.query(await readFile(new URL('./saga/bare.sql', import.meta.url), 'utf8'));
    const bare = track(fork(fileURLToPath(new URL('./saga/bare-server.ts', import.meta.url))));
    bare.send({ databaseUrl: postgres.url, poolMax: 20 });
    const [bareUrl] = (await once(bare, 'message', { signal: AbortSignal.timeout(startWithinMs) })) as [string];
    const shows = await createShows({ url, database }).onSale(hall, events);
    const stock = shows.flatMap((eventId) => seatIds.map((seatId, seatNo) => ({ eventId, seatId, seatNo }))).values();
    const next = () => {
      const { value, done } = stock.next();
      if (done === true) throw new Error('there are too few seats for this benchmark');
      return value;
    };
    await measure({ bus, report, url, bareUrl, database, next });
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

async function measure(options: {
  bus: string;
  report: BenchReport;
  url: string;
  bareUrl: string;
  database: Database;
  next: () => { eventId: string; seatId: string; seatNo: number };
}): Promise<void> {
  const { bus, report, url, bareUrl, database, next } = options;
  await report.compare({
    name: `purchases through the whole chain, ${bus} bus, ${atOnce} buyers at once`,
    unit: 'purchases',
    pairs,
    warmUps: 1,
    baseline: {
      label: 'bare route, the same rows in one transaction',
      run: () =>
        forSeconds({ seconds, atOnce, url: bareUrl }, async (send) => {
          const { eventId, seatNo } = next();
          const body = JSON.stringify({ eventId, seatNo, userId: randomUUID() });
          const headers = { 'content-type': 'application/json' };
          const answer = await send({ method: 'POST', path: '/buy', headers, body });
          if (answer.status !== 201) throw new Error(`the bare route answered ${answer.status}: ${answer.text}`);
        }),
    },
    subject: { label: 'urr', run: () => forSeconds({ seconds, atOnce, url }, (send) => buySeat(send, next())) },
    ratioMin,
  });
  const lagBegun = performance.now();
  await eventually(async () => (await unsettled(database)) === 0, {
    withinMs: 300_000,
    what: 'every purchase to be settled',
  });
  report.weigh({
    name: `${bus} bus, after the last answer until nothing is under way any more`,
    subject: 'urr',
    value: Math.round(performance.now() - lagBegun),
    unit: 'ms',
  });
  await measureUnderHolds(options);
}

/** How long tickets take when most of what the relay carries are holds of others. */
async function measureUnderHolds({ bus, report, url, database, next }: Parameters<typeof measure>[0]): Promise<void> {
  const { rows } = await database.query<{ now: Date }>('SELECT urr.now() AS now');
  const since = rows[0]?.now;
  const flood = createSendRaw(url, { connectionsMax: 64 });
  const buyers = createSendRaw(url, { connectionsMax: 4 });
  const begun = performance.now();
  let held = 0;
  const underWay = new Set<Promise<void>>();
  const buying = Array.from({ length: 4 }, async () => {
    while (performance.now() - begun < seconds * 1_000) await buySeat(buyers, next());
  });
  while (performance.now() - begun < seconds * 1_000) {
    const due = Math.floor(((performance.now() - begun) / 1_000) * holdsPerSecond);
    for (; held < due && underWay.size < 256; held++) {
      const work = holdSeat(flood, next()).finally(() => underWay.delete(work));
      underWay.add(work);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await Promise.all([...underWay, ...buying]);
  const { rows: measured } = await database.query<{ p99: number; count: number }>(
    `SELECT count(*)::integer AS count, percentile_cont(0.99) WITHIN GROUP (ORDER BY extract(epoch FROM t.issued_at - l.at) * 1000) AS p99
     FROM payments.ledger AS l JOIN ticketing.tickets AS t ON t.order_id = (SELECT p.order_id FROM payments.payments AS p WHERE p.payment_id = l.payment_id)
     WHERE l.act = 'captured' AND l.at >= $1`,
    [since],
  );
  report.weigh({
    name: `${bus} bus, p99 from capture to ticket under ${Math.round(held / seconds)} holds/s (${measured[0]?.count} purchases)`,
    subject: 'urr',
    value: Math.round(measured[0]?.p99 ?? 0),
    unit: 'ms',
  });
}

async function unsettled(database: Database): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `SELECT (SELECT count(*) FROM payments.payments WHERE NOT is_settled) + (SELECT count(*) FROM urr.outbox WHERE published_at IS NULL) AS count`,
  );
  return Number(rows[0]?.count ?? 0);
}

async function kafkaIn(folder: string, stops: (() => Promise<void>)[]) {
  const dir = join(folder, 'kafka');
  await mkdir(dir);
  const kafka = await startKafka({ dir });
  stops.push(() => kafka.stop());
  return { URR_KAFKA_BROKERS: kafka.brokers };
}
