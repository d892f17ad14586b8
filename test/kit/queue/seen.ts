import { eventually } from '../faults.ts';

export interface Seen {
  readonly afterMs: number;
  /** Runs of the job that had begun and ended since the change when it was still not seen. */
  readonly runsWithout: number;
}

const hangGuardMs = 60_000;

/** How often this process has finished a job. */
export async function runsOf(url: string, job: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`urr_job_seconds_count{job="${job}",outcome="ok"`));
  return Number(line?.split(' ').at(-1) ?? 0);
}

/**
 * Asks until a change is seen, and counts by the job that has to bring it: what a slow machine does to the time it does to
 * the job as well. The first run to end may have begun before the change, so it does not count.
 */
export async function untilSeen(options: {
  readonly url: string;
  readonly job: string;
  readonly change: () => Promise<unknown>;
  readonly look: () => Promise<boolean>;
}): Promise<Seen> {
  const { url, job, change, look } = options;
  const fromMs = Date.now();
  await change();
  const before = await runsOf(url, job);
  let runsWithout = 0;
  return eventually(
    async () => {
      const whole = (await runsOf(url, job)) - before - 1;
      if (await look()) return { afterMs: Date.now() - fromMs, runsWithout };
      runsWithout = Math.max(0, whole);
      return false;
    },
    { withinMs: hangGuardMs, what: `${url} to see a change that ${job} brings` },
  );
}

/** So many whole runs of the job in each process. */
export async function afterRuns(urls: readonly string[], job: string, count: number): Promise<void> {
  const before = await Promise.all(urls.map((url) => runsOf(url, job)));
  await eventually(
    async () => {
      const now = await Promise.all(urls.map((url) => runsOf(url, job)));
      return now.every((runs, n) => runs > (before[n] ?? 0) + count);
    },
    { withinMs: hangGuardMs, what: `${count} runs of ${job} in each process` },
  );
}

/** For the reader of the run, in milliseconds. */
export function delaysOf(all: readonly Seen[]): string {
  const sorted = all.map(({ afterMs }) => afterMs).sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return `${sorted.length} times: half within ${at(0.5)} ms, nine in ten within ${at(0.9)} ms, all within ${at(1)} ms`;
}
