import { setTimeout } from 'node:timers/promises';
import { type Fault, isFault, platformErrors } from '#platform/errors.ts';
import type { Queryable } from '#platform/postgres/database.ts';
import { driverFailureIn, sqlState } from '#platform/postgres/failure.ts';
import type { Random } from '#platform/random.ts';
import { newReservationNumber } from '../domain/reservation-number.ts';
import { type HoldAnswer, holdBatch, type PreparedHold } from './holds.ts';

/** How often a batch is run again that another transaction was in the way of, or whose numbers were taken. */
const againMax = 4;
/** How often, and after which pause, a key is asked for again that the batch's own first try may still have. */
const ownKeysTriesMax = 10;
const ownKeysWaitMs = 20;
const lockTimeout = '55P03';
const uniqueViolation = '23505';
const contention = ['40001', '40P01'];
/** The statement never reached a server that could have had an effect of it. */
const unsentStates = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', '57P03', '53300', '25006', '57014']);
const unsentMessages = ['timeout exceeded when trying to connect', 'Connection terminated due to connection timeout'];

export interface Decided {
  /** As it was written: its number may be a new one. */
  readonly hold: PreparedHold;
  readonly answer: HoldAnswer;
}

interface Batch {
  readonly eventId: string;
  readonly version: number;
  readonly holds: readonly PreparedHold[];
}

/**
 * Runs a batch to an answer for each of its requests, whatever happens to it:
 * - a row stays locked for too long: again, without waiting for locked rows; who meets one is told that it is busy;
 * - another transaction was in the way, or a reservation number is taken: again;
 * - the statement fails for another reason: each half by itself, until the request is found that it fails for;
 * - the connection is lost: nobody knows whether it took effect, and a look for the keys would not tell, since the
 *   server may still commit. Everybody is told so, and repeats with the same key.
 */
export async function decideHolds(
  deps: {
    database: Queryable;
    random: Random;
    onFreed?: (seats: readonly { seatNo: number; fence: number }[]) => void;
  },
  batch: Batch,
  { skipLocked = false, tried = 0 }: { skipLocked?: boolean; tried?: number } = {},
): Promise<(Decided | Error)[]> {
  const { holds } = batch;
  try {
    const { answers, freed } = await holdBatch(deps.database, { ...batch, skipLocked, isAgain: tried > 0 });
    if (freed.length > 0) deps.onFreed?.(freed);
    return holds.map((hold, n) => ({ hold, answer: answers[n] as HoldAnswer })); // One for each.
  } catch (error) {
    if (isFault(error, 'DATABASE_UNAVAILABLE')) return holds.map(() => outcomeUnknown(error));
    const state = sqlState(error) ?? '';
    if (state === lockTimeout && !skipLocked) return decidePastLocks(deps, batch);
    if (tried < againMax && (contention.includes(state) || isNumberTaken(error))) {
      const renumbered = holds.map((hold) => ({ ...hold, number: newReservationNumber(deps.random) }));
      return decideHolds(deps, { ...batch, holds: renumbered }, { skipLocked, tried: tried + 1 });
    }
    const [only] = holds;
    if (only === undefined) return [];
    if (holds.length === 1) {
      const isBusy = state === lockTimeout || contention.includes(state);
      return isBusy
        ? [{ hold: only, answer: { verdict: 'busy' } }]
        : [error instanceof Error ? error : new Error(String(error))];
    }
    const middle = holds.length >> 1;
    const first = await decideHolds(deps, { ...batch, holds: holds.slice(0, middle) }, { skipLocked });
    return [...first, ...(await decideHolds(deps, { ...batch, holds: holds.slice(middle) }, { skipLocked }))];
  }
}

/**
 * PostgreSQL says that a statement has failed before it gives its locks back, so the keys of this batch may still look in flight to its second
 * try. Those are asked for again for a while; a key that stays so is another process's.
 */
async function decidePastLocks(deps: Parameters<typeof decideHolds>[0], batch: Batch): Promise<(Decided | Error)[]> {
  const decided = await decideHolds(deps, batch, { skipLocked: true });
  for (let tried = 1; tried <= ownKeysTriesMax; tried++) {
    const places = [...decided.keys()].filter((n) => isInFlight(decided[n]));
    if (places.length === 0) break;
    await setTimeout(ownKeysWaitMs);
    const holds = places.flatMap((n) => batch.holds[n] ?? []);
    const again = await decideHolds(deps, { ...batch, holds }, { skipLocked: true });
    places.forEach((n, at) => {
      decided[n] = again[at] as Decided | Error; // One for each.
    });
  }
  return decided;
}

const isInFlight = (decided: Decided | Error | undefined) =>
  decided !== undefined && 'answer' in decided && decided.answer.verdict === 'in-flight';

function isNumberTaken(error: unknown): boolean {
  return (
    sqlState(error) === uniqueViolation &&
    error instanceof Error &&
    'constraint' in error &&
    error.constraint === 'reservations_number'
  );
}

function outcomeUnknown(fault: Fault): Fault {
  const cause = driverFailureIn(fault);
  const message = cause instanceof Error ? cause.message : '';
  if (unsentStates.has(sqlState(cause) ?? '') || unsentMessages.some((beginning) => message.startsWith(beginning)))
    return fault;
  return platformErrors.fault('DATABASE_UNAVAILABLE', {
    detail:
      'The database went away during the request; it may have taken effect. Repeat it with the same Idempotency-Key.',
    cause: fault,
  });
}
