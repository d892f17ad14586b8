import type { Clock } from '#platform/clock.ts';
import { platformErrors } from '#platform/errors.ts';
import type { Database, Session } from '#platform/postgres/database.ts';
import { withTimeout } from '#platform/resilience/timeout.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import { type LedgerCursor, type LedgerReading, type LedgerRow, readLedger } from '../storage/ledger.ts';
import type { DatabaseTime } from './database-time.ts';
import { createLedgerLag } from './ledger-lag.ts';
import type { LiveMap } from './live-map.ts';
import type { MapMetrics } from './map-metrics.ts';

/**
 * Feeds all maps of this process by one reading of the ledger at a time, over a connection of its own. When that is lost, every
 * map is read again as a whole: after a crash of the server, transaction ids that were read past may come again.
 */
export interface LedgerReader {
  /** What was committed since the last reading. One that is called during another follows it, for all who wait. */
  read(): Promise<void>;
  /** What is committed now, also beside a transaction that takes long. */
  refresh(map: LiveMap): Promise<void>;
  /** Resolves when there is a connection. Its number: a map that was read before another one began is void. */
  connect(): Promise<number>;
  stop(): Promise<void>;
}

const rowsMax = 5_000;
const answerMaxMs = 5_000;

export function createLedgerReader(deps: {
  database: Pick<Database, 'session'>;
  clock: Clock;
  time: DatabaseTime;
  logger: Logger;
  metrics: MapMetrics;
  maps(): readonly LiveMap[];
  beginAgain(map: LiveMap): Promise<void>;
}): LedgerReader {
  const { database, clock, time, logger, metrics, maps, beginAgain } = deps;
  const lag = createLedgerLag(clock);
  let session: Session | null = null;
  let connecting: Promise<Session> | null = null;
  let connection = 0;
  let isStopped = false;
  /** Readings follow each other: a map is never fed by two at a time. */
  let last: Promise<unknown> = Promise.resolve();
  let waiting: Promise<void> | null = null;
  const refreshes = new Map<LiveMap, Promise<void>>();

  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  }

  async function connected(): Promise<Session> {
    if (session !== null) return session;
    if (isStopped) throw platformErrors.fault('DATABASE_UNAVAILABLE');
    connecting ??= connect().finally(() => {
      connecting = null;
    });
    return connecting;
  }

  async function connect(): Promise<Session> {
    const opened = await database.session('seat maps');
    if (connection > 0) logger.info('the ledger is read over a new connection: every seat map is read again');
    connection += 1;
    for (const map of maps()) map.mustBeginAgain = true;
    lag.begin();
    session = opened;
    opened.onEnd(() => lose(opened));
    return opened;
  }

  function lose(lost: Session): void {
    if (session === lost) session = null;
  }

  async function reading(query: Omit<Parameters<typeof readLedger>[1], 'rowsMax'>): Promise<LedgerReading> {
    const on = await connected();
    try {
      const late = () => platformErrors.fault('DATABASE_UNAVAILABLE');
      const answer = await withTimeout(readLedger(on, { ...query, rowsMax }), answerMaxMs, late);
      time.heard(answer.nowMs);
      return answer;
    } catch (error) {
      // Whatever it was: what the connection would still answer belongs to nobody.
      lose(on);
      on.close().catch(() => undefined);
      throw error;
    }
  }

  async function readAll(): Promise<void> {
    if (maps().length === 0) return;
    await connected();
    for (const map of maps()) if (map.mustBeginAgain) await beginAgain(map);
    const read = maps();
    if (read.length === 0) return;
    const eventIds = read.map(({ eventId }) => eventId);
    let cursor: LedgerCursor = { xid: Math.min(...read.map((map) => map.readTo())), id: 0 };
    const rows: LedgerRow[] = [];
    for (;;) {
      const answer = await reading({ cursor, eventIds, early: false });
      rows.push(...answer.rows);
      const lastRow = answer.rows.at(-1);
      if (!answer.isFull || lastRow === undefined) {
        feed(read, rows, answer.xmin);
        metrics.lag(lag.heard(answer));
        return;
      }
      cursor = lastRow;
    }
  }

  function feed(read: readonly LiveMap[], rows: readonly LedgerRow[], xmin: number): void {
    const byEvent = Map.groupBy(rows, (row) => row.event_id);
    for (const map of read) map.take(byEvent.get(map.eventId) ?? [], xmin);
  }

  async function refreshOne(map: LiveMap): Promise<void> {
    await connected();
    if (map.mustBeginAgain) return beginAgain(map);
    const cursor = { xid: map.readTo(), id: 0 };
    const answer = await reading({ cursor, eventIds: [map.eventId], early: true });
    // Behind a transaction that takes long there may be more rows than seats.
    if (answer.isFull) return beginAgain(map);
    map.take(answer.rows, answer.xmin);
    // The seats were built anew: what it shows is as new as the call only when they are read.
    if (map.mustBeginAgain) await beginAgain(map);
  }

  /** Those who ask while one waits for its turn share it. */
  function read(): Promise<void> {
    waiting ??= inTurn(() => {
      waiting = null;
      return readAll();
    });
    return waiting;
  }

  return {
    read,
    refresh(map) {
      const known = refreshes.get(map);
      if (known !== undefined) return known;
      const begun = inTurn(() => {
        refreshes.delete(map);
        return refreshOne(map);
      });
      refreshes.set(map, begun);
      return begun;
    },
    async connect() {
      await connected();
      return connection;
    },
    async stop() {
      isStopped = true;
      const closing = session;
      session = null;
      await last;
      await closing?.close().catch(() => undefined);
    },
  };
}
