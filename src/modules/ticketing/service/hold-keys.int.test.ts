import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import type { Database, Queryable } from '#platform/postgres/database.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import { aHoldDesk } from '../testing/a-hold-desk.ts';
import { aSale } from '../testing/a-sale.ts';
import { aTicketingDatabase } from '../testing/a-ticketing-database.ts';

/** One key whose first request is not over, or of which nobody knows whether it is. */
const database = await aTicketingDatabase();
afterEach(() => checkLedger(database));
const desk = aHoldDesk(database);

test('a connection that is lost on the way leaves the outcome open, and the same key settles it', async () => {
  const sale = await aSale(database);
  const lossy = aHoldDesk(losingAnswers(database));
  await lossy.books.get(sale.eventId);
  const wish = { userId: randomUUID(), key: 'lost', seatNos: [7] };
  await expect(lossy.hold(sale, wish)).rejects.toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    detail: expect.stringContaining('same Idempotency-Key'),
  });
  expect(await desk.hold(sale, wish)).toMatchObject({
    status: 'replayed',
    reservation: { seats: [{ seatId: sale.seatId(7) }] },
  });
});

test('two processes with one key: while one is at it the other says so, and then gets the same reservation', async () => {
  const sale = await aSale(database);
  const gate = { reached: Promise.withResolvers<void>(), opened: Promise.withResolvers<void>() };
  const slow = aHoldDesk(committingLate(database, gate));
  const wish = { userId: randomUUID(), key: 'one of both', seatNos: [0] };
  const first = slow.hold(sale, wish);
  await gate.reached.promise;
  try {
    expect(await desk.hold(sale, wish)).toEqual({ status: 'in-flight' });
    expect(await desk.hold(sale, { ...wish, fingerprint: 'another' })).toEqual({ status: 'in-flight' });
  } finally {
    gate.opened.resolve();
  }
  const granted = await first;
  expect(granted).toMatchObject({ status: 'granted' });
  expect(await desk.hold(sale, wish)).toEqual({ ...granted, status: 'replayed' });
});

const isBatch = (text: string) => text.includes('hold_batch');

/** The session of a batch ends after its commit and before its answer. */
function losingAnswers(real: Database): Database {
  const query: Queryable['query'] = async (text, values = [], options) => {
    const answer = await real.query(text, values, options);
    if (isBatch(text)) await real.query('SELECT pg_terminate_backend(pg_backend_pid())');
    return answer as never;
  };
  return { ...real, query };
}

/** A batch has done its work, and its transaction stays open until the gate does. */
function committingLate(
  real: Database,
  { reached, opened }: Record<'reached' | 'opened', PromiseWithResolvers<void>>,
): Database {
  const query: Queryable['query'] = (text, values = [], options) =>
    !isBatch(text)
      ? real.query(text, values, options)
      : real.transaction(async (tx) => {
          const answer = await tx.query(text, values, options);
          reached.resolve();
          await opened.promise;
          return answer as never;
        });
  return { ...real, query };
}
