import { afterAll, expect, test } from 'vitest';
import { aClock } from '#test/kit/clock.ts';
import { estimateWait } from '../domain/estimate.ts';
import type { StoreSnapshot } from '../ports.ts';
import { aBegin, present } from '../storage/conformance/harness.ts';
import { createMemoryStore } from '../storage/memory-store.ts';

/*
 * Predicted against actual waits. The store and its admission step are the real ones, and the shoppers know nothing of the
 * estimate: some sleep, some never come, those who come stay as long as people do (most briefly, few for very long), and now
 * and then many leave together. At regular moments people in line note what they are told; at their admission it is compared
 * with what happened. Estimators that are wrong in a plausible way take notes beside it, and must fail.
 */

interface Scenario {
  readonly name: string;
  readonly seconds: number;
  readonly activeTtlSeconds: number;
  threshold(second: number): number;
  arrivals(second: number): number;
  /** Of those in slots, the share that leaves together in this second. */
  leaving?(second: number): number;
  readonly asleep: number;
  readonly noShow: number;
  /** Half of those who shop are done by then. */
  readonly medianStaySeconds: number;
  readonly bounds: Score;
}

/** Median and ninth decile of |predicted − actual| ÷ actual at most, and the share of people within the range's end at least. */
interface Score {
  readonly error: number;
  readonly errorHigh: number;
  readonly covered: number;
}

const scenarios: readonly Scenario[] = [
  {
    name: 'a rush at the opening',
    seconds: 2_400,
    activeTtlSeconds: 600,
    threshold: () => 200,
    arrivals: (second) => (second < 20 ? 150 : 0),
    asleep: 0.1,
    noShow: 0.05,
    medianStaySeconds: 60,
    bounds: { error: 0.15, errorHigh: 0.35, covered: 0.9 },
  },
  {
    name: 'many leave together every four minutes',
    seconds: 2_400,
    activeTtlSeconds: 600,
    threshold: () => 150,
    arrivals: (second) => (second < 300 ? 8 : 0),
    leaving: (second) => (second % 240 === 120 ? 0.6 : 0),
    asleep: 0.1,
    noShow: 0.05,
    medianStaySeconds: 80,
    // Nobody can foresee who leaves together: what was measured in between is too slow.
    bounds: { error: 0.4, errorHigh: 0.75, covered: 0.9 },
  },
  {
    name: 'the threshold is cut to a fifth',
    seconds: 3_600,
    activeTtlSeconds: 300,
    threshold: (second) => (second < 200 ? 250 : 50),
    arrivals: (second) => (second < 20 ? 100 : 0),
    asleep: 0.05,
    noShow: 0.05,
    medianStaySeconds: 50,
    bounds: { error: 0.2, errorHigh: 0.8, covered: 0.85 },
  },
  {
    name: 'a sale of three slots',
    seconds: 6_000,
    activeTtlSeconds: 300,
    threshold: () => 3,
    arrivals: (second) => (second < 40 ? 1 : 0),
    asleep: 0.1,
    noShow: 0.1,
    medianStaySeconds: 90,
    bounds: { error: 0.35, errorHigh: 1.35, covered: 0.9 },
  },
];

type Estimator = (
  position: number,
  snapshot: StoreSnapshot,
  activeTtlMs: number,
) => { low: number; high: number } | null;

const estimators: Record<string, Estimator> = {
  'the estimate': (position, snapshot, activeTtlMs) => {
    const config = { activeTtlMs, admissionIntervalMs: 1_000, admissionBatch: batch };
    const { seconds, highSeconds } = estimateWait({ position, snapshot, config });
    return seconds === null || highSeconds === null ? null : { low: seconds, high: highSeconds };
  },
  'one that ignores the threshold': (position, snapshot, activeTtlMs) => {
    const settings = { ...snapshot.settings, threshold: 1_000_000 };
    return estimators['the estimate']?.(position, { ...snapshot, settings }, activeTtlMs) ?? null;
  },
  'one that sees the admissions of one of two processes': (position, snapshot, activeTtlMs) => {
    const admittedPerSecond = snapshot.admittedPerSecond.map((count, second) => (second % 2 === 0 ? count : 0));
    return estimators['the estimate']?.(position, { ...snapshot, admittedPerSecond }, activeTtlMs) ?? null;
  },
  'fifty a second': (position) => ({ low: Math.max(5, position / 50), high: Math.max(5, position / 50) }),
};

const lines: string[] = [];
afterAll(() => console.log(['', 'wait estimate, predicted against actual:', ...lines].join('\n')));

test.each(scenarios)(
  '$name: people are told about what happens, and wrong estimates are found out',
  async (scenario) => {
    const notes = await play(scenario, randomFrom(20_261_116));
    const scores = Object.keys(estimators).map((name) => ({ name, ...scoreOf(notes.filter(({ by }) => by === name)) }));
    for (const { name, count, error, errorHigh, covered } of scores) {
      lines.push(
        `  ${scenario.name}, ${name}: ${count} notes, error P50 ${percent(error)} P90 ${percent(errorHigh)}, covered ${percent(covered)}`,
      );
    }
    const verdicts = scores.map((score) => [score.name, isWithin(score, scenario.bounds)]);
    expect(verdicts).toEqual(Object.keys(estimators).map((name) => [name, name === 'the estimate']));
    for (const { count } of scores) expect(count).toBeGreaterThan(100);
  },
);

interface Note {
  readonly by: string;
  readonly low: number;
  readonly high: number;
  readonly actual: number;
}

