import pg from 'pg';
import { assert } from '../assert.ts';
import { platformErrors } from '../errors.ts';
import { withTimeout } from '../resilience/timeout.ts';
import { type Logger, silentLogger } from '../telemetry/logger.ts';
import { describeThrown } from '../telemetry/thrown.ts';
import type { Database, QueryOptions, QueryRows, Session, Transaction, TransactionOptions } from './database.ts';
import { failureKind, fromDriver, sqlState, toFault, wasSilent } from './failure.ts';
import { runFirstStatement } from './first-statement.ts';
import { kyselyOn } from './kysely.ts';
import { createRoomWatch } from './room.ts';
import { outlivesTransaction, refuseTransactionControl } from './transaction-control.ts';

export interface DatabaseOptions {
  readonly url: string;
  readonly poolMax: number;
  readonly statementTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  /** How long a transaction may stand still before the server ends its connection. */
  readonly idleInTransactionMs?: number;
  readonly logger?: Logger;
  readonly applicationName?: string;
  /** Told about every statement: how long it took and whether it failed. */
  readonly observe?: (seconds: number, outcome: 'ok' | 'error') => void;
}

const transactionTriesMax = 4;
const retryBackoffMs = 20;
const idleConnectionMs = 30_000;
const pingTimeoutMs = 2_000;
/** How soon either side asks whether the other is still there. */
const keepAliveIdleMs = 10_000;
/**
 * Of the server's side of the connection. Its own default is two hours, for which the locks of a host that was lost
 * without a word would stay. With these the session ends within 25 s. Over a Unix socket they have no effect.
 */
const serverKeepAlive = `SET tcp_keepalives_idle = ${keepAliveIdleMs / 1_000}; SET tcp_keepalives_interval = 5;
  SET tcp_keepalives_count = 3; SET tcp_user_timeout = 20000`;
const rollbackTimeoutMs = 1_000;

