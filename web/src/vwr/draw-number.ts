import type { Mine, RoomStatus } from './line.ts';

/**
 * Once a draw is revealed every page reckons its own number, so that a million of them need not ask. The rules are those of
 * docs/guides/draw.md, by WebCrypto: the code that makes draws has a hash of its own, which would not fit into this page.
 */
export async function numbered(mine: Mine, { drawn }: RoomStatus): Promise<Mine> {
  const { line, era, entry } = mine;
  if (line !== null || entry === null || drawn?.era !== era || entry >= drawn.entries) return mine;
  // A page without TLS has none: then a check tells the number.
  if (crypto.subtle === undefined) return mine;
  const { seed, entries, lineOffset } = drawn;
  const position = (await (entries < 4_096 ? shuffled : feistel)(seed, entries, entry)) + 1;
  return { ...mine, position, line: lineOffset + position };
}

async function shuffled(seed: string, entries: number, entry: number): Promise<number> {
  const places = Array.from({ length: entries }, (_, i) => i);
  let counter = 0;
  for (let last = entries - 1; last > 0; last--) {
    const usable = 2 ** 32 - (2 ** 32 % (last + 1));
    let drawn = usable;
    while (drawn >= usable) drawn = (await hash('shuffle', seed, [counter++])).getUint32(0);
    const other = drawn % (last + 1);
    [places[last], places[other]] = [places[other] ?? 0, places[last] ?? 0];
  }
  return places[entry] ?? 0;
}

async function feistel(seed: string, entries: number, entry: number): Promise<number> {
  const width = Math.ceil(Math.sqrt(entries));
  const height = Math.ceil(entries / width);
  const value = async (round: number, half: number, modulus: number) =>
    Number((await hash('feistel-round', seed, [round, half])).getBigUint64(0) % BigInt(modulus));
  let place = entry;
  do {
    let column = place % width;
    let row = Math.floor(place / width);
    for (let round = 0; round < 12; round++) {
      if (round % 2 === 0) column = (column + (await value(round, row, width))) % width;
      else row = (row + (await value(round, column, height))) % height;
    }
    place = row * width + column;
  } while (place >= entries);
  return place;
}

async function hash(purpose: string, seed: string, numbers: readonly number[]): Promise<DataView> {
  const text = `urr.draw.1/${purpose}`;
  const bytes = new Uint8Array(text.length + 40 + 12 * numbers.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, text.length);
  bytes.set(new TextEncoder().encode(text), 4);
  let at = text.length + 4;
  view.setUint32(at, 32);
  bytes.set(seed.match(/../g)?.map((pair) => Number.parseInt(pair, 16)) ?? [], at + 4);
  at += 36;
  for (const number of numbers) {
    view.setUint32(at, 8);
    view.setBigUint64(at + 4, BigInt(number));
    at += 12;
  }
  return new DataView(await crypto.subtle.digest('SHA-256', bytes));
}
