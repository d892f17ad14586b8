import { expect, test } from 'vitest';
import { releaseDatabaseClock, setDatabaseClock } from '#test/kit/database-clock.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import { aHold } from '../testing/a-hold.ts';
import { aSale } from '../testing/a-sale.ts';
import { aTicketingDatabase } from '../testing/a-ticketing-database.ts';
import { aPinned } from '../testing/payments.ts';
import { oldPins } from './old-pins.ts';
import { applyPayments } from './transitions.ts';

const database = await aTicketingDatabase();
const oldAfterMs = 120_000;

test('a pin and a deposit of which nobody tells the outcome are counted when they are old, and not before', async () => {
  const beginMs = Date.now();
  await setDatabaseClock(database, new Date(beginMs));
  const sale = await aSale(database, { nowMs: beginMs });
  const pinned = await aPinned(database, await aHold(database, sale, { seatNos: [0] }));
  const waiting = await aPinned(database, await aHold(database, sale, { seatNos: [1] }));
  await applyPayments(database, [waiting.waiting(new Date(beginMs + 1_800_000))], 1);
  const oldAfter = async (ms: number) => {
    await setDatabaseClock(database, new Date(beginMs + ms));
    const { count, page } = await oldPins(database, { oldAfterMs, limit: 10, after: null });
    expect(count).toBe(page.length);
    for (const [n, after] of page.entries())
      expect(await oldPins(database, { oldAfterMs, limit: 10, after })).toEqual({ count, page: page.slice(n + 1) });
    return page.map(({ attemptId }) => attemptId);
  };
  try {
    expect(await oldAfter(oldAfterMs)).toEqual([]);
    expect(await oldAfter(oldAfterMs + 1)).toEqual([pinned.attemptId]);
    expect(await oldAfter(1_800_000 + oldAfterMs + 1)).toEqual([pinned.attemptId, waiting.attemptId]);
  } finally {
    await releaseDatabaseClock(database);
  }
  await checkLedger(database);
});
