import { describe, expect, test } from 'vitest';
import { createSeededRandom } from '#test/kit/seeded-random.ts';
import { createAutoRate, type Demand } from './auto-rate.ts';

const demand: Demand = {
  ...{
    waiting: 0,
    freeSlots: 0,
    threshold: 600,
    slotSeconds: 600,
    measuredRate: 2,
    soldOut: false,
    entered: 0,
    epoch: 1,
  },
};
const now = { atMs: 0, served: 0, before: 50, withinSeconds: 120, demand };

describe('the automatic rate', () => {
  test('is what is admitted behind the room while the line there is as long as it may be', () => {
    const { rate, canAdmit } = createAutoRate().decide({ ...now, demand: { ...demand, waiting: 240 } });
    expect([rate, canAdmit]).toEqual([2, 240]);
  });

  test('is less while more wait there than can be admitted, and nothing when it is far too many', () => {
    expect(createAutoRate().decide({ ...now, demand: { ...demand, waiting: 300 } }).rate).toBe(1);
    expect(createAutoRate().decide({ ...now, demand: { ...demand, waiting: 3_000 } }).rate).toBe(0);
  });

  test('reckons with the life of a slot before anything was measured, and with free slots', () => {
    const { canAdmit } = createAutoRate().decide({ ...now, demand: { ...demand, measuredRate: 0, freeSlots: 100 } });
    expect(canAdmit).toBe(100 + 120);
  });

  test('counts those as held who were served and are not there yet', () => {
    const auto = createAutoRate();
    auto.decide(now);
    const later = { ...now, atMs: 10_000, served: 100, demand: { ...demand, waiting: 20, entered: 30 } };
    expect(auto.decide(later)).toMatchObject({ onTheWay: 70, held: 90 });
    // Whoever has not come after a minute does not come now.
    expect(auto.decide({ ...later, atMs: 80_000 })).toMatchObject({ onTheWay: 0, held: 20 });
    // The queue began anew: what it counted before is over.
    const anew = { ...later, atMs: 82_000, demand: { ...demand, waiting: 5, entered: 2, epoch: 2 } };
    expect(auto.decide(anew)).toMatchObject({ onTheWay: 0, held: 5 });
    // Also when more have entered since than before.
    const again = createAutoRate();
    again.decide(now);
    again.decide({ ...later, atMs: 2_000 });
    expect(again.decide({ ...anew, atMs: 4_000, demand: { ...anew.demand, entered: 40 } })).toMatchObject({ held: 5 });
  });

  test('grows by a quarter in ten seconds at most, also from nothing, and falls at once', () => {
    const auto = createAutoRate();
    const empty = { ...now, before: 1, demand: { ...demand, freeSlots: 600 } };
    expect(auto.decide(empty).rate).toBe(1);
    expect(auto.decide({ ...empty, atMs: 10_000 }).rate).toBeCloseTo(1.25, 9);
    expect(auto.decide({ ...empty, atMs: 20_000, before: 0 }).rate).toBeCloseTo(0.625, 9);
    expect(auto.decide({ ...empty, atMs: 20_000, before: 50, demand: { ...demand, waiting: 300 } }).rate).toBe(1);
  });

  test('is nothing when the event is sold out', () => {
    expect(createAutoRate().decide({ ...now, demand: { ...demand, soldOut: true } }).rate).toBe(0);
  });
});

interface Sale {
  readonly atSeconds: number;
  readonly rate: number;
  readonly held: number;
  readonly canAdmit: number;
  readonly busyShare: number;
}

