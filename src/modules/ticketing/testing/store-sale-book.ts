import type { Queryable } from '#platform/postgres/database.ts';
import type { SaleBook } from './sale-book.ts';

const columnsOfLedger = [
  ...['id', 'xid', 'at', 'event_id', 'act', 'reservation_id', 'reservation_version', 'reservation_status', 'user_id'],
  ...['seat_nos', 'seat_fences', 'seat_steps', 'seat_state', 'held_until', 'ticket_type_ids', 'left_changes'],
  ...['ticket_ids', 'ticket_versions', 'ticket_state'],
].join(', ');

/** Writes a sale as if it had taken place in this database. */
export async function storeSaleBook(database: Queryable, book: SaleBook): Promise<void> {
  const { eventId } = book;
  const day = 86_400_000;
  await insert(database, 'events', [
    {
      ...{ event_id: eventId, version: 1, facts: {}, offer: 'an offer', built_offer: 'an offer', seller_id: eventId },
      ...{
        sale_opens_at: book.time(),
        sale_closes_at: book.time(book.now() + day),
        starts_at: book.time(book.now() + 2 * day),
      },
      ...{ purchase_limit: 20, return_delay_max_ms: 0, changed_at: book.time() },
    },
  ]);
  await insert(database, 'seats', book.seats);
  await insert(
    database,
    'ticket_types',
    book.types.map(({ id, capacity }) => ({
      ticket_type_id: id,
      event_id: eventId,
      area_id: 'F',
      name: 'F',
      capacity,
      price_krw: 0,
    })),
  );
  await insert(
    database,
    'shards',
    book.types.flatMap(({ id, left }) => [
      { ticket_type_id: id, shard_no: 0, places_left: Math.floor(left / 2) },
      { ticket_type_id: id, shard_no: 1, places_left: Math.ceil(left / 2) },
    ]),
  );
  const reservations = [...book.reservations.values()];
  await insert(database, 'reservations', reservations);
  await insert(database, 'tickets', [...book.tickets.values()]);
  const users = [...new Set(reservations.map(({ user_id }) => user_id))];
  await insert(
    database,
    'buyers',
    users.map((userId) => ({ event_id: eventId, user_id: userId, live: book.liveOf(userId) })),
  );
  await database.query(
    `INSERT INTO ticketing.ledger (${columnsOfLedger}, cause) OVERRIDING SYSTEM VALUE
     SELECT ${columnsOfLedger}, CASE WHEN act = 'held' THEN jsonb_build_object('lines', ticketing.lines_fingerprint(
       (SELECT lines FROM ticketing.reservations AS r WHERE r.id = reservation_id))) ELSE cause END
     FROM jsonb_populate_recordset(NULL::ticketing.ledger, $1::jsonb)`,
    [JSON.stringify(book.ledger)],
  );
  await database.query(
    `SELECT setval(pg_get_serial_sequence('ticketing.ledger', 'id'), (SELECT max(id) FROM ticketing.ledger))`,
  );
}

/** Columns that are not said get their default. */
async function insert(database: Queryable, table: string, rows: readonly object[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).join(', ');
  if (columns === '') return;
  await database.query(
    `INSERT INTO ticketing.${table} (${columns})
     SELECT ${columns} FROM jsonb_populate_recordset(NULL::ticketing.${table}, $1::jsonb)`,
    [JSON.stringify(rows)],
  );
}