interface Person {
  readonly userId: string;
  readonly isAsleep: boolean;
  readonly comes: boolean;
  readonly touchesAt: number;
  readonly notes: (Omit<Note, 'actual'> & { readonly atSecond: number })[];
}

const batch = 100;
const signEverySeconds = 40;
const noteEverySeconds = 20;
const notersAtOnce = 8;

async function play(scenario: Scenario, random: () => number): Promise<Note[]> {
  const clock = aClock();
  const store = createMemoryStore({ clock });
  const [eventId, activeTtlMs] = ['event', scenario.activeTtlSeconds * 1_000];
  const enter = { eventId, lane: 1, roomOn: false, activeTtlMs } as const;
  await store.begin(aBegin(eventId, { nowMs: clock.now() }));
  const line = new Map<string, Person>();
  const people = new Map<string, Person>();
  const claims = new Map<number, string[]>();
  const ends = new Map<number, string[]>();
  const shopping = new Set<string>();
  const notes: Note[] = [];

  async function arrive(second: number): Promise<void> {
    for (let count = scenario.arrivals(second); count > 0; count -= 1) {
      const userId = `user-${people.size}`;
      const isAsleep = random() < scenario.asleep;
      const comes = !isAsleep && random() >= scenario.noShow;
      const person = { userId, isAsleep, comes, touchesAt: people.size % signEverySeconds, notes: [] };
      people.set(userId, person);
      line.set(userId, person);
      const { status } = await store.enter({ ...enter, userId, mode: 'enter' });
      if (status === 'active') admitted(person, second);
    }
  }

  function admitted(person: Person, second: number): void {
    line.delete(person.userId);
    for (const { atSecond, ...note } of person.notes) notes.push({ ...note, actual: second - atSecond });
    person.notes.length = 0;
    if (person.comes) later(claims, second + 1 + Math.floor(random() * 20), person.userId);
  }

  async function shop(second: number): Promise<void> {
    for (const userId of claims.get(second) ?? []) {
      if ((await store.enter({ ...enter, userId, mode: 'look' })).status !== 'active') continue;
      shopping.add(userId);
      later(ends, second + staySeconds(scenario.medianStaySeconds, random), userId);
    }
    const together = scenario.leaving?.(second) ?? 0;
    const leavers = together === 0 ? [] : [...shopping].filter(() => random() < together);
    for (const userId of [...(ends.get(second) ?? []), ...leavers]) {
      if (shopping.delete(userId)) await store.leave({ eventId, userId });
    }
  }

  async function note(second: number): Promise<void> {
    const snapshot = present(await store.snapshot({ eventId }));
    const awake = [...line.values()].filter(({ isAsleep }) => !isAsleep);
    for (let n = 0; n < Math.min(notersAtOnce, awake.length); n += 1) {
      const person = awake[Math.floor(random() * awake.length)];
      const trace = person === undefined ? null : present(await store.trace({ eventId, userId: person.userId }));
      if (person === undefined || trace === null || trace.position === null) continue;
      for (const [by, estimate] of Object.entries(estimators)) {
        const told = estimate(trace.position, snapshot, activeTtlMs);
        if (told !== null) person.notes.push({ by, ...told, atSecond: second });
      }
    }
  }

  for (let second = 0; second < scenario.seconds; second += 1) {
    clock.advance(1_000);
    await store.configure({ eventId, changes: { threshold: scenario.threshold(second) } });
    await arrive(second);
    const signs = [...line.values()].filter(
      ({ isAsleep, touchesAt }) => !isAsleep && touchesAt === second % signEverySeconds,
    );
    for (let from = 0; from < signs.length; from += 500)
      await store.touch({ eventId, userIds: signs.slice(from, from + 500).map(({ userId }) => userId) });
    await shop(second);
    const limits = { admitMax: batch, parkMax: 1_000, absentMs: 90_000, claimMs: 120_000, activeSeenTtlMs: null };
    for (const { userId } of present(await store.admit({ eventId, activeTtlMs, ...limits })).admitted) {
      const person = people.get(userId);
      if (person !== undefined) admitted(person, second);
    }
    if (second % noteEverySeconds === 0) await note(second);
    if (line.size === 0 && scenario.arrivals(second) === 0 && second > 60) break;
  }
  return notes;
}

function later(agenda: Map<number, string[]>, second: number, userId: string): void {
  const known = agenda.get(second);
  if (known === undefined) agenda.set(second, [userId]);
  else known.push(userId);
}

/** Log-normal: a tenth stays more than three times the median, and a hundredth more than seven times. */
function staySeconds(median: number, random: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.max(1, Math.round(median * Math.exp(0.85 * normal)));
}

function scoreOf(notes: readonly Note[]): Score & { readonly count: number } {
  // Below ten seconds nobody minds by how much.
  const errors = notes.map(({ low, actual }) => Math.abs(low - actual) / Math.max(actual, 10)).sort((a, b) => a - b);
  const at = (share: number) => errors[Math.floor(errors.length * share)] ?? Number.NaN;
  const covered = notes.filter(({ high, actual }) => actual <= high).length / notes.length;
  return { count: notes.length, error: at(0.5), errorHigh: at(0.9), covered };
}

function isWithin({ error, errorHigh, covered }: Score, bounds: Score): boolean {
  return error <= bounds.error && errorHigh <= bounds.errorHigh && covered >= bounds.covered;
}

/** The same sequence in every run (mulberry32), so that a figure that changes was changed by the code. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const percent = (share: number) => `${Math.round(share * 100)} %`;
