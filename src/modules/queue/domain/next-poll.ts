/**
 * When a waiting page should ask again, in seconds. The nearer the turn, the sooner; the many who are far away ask seldom,
 * so that the number of questions per second stays bounded however long the queue is.
 *
 * @param position 1-based; 0 or less for somebody who is not waiting
 * @param fraction random, from 0 up to 1: spreads out the pages that were answered together, by at most a fifth and only to earlier
 */
export function nextPollSeconds(position: number, fraction: number): number {
  const step = steps.find(({ upTo }) => position <= upTo);
  const seconds = step?.seconds ?? farthestSeconds;
  return Math.round(seconds * (1 - jitterMax * fraction) * 100) / 100;
}

const jitterMax = 0.2;
const farthestSeconds = 60;

const steps: readonly { readonly upTo: number; readonly seconds: number }[] = [
  { upTo: 0, seconds: 3 },
  { upTo: 1_000, seconds: 1 },
  { upTo: 5_000, seconds: 5 },
  { upTo: 10_000, seconds: 10 },
  { upTo: 100_000, seconds: 30 },
];
