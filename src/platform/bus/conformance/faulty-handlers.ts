import { fromDriver } from '#platform/postgres/failure.ts';
import type { ConsumerContext } from '../port.ts';
import type { Counted } from './records.ts';

type Fault = (context: ConsumerContext, event: Counted) => unknown;

const trap = () => {
  throw new Error('a trap');
};
const thrown = (value: unknown) => () => {
  throw value;
};
const like = (code: string) => thrown(Object.assign(new Error(`looks like ${code}`), { code }));
const until = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

const cyclic = new AggregateError([], 'contains itself', { cause: null });
cyclic.errors.push(cyclic);
cyclic.cause = cyclic;

const unprintable = 'something that cannot be printed was thrown';
export const shortTimeoutMs = 500;
const tookTooLong = `the handler took longer than ${shortTimeoutMs} ms`;

export interface HandlerFault {
  readonly what: string;
  /** In the dead letter. */
  readonly reason: string;
  readonly fault: Fault;
}

/** Every way in which a handler can fail before its time is over. */
export const handlerFaults: readonly HandlerFault[] = [
  { what: 'undefined', reason: 'undefined', fault: thrown(undefined) },
  { what: 'null', reason: 'null', fault: thrown(null) },
  { what: 'a string', reason: 'only words', fault: thrown('only words') },
  { what: 'a number', reason: '7', fault: thrown(7) },
  { what: 'a symbol', reason: 'Symbol(s)', fault: thrown(Symbol('s')) },
  { what: 'a function', reason: 'function f() {}', fault: thrown(function f() {}) },
  {
    what: 'a message that is an object',
    reason: '{"no":"string"}',
    fault: thrown(Object.assign(new Error(), { message: { no: 'string' } })),
  },
  {
    what: 'a message that is a symbol',
    reason: 'Symbol(m)',
    fault: thrown(Object.assign(new Error(), { message: Symbol('m') })),
  },
  {
    what: 'a message that cannot be read',
    reason: 'RangeError',
    fault: thrown(Object.defineProperty(new RangeError(), 'message', { get: trap })),
  },
  {
    what: 'a Proxy that throws at every touch',
    reason: unprintable,
    fault: thrown(new Proxy({}, { get: trap, has: trap, getPrototypeOf: trap, ownKeys: trap })),
  },
  { what: 'a message that PostgreSQL cannot store', reason: 'a\uFFFDb\uFFFD', fault: thrown(new Error('a\0b\uD83D')) },
  { what: 'an error that contains itself', reason: 'contains itself', fault: thrown(cyclic) },
  { what: 'an error like that of a socket', reason: 'looks like ENOTFOUND', fault: like('ENOTFOUND') },
  { what: 'an error like a lost connection', reason: 'looks like 57P01', fault: like('57P01') },
  { what: 'an error like a conflict', reason: 'looks like 40001', fault: like('40001') },
  {
    what: 'a conflict each time',
    reason: 'conflict',
    fault: ({ tx }) => tx.query(`DO $$ BEGIN RAISE EXCEPTION 'conflict' USING ERRCODE = '40001'; END $$`),
  },
  {
    what: 'a statement that takes too long',
    reason: 'canceling statement due to statement timeout',
    fault: async ({ tx }) => {
      await tx.query('SET LOCAL statement_timeout = 50');
      await tx.query('SELECT pg_sleep(60)');
    },
  },
  {
    // As where it has raised the limit of its statements and the driver waits no longer.
    what: 'a silence of the database each time',
    reason: 'Query read timeout',
    fault: () => Promise.reject(fromDriver(new Error('Query read timeout'))),
  },
  {
    what: 'a failure that it swallows',
    reason: 'current transaction is aborted, commands ignored until end of transaction block',
    fault: ({ tx }) => tx.query('SELECT 1 / 0').catch(() => undefined),
  },
  {
    what: 'a failure that it does not wait for',
    reason: 'current transaction is aborted, commands ignored until end of transaction block',
    fault: ({ tx }) => void tx.query('SELECT 1 / 0'),
  },
  {
    what: 'a statement that cannot be sent and that it does not wait for',
    reason: 'a statement failed: cannot be written',
    fault: ({ tx }) => void tx.query('SELECT $1::json', [{ toJSON: thrown(new Error('cannot be written')) }]),
  },
  {
    what: 'a constraint that is checked at COMMIT',
    reason: 'duplicate key value violates unique constraint "test_deferred_id_key"',
    fault: ({ tx }) => tx.query('INSERT INTO urr.test_deferred VALUES (1), (1)'),
  },
  {
    what: 'COMMIT',
    reason: 'COMMIT is refused: transactions begin and end in database.transaction()',
    fault: ({ tx }) => tx.query('COMMIT'),
  },
  {
    what: 'ROLLBACK',
    reason: 'ROLLBACK is refused: transactions begin and end in database.transaction()',
    fault: ({ tx }) => tx.query('SELECT 1; ROLLBACK'),
  },
  {
    what: 'the end of its own connection',
    reason: 'terminating connection due to administrator command',
    fault: ({ tx }) => tx.query('SELECT pg_terminate_backend(pg_backend_pid())'),
  },
];

/** For a consumer with a short time. */
export const endlessHandlers: readonly HandlerFault[] = [
  { what: 'no end', reason: tookTooLong, fault: () => new Promise(() => {}) },
  {
    what: 'a statement beyond its time',
    reason: tookTooLong,
    fault: async ({ tx, signal }) => {
      await until(signal);
      await tx.query('SELECT 1');
    },
  },
  {
    what: 'a failure beyond its time',
    reason: tookTooLong,
    fault: async ({ signal }) => {
      await until(signal);
      await new Promise((resolve) => setTimeout(resolve, 20));
      throw new Error('too late to be heard');
    },
  },
];
