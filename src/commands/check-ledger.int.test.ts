import { expect, test } from 'vitest';
import { createDatabase } from '#platform/postgres/pool.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aDatabase, anEmptyDatabase } from '#test/kit/engines/database.ts';
import { checkedSale } from '#test/kit/ticketing/checked-sale.ts';
import { runCommandLine } from './command-line.ts';

const { url } = await aDatabase();
const database = createDatabase({ url, poolMax: 2 });
atEnd(() => database.close());

async function urr(args: readonly string[], databaseUrl = url) {
  const printed: string[] = [];
  const warned: string[] = [];
  const progress: { done: number; total: number }[] = [];
  const code = await runCommandLine(['check-ledger', ...args], {
    env: { URR_DATABASE_URL: databaseUrl },
    print: (line) => void printed.push(line),
    warn: (line) => void warned.push(line),
    showProgress: (one) => void progress.push(one),
  });
  return { code, printed: printed.join('\n'), warned: warned.join('\n'), progress };
}

test('it says what it has checked, of one event or of all, and exit code 1 means a contradiction', async () => {
  const [one, other] = [await checkedSale(database), await checkedSale(database)];
  const all = await urr([]);
  expect(all).toMatchObject({ code: 0, warned: '' });
  expect(all.printed).toMatch(
    /^checked \d+ ledger rows of 2 events, 8 seats, .*\nchecked 2 payments of 2 orders: 106000 KRW captured, 0 refunded; .*\nthe ledger and what stands agree$/,
  );
  expect(all.progress.at(-1)?.done).toBe(all.progress.at(-1)?.total);

  await database.query('UPDATE ticketing.seats SET fence = 7 WHERE event_id = $1 AND seat_no = 0', [one.eventId]);
  const wrong = await urr(['--event', one.eventId]);
  expect(wrong.code).toBe(1);
  expect(wrong.printed).toMatch(new RegExp(`CONTRADICTION {2}event ${one.eventId}: seat 0 is sold by .* at fence 7`));
  expect((await urr([])).code).toBe(1);
  expect((await urr(['--event', other.eventId.toUpperCase()])).code).toBe(0);
});

test('tickets that nobody has paid for, and money that bought nothing, are contradictions', async () => {
  const { url: own } = await aDatabase();
  const database = createDatabase({ url: own, poolMax: 2 });
  atEnd(() => database.close());
  const { reservations } = await checkedSale(database);
  const orderId = [...reservations.values()].find(({ order_id }) => order_id !== null)?.order_id;
  const change = (krw: number) =>
    database.query('UPDATE payments.payments SET captured_krw = captured_krw + $2 WHERE order_id = $1', [orderId, krw]);

  await change(-1);
  expect(await urr([], own)).toMatchObject({ code: 1, printed: expect.stringContaining('CONTRADICTION  payment ') });
  await change(1);
  expect(await urr([], own)).toMatchObject({ code: 0 });
  for (const what of ['user_id', 'reference_id']) {
    const { rows } = await database.query<{ was: string }>(
      `UPDATE payments.orders AS o SET ${what} = gen_random_uuid() FROM payments.orders AS was
       WHERE o.order_id = $1 AND was.order_id = $1 RETURNING was.${what} AS was`,
      [orderId],
    );
    const printed = expect.stringContaining(`order ${orderId}: it paid for reservation `);
    expect(await urr([], own)).toMatchObject({ code: 1, printed });
    await database.query(`UPDATE payments.orders SET ${what} = $2 WHERE order_id = $1`, [orderId, rows[0]?.was]);
  }
  await database.query(`UPDATE payments.orders SET amount_krw = amount_krw - 1 WHERE order_id = $1`, [orderId]);
  expect(await urr([], own)).toMatchObject({ code: 1, printed: expect.stringContaining('and its order of 52999') });
  await database.query(`UPDATE payments.orders SET amount_krw = amount_krw + 1 WHERE order_id = $1`, [orderId]);
  await database.query(`UPDATE ticketing.tickets SET order_id = 'unpaid'`);
  const bought = await urr([], own);
  expect(bought.code).toBe(1);
  expect(bought.printed).toContain(
    `order ${orderId}: captured 53000 − refunded 0 − on its way 0 − settled otherwise 0 = 53000, but live tickets 0`,
  );

  // The payment and its order are gone, with everything but the ledger.
  await database.query('DELETE FROM payments.payments WHERE order_id = $1', [orderId]);
  expect(await urr([], own)).toMatchObject({ code: 1, printed: expect.stringContaining('in the ledger, and nowhere') });
});

test('what cannot be checked is said', async () => {
  expect(await urr(['--event', 'x'])).toMatchObject({ code: 2, warned: expect.stringContaining('x is not the id') });
  const unknown = '018f0000-0000-7000-8000-000000000009';
  expect(await urr(['--event', unknown])).toMatchObject({ code: 2, warned: expect.stringContaining('never heard of') });
  const empty = await urr([], (await anEmptyDatabase()).url);
  expect(empty).toMatchObject({ code: 1, warned: expect.stringContaining('run urr migrate') });
});
