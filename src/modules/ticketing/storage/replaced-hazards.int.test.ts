import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '#test/kit/faults.ts';
import { aHold } from '../testing/a-hold.ts';
import { aHoldDesk, expectConsistent } from '../testing/a-hold-desk.ts';
import { aSale } from '../testing/a-sale.ts';
import { aTicketingDatabase } from '../testing/a-ticketing-database.ts';
import { editedFunctions } from '../testing/edited-functions.ts';
import { waitingCalls, whileLocked } from '../testing/locked-rows.ts';
import { reservationRow } from '../testing/seen.ts';
import { pin } from './transitions.ts';

/**
 * A buyer swaps a hold for another one while the payment of the first begins. What keeps both from winning: the lock of the buyer, that of
 * the reservation, and the conditions of the writes. Each alone is enough, and without all of them seats are given up that are being paid
 * for, so the test is known to be able to fail. (The lock of the seats comes after the reservation was read and does not count.)
 */
const database = await aTicketingDatabase();
/** Batches wait for it after they have read everything and before they decide. */
const gate = { text: 'SELECT pg_advisory_xact_lock($1)', values: [727_702] };
const functions = editedFunctions(database);
afterEach(() => functions.restore());

const guards = {
  'the buyer’s lock': () =>
    functions.edit('hold_batch', /ORDER BY buyer\.user_id FOR UPDATE\)/, 'ORDER BY buyer.user_id)'),
  'the reservation’s lock': () =>
    functions.edit(
      'hold_batch',
      /PERFORM FROM ticketing\.reservations WHERE id = ANY \(own_ids\) ORDER BY id FOR UPDATE;/,
      'NULL;',
    ),
  'the conditions of the writes': async () => {
    await functions.edit('write_seats', /AND s\.state = c\.state_before[^;]*/, '');
    await functions.edit('write_ended_holds', /AND r\.status = 'pending' AND r\.version = [^;]*/, '');
  },
};
type Guard = keyof typeof guards;
const names = Object.keys(guards) as Guard[];

/** The swap has read what it decides on, then the payment begins, then the swap goes on. */
async function race() {
  const sale = await aSale(database);
  const desk = aHoldDesk(database);
  await desk.books.get(sale.eventId);
  const { id: reservationId, userId, totalKrw: amountKrw } = await aHold(database, sale, { seatNos: [0] });
  await functions.edit('hold_batch', /-- 3\. The decision\./, `PERFORM pg_advisory_xact_lock_shared(${gate.values});`);
  await functions.edit('hold_batch', /SET lock_timeout TO '500ms'/, `SET lock_timeout TO '60s'`);
  const { swapping, paying } = await whileLocked(database, [gate], async () => {
    const swapping = desk.hold(sale, { userId, seatNos: [1], replaces: reservationId });
    await reaches('the swap at the gate', async () => (await waitingCalls(database, 'hold_batch')) === 1);
    let isPaid = false;
    const paying = pin(database, { reservationId, userId, amountKrw, attemptId: randomUUID() }).finally(() => {
      isPaid = true;
    });
    await reaches('the payment', async () => isPaid || (await waitingCalls(database, 'pin')) === 1);
    return { swapping, paying };
  });
  const [{ status: swap }, payment] = await Promise.all([swapping, paying]);
  return { sale, swap, payment, reservation: (await reservationRow(database, reservationId)).status };
}

const reaches = (what: string, attempt: () => Promise<boolean>) => eventually(attempt, { withinMs: 60_000, what });

describe('a hold that is swapped while its payment begins', () => {
  test('as it is, the swap wins and the payment is refused', async () => {
    const { sale, ...outcome } = await race();
    expect(outcome).toEqual({ swap: 'granted', payment: 'closed', reservation: 'released' });
    await expectConsistent(database, sale);
  });

  for (const kept of names) {
    test(`with ${kept} alone one of both wins`, async () => {
      await functions.edit('hold_batch', /ORDER BY seat_no FOR UPDATE\)/, 'ORDER BY seat_no)');
      for (const name of names) if (name !== kept) await guards[name]();
      const { swap, payment, reservation } = await race();
      expect([
        { swap: 'granted', payment: 'closed', reservation: 'released' },
        { swap: 'unknown-replaced', payment: 'pinned', reservation: 'paying' },
      ]).toContainEqual({ swap, payment, reservation });
    });
  }

  test('with nothing of it both do', async () => {
    await functions.edit('hold_batch', /ORDER BY seat_no FOR UPDATE\)/, 'ORDER BY seat_no)');
    for (const name of names) await guards[name]();
    expect(await race()).toMatchObject({ swap: 'granted', payment: 'pinned', reservation: 'released' });
  });
});
