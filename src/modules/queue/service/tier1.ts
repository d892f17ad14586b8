import type { QueueDeps } from '../deps.ts';
import { noRoomsOn } from '../deps.ts';
import { eraMax, generalLane, type PlaceOrder, packPlaceOrder } from '../domain/place-order.ts';

/** Tier 1 as the queue sees it: is the room on, and which order does a token prove. */
export interface Tier1 {
  roomOn(eventId: string): boolean;
  /** Entry is free although the store may know the room to be on. */
  failsOpen(eventId: string): boolean;
  /** The order of the first valid tier-1 token of this event among these; undefined: there is none. */
  orderOf(eventId: string, tokens: readonly string[]): PlaceOrder | undefined;
}

const numberMax = 2 ** 36 - 1;

export function createTier1({ vwrTokens, rooms = noRoomsOn }: Pick<QueueDeps, 'vwrTokens' | 'rooms'>): Tier1 {
  function orderIn(eventId: string, token: string): PlaceOrder | undefined {
    const verified = vwrTokens?.verify(token);
    if (verified?.ok !== true) return undefined;
    const { sub, tier, pos, era } = verified.claims;
    if (sub !== eventId || tier !== 1) return undefined;
    if (!isBetween(pos, 1, numberMax) || !isBetween(era, 0, eraMax)) return undefined;
    return packPlaceOrder({ lane: generalLane, era, number: pos });
  }

  return {
    roomOn: (eventId) => rooms.isOn(eventId),
    failsOpen: (eventId) => rooms.failsOpen(eventId),
    orderOf(eventId, tokens) {
      for (const token of tokens) {
        const order = orderIn(eventId, token);
        if (order !== undefined) return order;
      }
      return undefined;
    },
  };
}

function isBetween(value: unknown, min: number, max: number): boolean {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}
