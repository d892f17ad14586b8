import { assert } from '#platform/assert.ts';
import { isoTime } from '#platform/clock.ts';
import { eventStatus } from '../domain/event-status.ts';
import type { Phase } from '../domain/phases.ts';
import { publishingProblems } from '../domain/publishing.ts';
import type { LiveEventFacts } from '../internal-calls.ts';
import type { SellerEvent } from '../routes/seller-schemas.ts';
import type { EventRecord } from '../storage/event-record.ts';
import type { EventSnapshot } from '../topics.ts';

/** The shapes in which an event leaves the module. */

/** For the bus. A published event has all its facts; anything else would be a fault of ours. */
export function snapshotOf(event: EventRecord): EventSnapshot {
  const { artist, venue, layout, layoutId, startsAt, saleOpensAt, saleClosesAt } = event;
  assert(
    artist && venue && layout && layoutId && startsAt !== null && saleOpensAt !== null && saleClosesAt !== null,
    `event ${event.id} is published and incomplete`,
  );
  return {
    eventId: event.id,
    version: event.version,
    sellerId: event.sellerId,
    title: event.title,
    titleEn: event.titleEn,
    artist,
    venue,
    layoutId,
    startsAt: isoTime(startsAt),
    doorsAt: optionalTime(event.doorsAt),
    saleOpensAt: isoTime(saleOpensAt),
    saleClosesAt: isoTime(saleClosesAt),
    phases: phasesOf(event.phases),
    prices: [...event.prices],
    ticketTypes: ticketTypesOf(event),
    seatCount: layout.seatCount,
    capacity: layout.seatCount + layout.standingCapacity,
    purchaseLimit: event.purchaseLimit,
    hot: event.hot,
    queueEnabled: event.queueEnabled,
    queueThreshold: event.queueThreshold,
    seatReturnDelayMaxSeconds: event.seatReturnDelayMaxSeconds,
  };
}

export function liveFactsOf(event: EventRecord, nowMs: number): LiveEventFacts {
  return {
    ...snapshotOf(event),
    status: eventStatus(event, nowMs),
    soldOut: event.soldOut,
    cancelledAt: optionalTime(event.cancelledAt),
  };
}

export function summaryOf(event: EventRecord, nowMs: number) {
  const facts = snapshotOf(event);
  const prices = [...event.prices, ...event.ticketTypes].map(({ priceKrw }) => priceKrw);
  return {
    id: event.id,
    title: facts.title,
    titleEn: facts.titleEn,
    status: eventStatus(event, nowMs),
    artist: facts.artist,
    venue: facts.venue,
    startsAt: facts.startsAt,
    doorsAt: facts.doorsAt,
    saleOpensAt: facts.saleOpensAt,
    saleClosesAt: facts.saleClosesAt,
    imageUrl: event.imageUrl,
    hot: event.hot,
    priceMinKrw: Math.min(...prices),
    priceMaxKrw: Math.max(...prices),
  };
}

export function detailOf(event: EventRecord, nowMs: number) {
  const facts = snapshotOf(event);
  const seats = new Map(event.layout?.seatsByGrade.map((entry) => [entry.grade, entry.seats]));
  return {
    ...summaryOf(event, nowMs),
    description: event.description,
    descriptionEn: event.descriptionEn,
    layoutId: facts.layoutId,
    seatCount: facts.seatCount,
    standingCapacity: facts.capacity - facts.seatCount,
    prices: facts.prices.map((price) => ({ ...price, seats: seats.get(price.grade) ?? 0 })),
    ticketTypes: facts.ticketTypes,
    phases: facts.phases,
    purchaseLimit: facts.purchaseLimit,
    queueEnabled: facts.queueEnabled,
    cancelReason: event.cancelReason,
    views: event.views,
    version: event.version,
  };
}

export function sellerEventOf(event: EventRecord, nowMs: number): SellerEvent {
  return {
    id: event.id,
    sellerId: event.sellerId,
    status: eventStatus(event, nowMs),
    title: event.title,
    titleEn: event.titleEn,
    description: event.description,
    descriptionEn: event.descriptionEn,
    imageUrl: event.imageUrl,
    artistId: event.artistId,
    venueId: event.venueId,
    layoutId: event.layoutId,
    artist: event.artist,
    venue: event.venue,
    startsAt: optionalTime(event.startsAt),
    doorsAt: optionalTime(event.doorsAt),
    saleOpensAt: optionalTime(event.saleOpensAt),
    saleClosesAt: optionalTime(event.saleClosesAt),
    prices: [...event.prices],
    standingPrices: event.ticketTypes.map(({ id, areaId, priceKrw }) => ({ areaId, priceKrw, ticketTypeId: id })),
    phases: phasesOf(event.phases),
    purchaseLimit: event.purchaseLimit,
    hot: event.hot,
    queueEnabled: event.queueEnabled,
    queueThreshold: event.queueThreshold,
    seatReturnDelayMaxSeconds: event.seatReturnDelayMaxSeconds,
    publishedAt: optionalTime(event.publishedAt),
    cancelledAt: optionalTime(event.cancelledAt),
    cancelReason: event.cancelReason,
    views: event.views,
    version: event.version,
    problems: publishingProblems(event, event.layout),
  };
}

function ticketTypesOf(event: EventRecord) {
  return event.ticketTypes.map(({ id, areaId, priceKrw }) => {
    const area = event.layout?.standingAreas.find((candidate) => candidate.id === areaId);
    assert(area, `event ${event.id} sells standing area ${areaId}, which its layout does not have`);
    return { id, areaId, name: area.name, nameEn: area.nameEn, capacity: area.capacity, priceKrw };
  });
}

function phasesOf(phases: readonly Phase[]) {
  return phases.map(({ tier, opensAt }) => ({ tier, opensAt: isoTime(opensAt) }));
}

function optionalTime(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}
