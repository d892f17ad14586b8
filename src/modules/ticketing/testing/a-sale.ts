import { randomUUID } from 'node:crypto';
import type { EventSnapshot } from '#modules/catalog/contract.ts';
import type { Queryable } from '#platform/postgres/database.ts';
import type { PlanDocument } from '../domain/seat-plan.ts';

/** An event with its seats and standing places, ready to be sold, written straight into the tables as building leaves them. */
export interface Sale {
  readonly eventId: string;
  readonly sellerId: string;
  readonly seatCount: number;
  readonly priceKrw: number;
  readonly ticketTypes: readonly SaleTicketType[];
  seatId(seatNo: number): string;
}

export interface SaleTicketType {
  readonly ticketTypeId: string;
  readonly areaId: string;
  readonly capacity: number;
  readonly priceKrw: number;
}

export interface SaleOptions {
  readonly sellerId?: string;
  /** In rows of ten, section A. */
  readonly seats?: number;
  readonly priceKrw?: number;
  readonly ticketTypes?: readonly { readonly capacity: number; readonly priceKrw?: number }[];
  readonly purchaseLimit?: number;
  readonly returnDelayMaxMs?: number;
  /** By which the sale's times are set: open since an hour, the show in 30 days, doors an hour before it. */
  readonly nowMs?: number;
  /** Of the show, from `nowMs`. */
  readonly startsInMs?: number;
}

const hourMs = 3_600_000;
const seatsPerRow = 10;
const gradeName = 'R';

export async function aSale(database: Queryable, options: SaleOptions = {}): Promise<Sale> {
  const { seats = 10, priceKrw = 50_000, purchaseLimit = 4, returnDelayMaxMs = 0, nowMs = Date.now() } = options;
  const { startsInMs = 30 * 24 * hourMs, sellerId = randomUUID() } = options;
  const at = (ms: number) => new Date(nowMs + ms).toISOString();
  const ticketTypes = (options.ticketTypes ?? []).map(({ capacity, priceKrw: price = 30_000 }, index) => ({
    ...{ ticketTypeId: randomUUID(), areaId: `Z${index + 1}`, capacity, priceKrw: price },
  }));
  const someone = { id: randomUUID(), name: '누군가', nameEn: null };
  const facts: EventSnapshot = {
    ...{ eventId: randomUUID(), version: 1, sellerId, layoutId: randomUUID() },
    ...{ title: '먼 데서 온 바람', titleEn: null, artist: someone, venue: someone },
    ...{ startsAt: at(startsInMs), doorsAt: at(startsInMs - hourMs) },
    ...{ saleOpensAt: at(-hourMs), saleClosesAt: at(startsInMs - hourMs), phases: [] },
    prices: [{ grade: gradeName, priceKrw }],
    ticketTypes: ticketTypes.map(({ ticketTypeId, areaId, capacity, priceKrw: price }) => ({
      ...{ id: ticketTypeId, areaId, name: areaId, nameEn: null, capacity, priceKrw: price },
    })),
    seatCount: seats,
    capacity: seats + ticketTypes.reduce((sum, { capacity }) => sum + capacity, 0),
    ...{ purchaseLimit, hot: false, queueEnabled: true, queueThreshold: null },
  };
  await storeEvent(database, facts, returnDelayMaxMs);
  await storePlaces(database, facts, planOf(facts));
  return {
    ...{ eventId: facts.eventId, sellerId: facts.sellerId, seatCount: seats, priceKrw, ticketTypes },
    seatId: (seatNo) => `A-${Math.floor(seatNo / seatsPerRow) + 1}-${(seatNo % seatsPerRow) + 1}`,
  };
}

export const saleOffer = 'an offer';

async function storeEvent(database: Queryable, facts: EventSnapshot, returnDelayMaxMs: number): Promise<void> {
  await database.query(
    `INSERT INTO ticketing.events (event_id, version, facts, offer, built_offer, seller_id, sale_opens_at, sale_closes_at, starts_at,
       doors_at, purchase_limit, return_delay_max_ms)
     VALUES ($1, $2, $3, $4, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      ...[facts.eventId, facts.version, JSON.stringify(facts), saleOffer, facts.sellerId],
      ...[facts.saleOpensAt, facts.saleClosesAt, facts.startsAt, facts.doorsAt, facts.purchaseLimit, returnDelayMaxMs],
    ],
  );
}

async function storePlaces(database: Queryable, facts: EventSnapshot, plan: PlanDocument): Promise<void> {
  const { eventId, layoutId, seatCount } = facts;
  await database.query('INSERT INTO ticketing.plans (event_id, offer, layout_id, plan) VALUES ($1, $2, $3, $4)', [
    ...[eventId, saleOffer, layoutId, JSON.stringify(plan)],
  ]);
  await database.query(
    'INSERT INTO ticketing.seats (event_id, seat_no) SELECT $1, n FROM generate_series(0, $2::integer - 1) AS n',
    [eventId, seatCount],
  );
  for (const { ticketTypeId, areaId, name, nameEn, capacity, priceKrw } of plan.ticketTypes) {
    await database.query(
      `INSERT INTO ticketing.ticket_types (ticket_type_id, event_id, area_id, name, name_en, capacity, price_krw)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [ticketTypeId, eventId, areaId, name, nameEn, capacity, priceKrw],
    );
    await database.query('SELECT ticketing.make_shards($1, $2)', [ticketTypeId, capacity]);
  }
  const ticketTypes = plan.ticketTypes.map(({ ticketTypeId, capacity }) => ({ ticketTypeId, capacity }));
  await database.query(`INSERT INTO ticketing.ledger (at, event_id, act, cause) VALUES (urr.now(), $1, 'built', $2)`, [
    eventId,
    JSON.stringify({ offer: saleOffer, seatCount, ticketTypes }),
  ]);
}

function planOf({ seatCount, prices, ticketTypes }: EventSnapshot): PlanDocument {
  const rows = Array.from({ length: Math.ceil(seatCount / seatsPerRow) }, (_, row) => {
    const count = Math.min(seatsPerRow, seatCount - row * seatsPerRow);
    const along = Array.from({ length: count }, (_, index) => index);
    return {
      label: String(row + 1),
      labels: along.map((index) => String(index + 1)),
      grades: along.map(() => 0),
      x: along.map((index) => index * 10),
      y: along.map(() => (row + 1) * 10),
    };
  });
  return {
    grades: prices.map(({ grade, priceKrw }) => ({ grade, priceKrw })),
    sections: seatCount === 0 ? [] : [{ id: 'A', rows }],
    stage: { x: 45, y: 0 },
    ticketTypes: ticketTypes.map(({ id, areaId, name, nameEn, capacity, priceKrw }) => ({
      ...{ ticketTypeId: id, areaId, name, nameEn, capacity, priceKrw },
    })),
  };
}
