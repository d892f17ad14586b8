import type { OriginHealth } from './closed-loop.ts';

/** How long answers took and how many failed, as counts that several processes can add up. A percentile could not be. */
export interface LatencyCounts {
  /** At index n: answers that took between `1.1^(n-1)` and `1.1^n` milliseconds. */
  readonly buckets: readonly number[];
  readonly failed: number;
}

/** The answers of the last seconds. Times are handed in. */
export interface LatencyWindow {
  note(answer: { ms: number; failed: boolean; nowMs: number }): void;
  /** Null: there was none. */
  counts(nowMs: number): LatencyCounts | null;
}

/** Long enough for a percentile, short enough to follow an origin within seconds. */
export const windowMs = 5_000;
const sliceMs = 1_000;
const slicesKept = windowMs / sliceMs;
const growth = 1.1;
/** Up to some two minutes; what takes longer is counted as that. */
export const bucketsMax = 124;
/** Of fewer answers one slow one would be the whole percentile: that is no news. */
export const callsMin = 20;
const percentile = 0.95;

interface Slice {
  readonly second: number;
  readonly buckets: number[];
  failed: number;
}

export function createLatencyWindow(): LatencyWindow {
  let slices: Slice[] = [];

  function sliceAt(nowMs: number): Slice {
    const second = Math.floor(nowMs / sliceMs);
    const last = slices.at(-1);
    if (last?.second === second) return last;
    const fresh = { second, buckets: new Array<number>(bucketsMax).fill(0), failed: 0 };
    slices = [...slices.filter((slice) => isRecent(slice, nowMs)), fresh];
    return fresh;
  }

  return {
    note({ ms, failed, nowMs }) {
      const slice = sliceAt(nowMs);
      const bucket = bucketOf(ms);
      slice.buckets[bucket] = (slice.buckets[bucket] ?? 0) + 1;
      if (failed) slice.failed += 1;
    },
    counts(nowMs) {
      const recent = slices.filter((slice) => isRecent(slice, nowMs));
      return recent.length === 0 ? null : addCounts(recent);
    },
  };
}

export function addCounts(all: readonly LatencyCounts[]): LatencyCounts {
  const buckets = new Array<number>(bucketsMax).fill(0);
  let failed = 0;
  for (const counts of all) {
    failed += counts.failed;
    for (const [index, count] of counts.buckets.slice(0, bucketsMax).entries()) {
      buckets[index] = (buckets[index] ?? 0) + count;
    }
  }
  return { buckets, failed };
}

/** Null: too few answers to say anything. */
export function healthOf({ buckets, failed }: LatencyCounts): OriginHealth | null {
  const calls = buckets.reduce((sum, count) => sum + count, 0);
  if (calls < callsMin) return null;
  let below = 0;
  for (const [index, count] of buckets.entries()) {
    const wanted = calls * percentile - below;
    if (count >= wanted) {
      const floorMs = index === 0 ? 0 : growth ** (index - 1);
      const p95Ms = Math.round(floorMs + (growth ** index - floorMs) * (wanted / count));
      return { calls, p95Ms, errorRate: Math.min(1, failed / calls) };
    }
    below += count;
  }
  return null;
}

function isRecent({ second }: Slice, nowMs: number): boolean {
  const age = Math.floor(nowMs / sliceMs) - second;
  // A clock that was set back leaves slices in the future behind.
  return age >= 0 && age < slicesKept;
}

function bucketOf(ms: number): number {
  if (ms <= 1) return 0;
  return Math.min(bucketsMax - 1, Math.ceil(Math.log(ms) / Math.log(growth)));
}
