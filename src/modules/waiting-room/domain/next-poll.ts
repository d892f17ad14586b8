/**
 * When a waiting page should ask again, in seconds, by the people ahead: those who are far away ask seldom.
 *
 * @param ahead null: nobody knows yet
 * @param fraction random, from 0 up to 1: spreads out the pages that were answered together, by at most a fifth and only to earlier
 */
export function nextPollSeconds(ahead: number | null, fraction: number): number {
  const seconds = ahead === null ? usualSeconds : (steps.find(([most]) => ahead <= most)?.[1] ?? farSeconds);
  return Math.round(seconds * (1 - jitterMax * fraction) * 100) / 100;
}

const jitterMax = 0.2;
const usualSeconds = 5;
const farSeconds = 15;

const steps: readonly (readonly [number, number])[] = [
  [500, 2],
  [2_000, 5],
  [10_000, 10],
];
