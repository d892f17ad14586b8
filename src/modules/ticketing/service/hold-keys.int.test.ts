import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { lockNameOf } from '#platform/idempotency.ts';
import type { Database, Queryable } from '#platform/postgres/database.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import { aHoldDesk } from '../testing/a-hold-desk.ts';
import { aSale } from '../testing/a-sale.ts';
import { aTicketingDatabase } from '../testing/a-ticketing-database.ts';
import { lockSeats, whileLocked } from '../testing/locked-rows.ts';

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

test('a request that waited for a row too long is told that it is busy, though its first try still has its key', async () => {
  const sale = await aSale(database);
  const wish = { userId: randomUUID(), key: 'lingering', seatNos: [0] };
  const name = lockNameOf({ ...wish, method: 'POST', route: '/api/seats/reserve' });
  const { late, seen } = givingKeysBackLate(database, name);
  const lingering = aHoldDesk(late);
  await lingering.books.get(sale.eventId);
  const verdict = await whileLocked(database, [lockSeats(sale.eventId)], () => lingering.hold(sale, wish));
  expect(verdict).toEqual({ status: 'busy' });
  expect(seen.slice(0, 2)).toEqual([['in-flight'], ['busy']]);
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

/** The key of a batch that fails stays locked until its next try has been answered, as it may be in a server that is busy. */
function givingKeysBackLate(real: Database, name: string) {
  const seen: unknown[] = [];
  let giveBack: (() => Promise<unknown>) | null = null;
  const keep = async () => {
    const [kept, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const keeping = real.transaction(async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 7277))', [name]);
      kept.resolve();
      await done.promise;
    });
    await Promise.race([kept.promise, keeping]);
    giveBack = () => {
      done.resolve();
      return keeping;
    };
  };
  const query: Queryable['query'] = async (text, values = [], options) => {
    if (!isBatch(text)) return real.query(text, values, options);
    try {
      const answer = await real.query<{ verdicts: unknown }>(text, values, options);
      seen.push(answer.rows[0]?.verdicts);
      await giveBack?.();
      return answer as never;
    } catch (error) {
      if (giveBack === null) await keep();
      throw error;
    }
  };
  return { late: { ...real, query }, seen };
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
