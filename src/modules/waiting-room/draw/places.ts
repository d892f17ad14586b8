import { fromHex } from '#edge/draw/hash.ts';
import { createPermutation, type PlaceOf } from '#edge/draw/permutation.ts';
import type { RoomDraw } from '../domain/draw.ts';

/** The number of an entry of a draw that was revealed; null: there is no such entry. */
export type NumberOf = (draw: RoomDraw, entry: number) => number | null;

const drawsMax = 100;

/** Numbers are worked out when they are asked for. What a seed makes of a small draw is listed once. */
export function createDrawnNumbers(): NumberOf {
  const orders = new Map<string, PlaceOf>();
  return ({ seed, entries }, entry) => {
    if (seed === null || entry >= entries) return null;
    const known = orders.get(seed);
    const placeOf = known ?? createPermutation(fromHex(seed), entries);
    if (known === undefined) {
      if (orders.size >= drawsMax) orders.clear();
      orders.set(seed, placeOf);
    }
    return placeOf(entry) + 1;
  };
}
