import { randomUUID } from 'node:crypto';
import type { Redis } from '#platform/redis/port.ts';
import type { OriginReports } from '../deps.ts';
import { bucketsMax, type LatencyCounts } from '../domain/latency-window.ts';
import { exchangeOriginReports } from '../scripts/scripts.generated.ts';

const reportsKey = 'queue:origin-reports';
/** A process that told nothing for longer is gone, or its gateway stands still. */
const keptMs = 3_000;

/** For one process that is both the gateway and the queue. */
export function createOwnReports(): OriginReports {
  return { exchange: async (own) => (own === null ? [] : [own]) };
}

/** One hash that every process writes its field of. */
export function createRedisReports({ redis }: { redis: Redis }): OriginReports {
  const owner = randomUUID();
  return {
    async exchange(own) {
      const report = own === null ? '' : JSON.stringify([own.failed, ...own.buckets]);
      const all = await exchangeOriginReports(redis, { reports: reportsKey }, { owner, report, keptMs });
      return all.map(parseReport).filter((counts) => counts !== null);
    },
  };
}

/** Null: written by a version that counts otherwise, which is no reason to go without the others. */
function parseReport(text: string): LatencyCounts | null {
  const numbers: unknown = JSON.parse(text);
  if (!Array.isArray(numbers) || numbers.length !== bucketsMax + 1 || !numbers.every(isCount)) return null;
  const [failed = 0, ...buckets] = numbers;
  return { failed, buckets };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
