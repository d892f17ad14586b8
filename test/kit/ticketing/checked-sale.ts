import { randomUUID } from 'node:crypto';
import { createSaleBook, type SaleBook } from '#modules/ticketing/testing/sale-book.ts';
import { storeSaleBook } from '#modules/ticketing/testing/store-sale-book.ts';
import type { Queryable } from '#platform/postgres/database.ts';
import { aPaidOrder } from '#test/kit/payments/a-paid-order.ts';

/** Four seats, of which one is sold and paid for and one held, written into the tables as a sale leaves them. */
export async function checkedSale(database: Queryable): Promise<SaleBook> {
  const { rows } = await database.query<{ last: number }>('SELECT coalesce(max(id), 0) AS last FROM ticketing.ledger');
  let number = rows[0]?.last ?? 0;
  const book = createSaleBook({ seatCount: 4, capacities: [10], nextId: randomUUID, nextNumber: () => ++number });
  const sold = book.reservations.get(book.hold(randomUUID(), [0], []) ?? '');
  book.hold(randomUUID(), [1], []);
  if (sold === undefined || !book.pin(sold) || !book.confirm(sold)) throw new Error('the seat was not sold');
  await storeSaleBook(database, book);
  const { id: referenceId, order_id: orderId, user_id: userId, total_krw: amountKrw } = sold;
  if (orderId === null) throw new Error('what was sold has no order');
  await aPaidOrder(database, { orderId, referenceId, eventId: book.eventId, userId, amountKrw });
  return book;
}