// bigint (int8) and count(*) arrive as text by default. All of ours stay below 2^53, and a larger one must not be rounded silently.
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint ${text} does not fit a number`);
  return value;
});

export function createDatabase(options: DatabaseOptions): Database {
  const {
    url,
    poolMax,
    statementTimeoutMs = 5_000,
    connectTimeoutMs = 2_000,
    idleInTransactionMs = 30_000,
    logger = silentLogger,
    observe,
  } = options;
  const clientConfig: pg.ClientConfig = {
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: options.applicationName ?? 'urr',
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveIdleMs,
  };
  const room = createRoomWatch();
  const pool = new pg.Pool({
    ...clientConfig,
    max: poolMax,
    idleTimeoutMillis: idleConnectionMs,
    statement_timeout: statementTimeoutMs,
    // A server that stopped answering without closing (paused, partitioned) must not hold a request for ever either.
    query_timeout: statementTimeoutMs + 1_000,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    onConnect: (client) => keepAlive(client, connectTimeoutMs),
  });
  // An idle connection that breaks is no reason to die: the pool drops it and the next query opens another. Only the
  // message is logged, since the driver hangs the whole client on the error, its cancel key included.
  pool.on('error', ({ message }) => {
    if (!pool.ending) logger.warn({ reason: message }, 'an idle database connection was lost');
  });
  // The pool takes its listener off when it hands a connection over, and anyone who waited for it comes to run only later. An
  // error in between, which may stand in the same packet as the last answer, would end the process. It is not lost: the next
  // statement on that connection fails.
  pool.on('connect', (client) => client.on('error', () => undefined));

  async function run<Row>(on: pg.Pool | pg.ClientBase, statement: pg.QueryConfig): Promise<QueryRows<Row>> {
    return observed(() => on.query(statement));
  }

  async function observed<Row>(send: () => Promise<pg.QueryResult>): Promise<QueryRows<Row>> {
    const started = observe ? performance.now() : 0;
    try {
      const result = await send();
      observe?.((performance.now() - started) / 1000, 'ok');
      // The row type is the caller's claim about its own statement; rows are parsed where they enter the domain.
      return { rows: result.rows as Row[], rowCount: result.rowCount ?? 0 };
    } catch (error) {
      observe?.((performance.now() - started) / 1000, 'error');
      room.note(fromDriver(error));
      throw error;
    }
  }

  const query = async <Row>(text: string, values: readonly unknown[] = [], queryOptions?: QueryOptions) => {
    refuseTransactionControl(text);
    try {
      return await run<Row>(pool, toStatement(text, values, queryOptions));
    } catch (error) {
      throw toFault(error);
    }
  };
  const kyselyOnPool = kyselyOn<unknown>({ query });

  /** The commit has happened: an effect that breaks its promise not to throw must not make it look undone. */
  function runEffect(effect: () => void): void {
    // An effect may be asynchronous, whatever its type says.
    (async () => effect())().catch((error: unknown) => {
      logger.error({ reason: describeThrown(error).reason }, 'an effect after a commit failed');
    });
  }

  async function runOnce<T>(work: (tx: Transaction) => Promise<T>, transactionOptions: TransactionOptions): Promise<T> {
    const client = await pool.connect().catch((error: unknown) => Promise.reject(fromDriver(error)));
    const effects: (() => void)[] = [];
    /** Resolves when BEGIN has an answer, whichever; null before it was sent. */
    let opening: Promise<void> | null = null;
    /** Why there is no transaction although BEGIN was sent. */
    let notBegun = null as { readonly error: unknown } | null;
    /** The server has said that it is in the transaction. */
    let isOpen = false;
    let over = false;
    /** ROLLBACK is on its way, or the connection goes: a statement that still waits for BEGIN must not be sent behind it. */
    let isGivenUp = false;
    /** Statements that have no answer yet. */
    const pending = new Set<Promise<unknown>>();
    /** A statement that never reached the server: unlike one that failed there, it does not keep COMMIT from succeeding. */
    let unsent: unknown;
    /** A statement whose answer did not come. It may be done all the same, so nothing of this may be committed. */
    let unanswered = null as { readonly error: unknown } | null;
    /** Set when the connection must not be used again. */
    let broken: Error | undefined;
    /** The work has ended its transaction in a way that the text did not show. Further statements would each commit alone. */
    let ended: Error | undefined;
    const lookForEnd = () => {
      if (!isOpen || ended !== undefined || client.getTransactionStatus() !== 'I') return;
      ended = new Error('the work has ended its transaction: what it did before may be committed, and the rest is not');
      logger.error({ reason: ended.message }, 'a transaction was ended by its own work');
    };
    /**
     * BEGIN goes along with the first statement, unless that has no values: then it may be several, which only travel by themselves.
     * What comes before its answer waits for it, in order: without a transaction each statement would commit alone.
     */
    const send = <Row>(
      text: string,
      values: readonly unknown[],
      queryOptions?: QueryOptions,
    ): Promise<QueryRows<Row>> => {
      const next = toStatement(text, values, queryOptions);
      if (opening === null && values.length > 0) {
        let isBegun = false;
        const onBegun = () => {
          isBegun = true;
        };
        const first = observed<Row>(() => runFirstStatement(client, begin(transactionOptions), next, onBegun));
        opening = first.then(noop, (error: unknown) => {
          if (!isBegun) notBegun = { error };
        });
        return first;
      }
      opening ??= run(client, { text: begin(transactionOptions).join('; ') }).then(noop, (error: unknown) => {
        notBegun = { error };
      });
      return opening.then(() => {
        if (isGivenUp) throw new Error('the transaction is over');
        if (notBegun !== null) throw notBegun.error;
        return run<Row>(client, next);
      });
    };
    const statement = async <Row>(text: string, values: readonly unknown[], queryOptions?: QueryOptions) => {
      // A branch of the work that outlived it (Promise.all with one failure) must not write into the next transaction here.
      if (over) throw new Error('the transaction is over');
      if (ended !== undefined) throw ended;
      try {
        refuseTransactionControl(text);
        if (outlivesTransaction(text)) broken ??= new Error('the work has changed its session');
        const result = await send<Row>(text, values, queryOptions);
        isOpen = true;
        return result;
      } catch (error) {
        if (failureKind(error) === 'unavailable') {
          unanswered ??= { error };
          transactionOptions.onConnectionLost?.(error);
        } else if (sqlState(error) === planIsOutdated) {
          // The server keeps the plan as long as the connection lives; another connection makes a new one.
          broken ??= new Error('a prepared statement no longer fits its tables');
        } else if (sqlState(error) === undefined) {
          unsent ??= error;
          // The driver takes the statement away from the server and goes on believing that it is there.
          if (queryOptions?.prepare === true) broken ??= new Error('a prepared statement could not be written');
        }
        throw error;
      } finally {
        lookForEnd();
      }
    };
    const txQuery = <Row>(text: string, values: readonly unknown[] = [], queryOptions?: QueryOptions) => {
      const result = statement<Row>(text, values, queryOptions);
      pending.add(result);
      const answered = () => pending.delete(result);
      // Work that does not wait for its statement must not end the process when it fails; it is noticed before COMMIT.
      result.then(answered, answered);
      return result;
    };
    let kysely: unknown;
    const tx: Transaction = {
      query: txQuery,
      kysely<Tables>() {
        kysely ??= kyselyOn<Tables>({ query: txQuery });
        // One Kysely per transaction; the table types are the caller's view and exist at compile time only.
        return kysely as ReturnType<typeof kyselyOn<Tables>>;
      },
      afterCommit: (effect) => effects.push(effect),
    };
    const finish = (result: T): T => {
      for (const effect of effects) runEffect(effect);
      return result;
    };
    const onError = (error: Error) => {
      broken = error;
    };
    client.on('error', onError);
    try {
      const result = await work(tx);
      over = true;
      await Promise.allSettled(pending);
      if (ended !== undefined) throw ended;
      if (unanswered !== null) throw unanswered.error;
      if (unsent !== undefined)
        throw new Error(`a statement failed: ${describeThrown(unsent).reason}`, { cause: unsent });
      if (opening === null) return finish(result);
      if (notBegun !== null) throw notBegun.error;
      const { command } = await client.query('COMMIT').catch((error: unknown) => Promise.reject(fromDriver(error)));
      // PostgreSQL answers COMMIT of a transaction in which a statement failed with a silent ROLLBACK.
      if (command !== 'COMMIT') {
        throw new Error('the transaction was rolled back: a statement in it failed, and the failure was swallowed');
      }
      return finish(result);
    } catch (error) {
      over = true;
      isGivenUp = true;
      if (failureKind(error) === 'unavailable') broken ??= new Error('the connection was lost', { cause: error });
      else if (notBegun !== null) broken ??= new Error('the transaction did not begin', { cause: notBegun.error });
      else if (opening !== null) broken = (await rollBack(client)) ?? broken ?? ended;
      throw ended ?? error;
    } finally {
      client.off('error', onError);
      // Whatever has happened: what is still in a transaction would be committed by the next one on this connection.
      client.release(broken ?? client.getTransactionStatus() !== 'I');
    }
  }

  return {
    url,
    query,
    kysely<Tables>() {
      return kyselyOnPool as unknown as ReturnType<typeof kyselyOn<Tables>>;
    },
    async transaction(work, transactionOptions = {}) {
      for (let tried = 1; ; tried++) {
        let commitSent = false;
        try {
          return await runOnce(async (tx) => {
            const result = await work(tx);
            commitSent = true;
            return result;
          }, transactionOptions);
        } catch (error) {
          const kind = failureKind(error);
          // After COMMIT was sent on a connection that broke, nobody knows whether it took effect: the caller must decide.
          if (kind === 'unavailable' && commitSent) throw commitUnknown(error);
          const again = kind === 'contention' || (kind === 'unavailable' && !wasSilent(error) && tried === 1);
          if (!again || transactionOptions.retry === false || tried >= transactionTriesMax) throw toFault(error);
          await new Promise((resolve) => setTimeout(resolve, retryBackoffMs * 2 ** tried * (0.5 + Math.random())));
        }
      }
    },
    session: (name) =>
      openSession({ config: { ...clientConfig, application_name: `urr ${name}` }, run, connectTimeoutMs }),
    async ping() {
      room.insist();
      await withTimeout(query('SELECT 1'), pingTimeoutMs, () => platformErrors.fault('DATABASE_UNAVAILABLE'));
    },
    async close() {
      await pool.end();
    },
  };
}

const noop = () => undefined;

/** feature_not_supported: "cached plan must not change result type". */
const planIsOutdated = '0A000';

function toStatement(text: string, values: readonly unknown[], options?: QueryOptions): pg.QueryConfig {
  // The driver does not write into the values, whatever its types say.
  const statement = { text, values: values as unknown[] };
  return options?.prepare === true ? { ...statement, name: nameOfPrepared(text) } : statement;
}

const preparedNames = new Map<string, string>();
/** Each is kept by every connection, on both sides, for as long as that lives. */
const preparedMax = 100;

function nameOfPrepared(text: string): string {
  const known = preparedNames.get(text);
  if (known !== undefined) return known;
  const name = `urr_${preparedNames.size}`;
  preparedNames.set(text, name);
  assert(preparedNames.size <= preparedMax, 'a statement that is prepared has a text that never varies');
  return name;
}

/** Says why the connection cannot be used again, if so. Behind a statement that hangs it is not waited for long. */
async function rollBack(client: pg.ClientBase): Promise<Error | undefined> {
  const statement: pg.QueryConfig & { query_timeout: number } = { text: 'ROLLBACK', query_timeout: rollbackTimeoutMs };
  return client.query(statement).then(
    () => undefined,
    (cause: unknown) => new Error('ROLLBACK failed', { cause }),
  );
}

function commitUnknown(cause: unknown): Error {
  return platformErrors.fault('DATABASE_UNAVAILABLE', {
    detail: 'The database went away while the change was being committed; it may have taken effect.',
    cause,
  });
}

function begin(options: TransactionOptions): string[] {
  const { isolation, statementTimeoutMs, idleTimeoutMs } = options;
  const statements = [`BEGIN${isolation ? ` ISOLATION LEVEL ${isolation.toUpperCase()}` : ''}`];
  if (statementTimeoutMs) statements.push(`SET LOCAL statement_timeout = ${Math.trunc(statementTimeoutMs)}`);
  if (idleTimeoutMs) statements.push(`SET LOCAL idle_in_transaction_session_timeout = ${Math.trunc(idleTimeoutMs)}`);
  return statements;
}

/** By a statement, not by the `options` of the connection: those may be in the URL, and a pooler may refuse them. */
async function keepAlive(client: pg.ClientBase, timeoutMs: number): Promise<void> {
  // `query_timeout` of a single statement is the driver's, but not yet in its types.
  const statement: pg.QueryConfig & { query_timeout: number } = { text: serverKeepAlive, query_timeout: timeoutMs };
  try {
    await client.query(statement);
  } catch (error) {
    // A server that has no such setting is no reason to have no connection.
    if (sqlState(error) === undefined || failureKind(fromDriver(error)) === 'unavailable') throw error;
  }
}

async function openSession(options: {
  config: pg.ClientConfig;
  connectTimeoutMs: number;
  run: <Row>(on: pg.ClientBase, statement: pg.QueryConfig) => Promise<QueryRows<Row>>;
}): Promise<Session> {
  const { run } = options;
  const client = new pg.Client(options.config);
  const endListeners: ((reason: Error | null) => void)[] = [];
  let reason: Error | null = null;
  client.on('error', (error) => {
    reason = error;
  });
  client.on('end', () => {
    for (const listener of endListeners) listener(reason);
  });
  try {
    await client.connect();
    await keepAlive(client, options.connectTimeoutMs);
  } catch (error) {
    client.end().catch(() => undefined);
    throw toFault(fromDriver(error));
  }
  // One at a time: several users share a session, and pg sends one statement per connection.
  let last: Promise<unknown> = Promise.resolve();
  const query = <Row>(text: string, values: readonly unknown[] = []) => {
    const result = last
      .then(() => run<Row>(client, toStatement(text, values)))
      .catch((error: unknown) => Promise.reject(toFault(error)));
    last = result.catch(() => {});
    return result;
  };
  return {
    query,
    kysely: <Tables>() => kyselyOn<Tables>({ query }),
    onEnd: (listener) => endListeners.push(listener),
    onNotification: (listener) =>
      client.on('notification', (message) => listener(message.channel, message.payload ?? '')),
    close: () => client.end(),
  };
}
