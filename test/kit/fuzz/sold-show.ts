import { createTicketCodes } from '#modules/ticketing/service/ticket-codes.ts';
import { ticketKeysOf } from '#modules/ticketing/service/ticket-keys.ts';
import { setBlocked } from '#modules/ticketing/storage/blocking.ts';
import { confirmFree } from '#modules/ticketing/storage/transitions.ts';
import { aHold } from '#modules/ticketing/testing/a-hold.ts';
import { aSale, saleOffer } from '#modules/ticketing/testing/a-sale.ts';
import type { Database } from '#platform/postgres/database.ts';
import { testTicketKeys } from '#test/kit/secrets.ts';

export interface SoldShow {
  readonly eventId: string;
  /** Of an event with seats whose sale has not begun. */
  readonly unopenedEventId: string;
  readonly seatIds: readonly string[];
  readonly ticketTypeIds: readonly string[];
  /** Some are pending, the others have tickets. */
  readonly reservationIds: readonly string[];
  readonly ticketIds: readonly string[];
  readonly codes: readonly string[];
}

const unopenedForMs = 86_400_000;

/** A show of which this buyer has tickets, so that calls for tickets, codes and doors find something. */
export async function aSoldShow(
  database: Database,
  { buyerId, sellerId, copies }: { buyerId: string; sellerId: string; copies: number },
): Promise<SoldShow> {
  const ticketTypes = [{ capacity: 100, priceKrw: 0 }];
  // The best seats are in front and go fast. Those that calls name are at the back.
  const seats = copies * 100;
  const sale = await aSale(database, { seats, sellerId, priceKrw: 0, purchaseLimit: 1_000, ticketTypes });
  const unopened = await aSale(database, { seats: 20, nowMs: Date.now() + unopenedForMs });
  const reservationIds: string[] = [];
  for (let n = 0; n < copies; n++) {
    const held = { userId: buyerId, feeKrw: 0 };
    const bought = await aHold(database, sale, { ...held, seatNos: [n] });
    await confirmFree(database, { reservationId: bought.id, userId: buyerId });
    const pending = await aHold(database, sale, { ...held, seatNos: [copies + n] });
    reservationIds.push(bought.id, pending.id);
  }
  const { rows } = await database.query<{ id: string }>('SELECT id FROM ticketing.tickets WHERE event_id = $1', [
    sale.eventId,
  ]);
  const numbers = Array.from({ length: copies }, (_, n) => n);
  const blocked = numbers.map((n) => ({ seatNo: seats - 1 - n, seatId: sale.seatId(seats - 1 - n) }));
  const actor = { userId: sellerId, role: 'seller', requestId: 'fuzz' };
  const call = { eventId: sale.eventId, offer: saleOffer, seats: blocked, isBlocked: true, reason: 'cameras', actor };
  const { status } = await setBlocked(database, call);
  if (status !== 'done') throw new Error(`blocking seats: ${status}`);
  const codes = createTicketCodes(ticketKeysOf([testTicketKeys.URR_TICKET_SIGNING_KEYS]));
  const ticketIds = rows.map(({ id }) => id);
  return {
    ...{ eventId: sale.eventId, unopenedEventId: unopened.eventId, reservationIds, ticketIds },
    seatIds: [...blocked.map(({ seatId }) => seatId), ...numbers.map((n) => sale.seatId(seats - 1 - copies - n))],
    ticketTypeIds: sale.ticketTypes.map(({ ticketTypeId }) => ticketTypeId),
    codes: ticketIds.map((ticketId) => codes.codeOf({ eventId: sale.eventId, ticketId, version: 1 })),
  };
}
