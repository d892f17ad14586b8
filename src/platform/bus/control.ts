import { hostname } from 'node:os';
import { platformErrors } from '../errors.ts';
import type { Database, QueryRows, Session } from '../postgres/database.ts';
import { withTimeout } from '../resilience/timeout.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { BusOptions } from './options.ts';
import { type Claim, createShares, type Share } from './shares.ts';
import { createStaleHolders } from './stale-holders.ts';
import { backoffMs, createWake, settledWithin, sleep } from './waiting.ts';

/** The one connection of a process on which the bus holds its locks and listens for notices. It comes back by itself. */
export interface Control {
  start(): void;
  stop(): Promise<void>;
  share(claim: Claim): Share;
  /** On the connection that holds the locks: when it is gone, so are they, and the statement fails. */
  query<Row = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<QueryRows<Row>>;
  /** Called before each look, on the connection that holds the locks: to learn what the claims are about. */
  beforeLook(learn: (on: Session) => Promise<void>): void;
  onNotice(channel: string, listener: (payload: string) => void): void;
}

const balanceEveryMs = 1_000;
const queryTimeoutMs = 10_000;
const closeTimeoutMs = 1_000;
/** So that somebody who looks at the sessions of PostgreSQL finds the process. It keeps 63 bytes of a name. */
const sessionName = `bus ${hostname()}:${process.pid}`;
const reconnectBackoff = { baseMs: 100, maxMs: 3_000 };

export interface ControlOptions extends Pick<BusOptions, 'observe' | 'staleAfterMs'> {
  readonly database: Database;
  readonly logger: Logger;
}

export function createControl({ database, logger, observe, staleAfterMs }: ControlOptions): Control {
  const staleHolders = createStaleHolders({
    logger,
    ...(staleAfterMs === undefined ? {} : { staleAfterMs }),
    ended: (claim) => observe?.staleHolderEnded?.(claim),
  });
  const shares = createShares({ logger, staleHolders });
  const listeners = new Map<string, ((payload: string) => void)[]>();
  const learners: ((on: Session) => Promise<void>)[] = [];
  const stopping = new AbortController();
  const balanceSoon = createWake();
  let session: Session | null = null;
  let running: Promise<void> | null = null;

  /**
   * One statement at a time, as the driver wants it. A server that is paused answers nothing and closes nothing; then
   * the connection is given up from this side.
   */
  function bounded(on: Session): Session {
    let last: Promise<unknown> = Promise.resolve();
    const query = <Row>(text: string, values?: readonly unknown[]) => {
      const run = () =>
        withTimeout(on.query<Row>(text, values), queryTimeoutMs, () => {
          on.close().catch(() => undefined);
          return platformErrors.fault('DATABASE_UNAVAILABLE', { detail: 'The database did not answer in time.' });
        });
      const result = last.then(run, run);
      last = result;
      return result;
    };
    return { ...on, query };
  }

  /** Resolves with the reason when the connection has ended. */
  async function hold(connected: () => void): Promise<Error | null> {
    const opened = await database.session(sessionName);
    const ended = new AbortController();
    let reason: Error | null = null;
    opened.onEnd((why) => {
      reason = why;
      ended.abort();
    });
    const current = bounded(opened);
    try {
      opened.onNotification((channel, payload) => {
        for (const listener of listeners.get(channel) ?? []) listener(payload);
      });
      // What a crash takes back of the relay's own writes is relayed again, so that nobody has to wait for the disk here.
      await current.query('SET synchronous_commit = off');
      for (const channel of listeners.keys()) await current.query(`LISTEN ${channel}`);
      session = current;
      connected();
      const done = AbortSignal.any([ended.signal, stopping.signal]);
      while (!done.aborted) {
        for (const learn of learners) await learn(current);
        await shares.balance(current);
        await balanceSoon.wait(balanceEveryMs, done);
      }
      return reason;
    } finally {
      session = null;
      shares.forget();
      await settledWithin(opened.close(), closeTimeoutMs);
    }
  }

  async function run(): Promise<void> {
    let failures = 0;
    let saidAway = false;
    while (!stopping.signal.aborted) {
      const started = performance.now();
      let isConnected = false;
      const connected = () => {
        isConnected = true;
        if (saidAway) logger.info('the bus has its connection to the database');
        saidAway = false;
      };
      const reason = await hold(connected).catch((error: unknown) => error);
      if (stopping.signal.aborted) return;
      if (isConnected) {
        logger.warn({ err: reason }, 'the bus lost its connection to the database and connects again');
      } else if (!saidAway) {
        logger.info({ err: reason }, 'the bus cannot connect to the database yet');
      }
      saidAway = true;
      failures = performance.now() - started > reconnectBackoff.maxMs ? 1 : failures + 1;
      await sleep(backoffMs(failures, reconnectBackoff), stopping.signal);
    }
  }

  return {
    start() {
      running ??= run();
    },
    async stop() {
      stopping.abort();
      await running;
    },
    share(claim) {
      const share = shares.add(claim);
      balanceSoon.notify();
      return share;
    },
    async query<Row>(text: string, values?: readonly unknown[]) {
      if (session === null) throw platformErrors.fault('DATABASE_UNAVAILABLE');
      return session.query<Row>(text, values);
    },
    beforeLook(learn) {
      learners.push(learn);
    },
    onNotice(channel, listener) {
      listeners.set(channel, [...(listeners.get(channel) ?? []), listener]);
    },
  };
}