/** A sale behind the room: people come some seconds after they were served, one in five never does, and slots end at random. */
function simulate(options: {
  seconds: number;
  thresholdAt: (second: number) => number;
  meanSlotSeconds: number;
}): Sale[] {
  const { seconds, thresholdAt, meanSlotSeconds } = options;
  const random = createSeededRandom(7).fraction;
  const auto = createAutoRate();
  const arrivals = new Map<number, number>();
  const admitted: number[] = [];
  let slots: number[] = [];
  let [waiting, entered, served, credit, rate] = [0, 0, 0, 0, 50];
  const sale: Sale[] = [];
  for (let second = 0; second < seconds; second++) {
    credit += rate;
    for (; credit >= 1; credit--) {
      served += 1;
      if (random() < 0.2) continue;
      const at = second + 2 + Math.floor(random() * 10);
      arrivals.set(at, (arrivals.get(at) ?? 0) + 1);
    }
    const came = arrivals.get(second) ?? 0;
    waiting += came;
    entered += came;
    slots = slots.filter((endsAt) => endsAt > second);
    const threshold = thresholdAt(second);
    const admits = Math.min(waiting, Math.max(0, threshold - slots.length), 100);
    for (let n = 0; n < admits; n++) slots.push(second + Math.min(600, -Math.log(1 - random()) * meanSlotSeconds));
    waiting -= admits;
    admitted.push(admits);
    if (second % 2 !== 0) continue;
    const lately = admitted.slice(-60);
    const measuredRate = lately.reduce((sum, count) => sum + count, 0) / lately.length;
    const freeSlots = Math.max(0, threshold - slots.length);
    const facts = { waiting, freeSlots, threshold, slotSeconds: 600, measuredRate, soldOut: false, entered, epoch: 1 };
    const before = rate;
    const decision = auto.decide({ atMs: second * 1000, served, before, withinSeconds: 120, demand: facts });
    rate = decision.rate;
    const { held, canAdmit } = decision;
    sale.push({ atSeconds: second, rate, held, canAdmit, busyShare: Math.min(1, slots.length / threshold) });
  }
  return sale;
}

const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** How often a smoothed rate turns from rising to falling by more than a fifth of its mean: what a swinging loop does. */
function swings(rates: readonly number[]): number {
  const smooth = rates.map((_, n) => average(rates.slice(Math.max(0, n - 15), n + 1)));
  const step = average(smooth) / 5;
  let [turns, extreme, direction] = [0, smooth[0] ?? 0, 0];
  for (const value of smooth) {
    if (direction >= 0 && value > extreme) extreme = value;
    else if (direction <= 0 && value < extreme) extreme = value;
    else if (Math.abs(value - extreme) > step) {
      direction = Math.sign(value - extreme);
      extreme = value;
      turns += 1;
    }
  }
  return turns;
}

describe('in a simulated sale', () => {
  test.each([
    [1_000, 200],
    [100, 60],
    [5_000, 400],
  ])(
    'of %d slots the rate settles without swinging, the line behind stays short and the slots are used',
    (threshold, meanSlotSeconds) => {
      const sale = simulate({ seconds: 3_600, thresholdAt: () => threshold, meanSlotSeconds });
      const settled = sale.filter(({ atSeconds }) => atSeconds >= 900);
      expect(swings(settled.map(({ rate }) => rate))).toBeLessThanOrEqual(2);
      for (const { held, canAdmit } of settled) expect(held).toBeLessThanOrEqual(canAdmit * 1.3 + 20);
      expect(average(settled.map(({ busyShare }) => busyShare))).toBeGreaterThan(0.97);
    },
  );

  test('the rate follows a threshold that is cut to a quarter and raised again', () => {
    const thresholdAt = (second: number) => (second >= 1_800 && second < 3_600 ? 250 : 1_000);
    const sale = simulate({ seconds: 6_000, thresholdAt, meanSlotSeconds: 200 });
    const during = (from: number, to: number) => sale.filter(({ atSeconds }) => atSeconds >= from && atSeconds < to);
    const rates = (from: number, to: number) => average(during(from, to).map(({ rate }) => rate));
    expect(rates(2_700, 3_600) / rates(1_200, 1_800)).toBeLessThan(0.4);
    expect(rates(4_800, 6_000) / rates(1_200, 1_800)).toBeGreaterThan(0.9);
    expect(swings(during(2_700, 3_600).map(({ rate }) => rate))).toBeLessThanOrEqual(2);
    expect(average(during(4_800, 6_000).map(({ busyShare }) => busyShare))).toBeGreaterThan(0.97);
  });
});
