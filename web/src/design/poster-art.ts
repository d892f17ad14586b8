export interface PosterShape {
  readonly d: string;
  readonly fill?: string;
  readonly stroke?: string;
  readonly width?: number;
  readonly opacity?: number;
}

export interface PosterArt {
  readonly ground: string;
  readonly shapes: readonly PosterShape[];
}

/** Draws a picture on 300 × 400 for an event that has none. It depends on the seed alone. */
export function posterArt(seed: string): PosterArt {
  const random = randomFrom(seed);
  const palette = pick(palettes, random());
  const compose = pick(compositions, random());
  return { ground: palette[0], shapes: compose(palette, random) };
}

/** Ground, main, second, light. Chosen to sit well on paper and on ink. */
type Palette = readonly [ground: string, main: string, second: string, light: string];
const palettes: readonly Palette[] = [
  ['#bf2f19', '#1b1916', '#f0a48c', '#f9e6da'],
  ['#14453b', '#e9b44c', '#0a2721', '#f3ead2'],
  ['#24346f', '#f4785a', '#131d43', '#e4e7f7'],
  ['#e6b450', '#8f2a1a', '#f6dc9c', '#2a2119'],
  ['#2b2233', '#c3a1e8', '#584468', '#f4e9fb'],
  ['#d9cfba', '#1f5f70', '#bf2f19', '#1b1916'],
];

type Composition = (palette: Palette, random: () => number) => PosterShape[];

/** Rows of seats that bend round a stage. */
const stage: Composition = ([, main, second, light], random) => {
  const centre = 110 + random() * 80;
  const rows = Array.from({ length: 11 }, (_, row) => {
    const radius = 70 + row * 30;
    const seats = Math.floor(radius / 7);
    const circles = Array.from({ length: seats }, (_, seat) => {
      const angle = Math.PI * (0.06 + (0.88 * (seat + 0.5)) / seats);
      return disc(centre + Math.cos(angle) * radius, 70 + Math.sin(angle) * radius, 5.5);
    });
    return { d: circles.join(''), fill: row % 4 === 1 ? second : light, opacity: 1 - row * 0.06 };
  });
  return [...rows, { d: disc(centre, 62, 42), fill: main }];
};

/** Beams from above, one crowd below. */
const beams: Composition = ([, main, second, light], random) => {
  const lights = Array.from({ length: 5 }, (_, index) => {
    const from = 40 + index * 55 + random() * 20;
    const to = -60 + index * 100 + random() * 60;
    return {
      d: `M${fixed(from)} -10L${fixed(to)} 330H${fixed(to + 90)}Z`,
      fill: index % 2 === 0 ? light : main,
      opacity: index % 2 === 0 ? 0.28 : 0.55,
    };
  });
  const heads = Array.from({ length: 26 }, (_, index) =>
    disc((index % 13) * 25 + (index < 13 ? 0 : 12), 330 + (index < 13 ? 0 : 24) + random() * 14, 19),
  );
  return [...lights, { d: `${heads.join('')}M0 345H300V400H0Z`, fill: second }];
};

/** The rush itself: lines that run together. */
const rush: Composition = ([, main, second, light], random) => {
  const meet = 130 + random() * 140;
  const mirrored = random() < 0.5;
  const turn = (x: number) => (mirrored ? 300 - x : x);
  const start = turn(-10);
  return Array.from({ length: 17 }, (_, index) => {
    const from = -40 + index * 30;
    const end = meet + (index - 8) * 5;
    return {
      d: `M${start} ${fixed(from)}C${turn(120)} ${fixed(from + 20)} ${turn(130)} ${fixed(end)} ${turn(310)} ${fixed(end)}`,
      stroke: index % 5 === 2 ? main : index % 3 === 0 ? second : light,
      width: 2 + Math.round(random() * 7),
      opacity: 0.92,
    };
  });
};

/** A sun over stacked hills, as an album sleeve would have it. */
const hills: Composition = ([, main, second, light], random) => {
  const sun = { d: disc(70 + random() * 160, 120 + random() * 30, 66), fill: main };
  const slopes = Array.from({ length: 4 }, (_, index) => {
    const top = 190 + index * 52;
    const lift = 30 + random() * 40;
    return {
      d: `M-5 ${top}C70 ${fixed(top - lift)} 130 ${fixed(top + lift * 0.6)} 190 ${top}S270 ${fixed(top - lift * 0.7)} 305 ${top - 6}V405H-5Z`,
      fill: index % 2 === 0 ? second : light,
      opacity: 0.55 + index * 0.13,
    };
  });
  return [sun, ...slopes];
};

/** A record, off centre, with a label. */
const record: Composition = ([, main, second, light], random) => {
  const x = 90 + random() * 140;
  const y = 150 + random() * 120;
  const grooves = Array.from({ length: 9 }, (_, index) => ({
    d: disc(x, y, 250 - index * 24),
    fill: index % 3 === 0 ? second : index % 3 === 1 ? main : light,
  }));
  return [...grooves, { d: disc(x, y, 12), fill: second }];
};

/** Quarter rounds in a grid, turned by chance, as on a painted beam. */
const tiles: Composition = ([, main, second, light], random) =>
  Array.from({ length: 12 }, (_, index) => {
    const x = (index % 3) * 100;
    const y = Math.floor(index / 3) * 100;
    const fill = pick([main, second, light], random());
    return { d: pick(quarterRounds, random()).replace('X', `${x}`).replace('Y', `${y}`), fill };
  });

/** Of a square of 100 whose upper left corner is at X, Y. */
const quarterRounds = [
  'MX Yh100a100 100 0 0 1 -100 100z',
  'MX Yh100v100a100 100 0 0 1 -100 -100z',
  'MX Yv100h100a100 100 0 0 0 -100 -100z',
  'MX Ym100 0v100h-100a100 100 0 0 1 100 -100z',
  'MX Ym0 50a50 50 0 1 0 100 0a50 50 0 1 0 -100 0z',
];

const compositions = [stage, beams, rush, hills, record, tiles];

function disc(x: number, y: number, radius: number): string {
  return `M${fixed(x - radius)} ${fixed(y)}a${radius} ${radius} 0 1 0 ${radius * 2} 0a${radius} ${radius} 0 1 0 ${-radius * 2} 0z`;
}

function fixed(value: number): string {
  return value.toFixed(1);
}

function pick<Item>(items: readonly Item[], at: number): Item {
  const item = items[Math.floor(at * items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

/** FNV-1a into mulberry32: a few lines that give the same numbers in every browser. */
function randomFrom(seed: string): () => number {
  let state = 0x811c9dc5;
  for (const letter of seed) state = Math.imul(state ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
