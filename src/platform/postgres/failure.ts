import { Fault, platformErrors } from '../errors.ts';

/** What to do about an error that came from PostgreSQL or from the way to it. */
export type FailureKind =
  /** The server, or the way to it, is away. */
  | 'unavailable'
  /** Another transaction was in the way; the same work may succeed when run again. */
  | 'contention'
  | 'other';

const unavailableStates = new Set([
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '58030', // io_error
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
  '25006', // read_only_sql_transaction: we are talking to a replica after a fail-over
]);
/** Class 53, insufficient resources: disk, memory, connections. The server is there and can do nothing for us. */
const outOfResources = '53';
const diskFull = '53100';
const contentionStates = new Set(['40001', '40P01']);
const socketCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
/** pg reports these as plain errors without a code. */
const unavailableMessages = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'Client has encountered a connection error',
  'Query read timeout',
  'Cannot use a pool after calling end on the pool',
  'Client was closed and is not queryable',
];

/** Also among the above. The server may be paused, cut off or overrun; asking again at once would only double the wait. */
const silenceMessages = [
  'timeout exceeded when trying to connect',
  'Connection terminated due to connection timeout',
  'Query read timeout',
];

/** How deep errors within errors are looked into. They may contain each other. */
const depthMax = 5;
const sqlStateLength = 5;

/** What the driver threw. An error of somebody else may look the same (`code: 'ENOTFOUND'`) and says nothing about PostgreSQL. */
const ofDriver = new WeakSet<object>();

export function fromDriver(error: unknown): unknown {
  if (typeof error === 'object' && error !== null) ofDriver.add(error);
  return error;
}

function isFromDriver(error: unknown): boolean {
  return typeof error === 'object' && error !== null && ofDriver.has(error);
}

/** Never throws, whatever was thrown: it is asked where a connection still has to be cleaned up. */
export function failureKind(error: unknown): FailureKind {
  return isFromDriver(error) ? quietly(() => kindOf(error, depthMax), 'other') : 'other';
}

function kindOf(error: unknown, depth: number): FailureKind {
  if (error instanceof AggregateError) {
    const isAway = depth > 0 && error.errors.some((inner) => kindOf(inner, depth - 1) === 'unavailable');
    return isAway ? 'unavailable' : 'other';
  }
  if (!(error instanceof Error)) return 'other';
  const code = sqlState(error) ?? '';
  if (contentionStates.has(code)) return 'contention';
  if (code.startsWith(outOfResources) && code.length === sqlStateLength) return 'unavailable';
  if (unavailableStates.has(code) || socketCodes.has(code)) return 'unavailable';
  return startsWithOneOf(error, unavailableMessages) ? 'unavailable' : 'other';
}

/**
 * What the driver threw, also where others have wrapped it (`cause`).
 * Undefined when it did not come from PostgreSQL.
 */
export function driverFailureIn(error: unknown): unknown {
  let at = error;
  for (let depth = 0; depth <= depthMax; depth++) {
    if (isFromDriver(at)) return at;
    const outer = at;
    at = quietly(() => (outer instanceof Error ? outer.cause : undefined), undefined);
  }
  return undefined;
}

/** Nothing came back within the limit, as opposed to a connection that was refused or broke. */
export function wasSilent(error: unknown): boolean {
  return quietly(() => error instanceof Error && startsWithOneOf(error, silenceMessages), false);
}

/** There is no room for what the database was to write. */
export function isDiskFull(error: unknown): boolean {
  return isFromDriver(error) && sqlState(error) === diskFull;
}

export function sqlState(error: unknown): string | undefined {
  return quietly(
    () => (error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined),
    undefined,
  );
}

/** Turns "away" into the fault that HTTP answers as 503; everything else passes unchanged. */
export function toFault(error: unknown): unknown {
  if (quietly(() => error instanceof Fault, false)) return error;
  if (failureKind(error) === 'unavailable') return platformErrors.fault('DATABASE_UNAVAILABLE', { cause: error });
  // A statement that ran into its time limit: the engine is there but overloaded, and nothing was changed.
  if (isFromDriver(error) && sqlState(error) === '57014') {
    return platformErrors.fault('DATABASE_UNAVAILABLE', {
      detail: 'The database did not answer in time.',
      cause: error,
    });
  }
  return error;
}

function startsWithOneOf({ message }: Error, beginnings: readonly string[]): boolean {
  return typeof message === 'string' && beginnings.some((beginning) => message.startsWith(beginning));
}

/** Getters and Proxies may throw at every touch. */
function quietly<Result>(look: () => Result, otherwise: Result): Result {
  try {
    return look();
  } catch {
    return otherwise;
  }
}
