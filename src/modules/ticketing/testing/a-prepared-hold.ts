import { randomUUID } from 'node:crypto';
import type { PreparedHold } from '../storage/holds.ts';
import type { Sale } from './a-sale.ts';

/** A request for free seats or places, as it is handed to the database. */
export function aPreparedHold(
  sale: Sale,
  { userId = randomUUID(), seatNos = [], places = 0 }: { userId?: string; seatNos?: number[]; places?: number },
): PreparedHold {
  const reservationId = randomUUID();
  const idempotency = { key: randomUUID(), method: 'POST', route: '/r', fingerprint: 'f' };
  const free = { priceKrw: 0, feeKrw: 0 };
  const [type] = sale.ticketTypes;
  const items = type === undefined || places === 0 ? [] : [{ ...type, quantity: places, ...free }];
  const wanted = items.map(({ ticketTypeId, quantity }) => ({ ticketTypeId, quantity }));
  return {
    request: { eventId: sale.eventId, userId, slotId: 'slot', seatNos, items: wanted, replaces: null, idempotency },
    ...{ reservationId, number: reservationId, opensAtMs: 0 },
    lines: {
      seats: seatNos.map((seatNo) => ({ seatNo, seatId: sale.seatId(seatNo), grade: 'R', ...free })),
      items: items.map(({ ticketTypeId, areaId, quantity }) => ({ ticketTypeId, areaId, quantity, ...free })),
      ...{ ticketCount: seatNos.length + places, feeKrw: 0, totalKrw: 0 },
    },
  };
}

/** Two who are in nobody's way: a request that comes with one of them is not alone. */
export const bystanders = (sale: Sale) => [6, 8].map((seatNo) => [aPreparedHold(sale, { seatNos: [seatNo] })]);

/** The same for two who come twice, and so are in their own way: their batches are decided one by one. */
export function rivals(sale: Sale) {
  return [6, 8].map((seatNo) => {
    const userId = randomUUID();
    return [seatNo, seatNo + 1].map((no) => aPreparedHold(sale, { userId, seatNos: [no] }));
  });
}
