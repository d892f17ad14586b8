import type { BuiltEvent } from '../domain/replay-built.ts';
import type { LedgerSnapshot } from './ledger-snapshot.ts';

interface Cause {
  readonly seatCount: number;
  readonly ticketTypes: readonly { readonly ticketTypeId: string; readonly capacity: number }[];
}

export async function readBuilt(snapshot: LedgerSnapshot, eventId: string): Promise<BuiltEvent> {
  const rows = await snapshot.rows<{ cause: Cause }>(
    `SELECT cause FROM ticketing.ledger WHERE event_id = $1 AND act = 'built' ORDER BY id`,
    [eventId],
  );
  const [facts] = await snapshot.rows<{ event: BuiltEvent['event']; seats: number; rows: number; now: number }>(
    `SELECT (SELECT json_build_object('builtOffer', built_offer) FROM ticketing.events WHERE event_id = $1) AS event,
            (SELECT count(*) FROM ticketing.seats WHERE event_id = $1)::integer AS seats,
            (SELECT count(*) FROM ticketing.ledger WHERE event_id = $1)::integer AS rows,
            (extract(epoch FROM urr.now()) * 1000000)::bigint AS now`,
    [eventId],
  );
  const leftOver = await snapshot.rows<{ id: string; status: string }>(
    `SELECT r.id, r.status FROM ticketing.reservations r JOIN ticketing.events e USING (event_id)
     WHERE r.event_id = $1 AND e.cancel_done_at IS NOT NULL
       AND (r.status = 'pending' OR (r.status IN ('paying', 'waiting_for_deposit') AND NOT r.refund_requested)
         OR EXISTS (SELECT FROM ticketing.tickets t WHERE t.reservation_id = r.id AND t.state IN ('issued', 'listed')))
     ORDER BY r.id LIMIT 1`,
    [eventId],
  );
  const builds = rows.map(({ cause }) => ({
    seatCount: cause.seatCount,
    capacities: new Map(cause.ticketTypes.map(({ ticketTypeId, capacity }) => [ticketTypeId, capacity])),
  }));
  return {
    builds,
    seatCount: builds.at(-1)?.seatCount ?? 0,
    event: facts?.event ?? null,
    seatRows: facts?.seats ?? 0,
    ledgerRows: facts?.rows ?? 0,
    now: facts?.now ?? 0,
    leftOver: leftOver[0] ?? null,
  };
}
