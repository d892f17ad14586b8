import { fieldBytes, putNumber } from './hash.ts';
import { sha256, sha256Behind } from './sha256.ts';

/** The place of each entry, from 0 to N − 1, no two alike. The number of entry i is `placeOf(i) + 1`. */
export type PlaceOf = (entry: number) => number;

/** From here on the places are worked out one by one instead of being listed. */
export const listedBelow = 4_096;
/** Of the network; ten are the custom, two more cost a few microseconds. */
const feistelRounds = 12;
export const entriesMax = 2 ** 40;

export function createPermutation(seed: Uint8Array, entries: number): PlaceOf {
  if (!Number.isSafeInteger(entries) || entries < 0 || entries > entriesMax)
    throw new RangeError(`${entries} is no number of entries`);
  const within = entries < listedBelow ? shuffled(seed, entries) : feistel(seed, entries);
  return (entry) => {
    if (!Number.isInteger(entry) || entry < 0 || entry >= entries) throw new RangeError(`there is no entry ${entry}`);
    return within(entry);
  };
}

/** Fisher–Yates from the last place down. */
function shuffled(seed: Uint8Array, entries: number): PlaceOf {
  const places = Uint16Array.from({ length: entries }, (_, i) => i);
  const draw = drawsFrom(seed);
  for (let last = entries - 1; last > 0; last--) {
    const other = draw(last + 1);
    const moved = places[last] ?? 0;
    places[last] = places[other] ?? 0;
    places[other] = moved;
  }
  // The caller has looked that the entry exists.
  return (entry) => places[entry] ?? 0;
}

/** Whole numbers below a limit, each as likely as any other: what is left over above a multiple of the limit is drawn again. */
function drawsFrom(seed: Uint8Array): (limit: number) => number {
  const message = fieldBytes(['urr.draw.1/shuffle', seed, 0]);
  const view = new DataView(message.buffer);
  let count = 0;
  return (limit) => {
    const usable = 2 ** 32 - (2 ** 32 % limit);
    for (;;) {
      putNumber(view, message.length - 8, count);
      count += 1;
      const drawn = readUint32(sha256(message), 0);
      if (drawn < usable) return drawn % limit;
    }
  };
}

/**
 * A Feistel network over a rectangle of `width` × `height` places, which is barely larger than N, so that a walk out of the
 * domain is rare: it is walked on (cycle walking) until it is back within.
 */
function feistel(seed: Uint8Array, entries: number): PlaceOf {
  const width = Math.ceil(Math.sqrt(entries));
  const height = Math.ceil(entries / width);
  // Purpose and seed are just one block; it is hashed once for all rounds of all entries.
  const hashBehind = sha256Behind(fieldBytes(['urr.draw.1/feistel-round', seed]));
  const rest = fieldBytes([0, 0]);
  const view = new DataView(rest.buffer);

  function roundValue(round: number, half: number, modulus: number): number {
    putNumber(view, 4, round);
    putNumber(view, 16, half);
    const digest = hashBehind(rest);
    // The first eight bytes as one number. Exact: the modulus is at most 2^20.
    return ((readUint32(digest, 0) % modulus) * 2 ** 32 + readUint32(digest, 4)) % modulus;
  }

  function through(place: number): number {
    let column = place % width;
    let row = Math.floor(place / width);
    for (let round = 0; round < feistelRounds; round++) {
      if (round % 2 === 0) column = (column + roundValue(round, row, width)) % width;
      else row = (row + roundValue(round, column, height)) % height;
    }
    return row * width + column;
  }

  return (entry) => {
    let place = through(entry);
    while (place >= entries) place = through(place);
    return place;
  };
}

function readUint32(bytes: Uint8Array, at: number): number {
  let value = 0;
  for (let i = 0; i < 4; i++) value = value * 256 + (bytes[at + i] ?? 0);
  return value;
}
