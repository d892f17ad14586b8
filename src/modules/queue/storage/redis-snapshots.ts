import type { Redis } from '#platform/redis/port.ts';
import { type DeniedMark, flushersMax, outageMs, type QueueStore, type StoreSnapshot } from '../ports.ts';
import { takeSnapshot } from '../scripts/scripts.generated.ts';
import { eventKeys } from './redis-keys.ts';
import { lost, toSnapshot } from './redis-replies.ts';

const deniedPerPage = 1_000;
const pagesMax = 1_000;
const nothingKnown: DeniedMark = { epoch: 0, serial: 0 };

/**
 * Denied slots pile up for as long as slots last, thousands of them on a busy sale. Who asks says how many of them it knows,
 * and is told the others only.
 */
export function createSnapshots(redis: Redis): QueueStore['snapshot'] {
  return async ({ eventId, flusher, deniedSince = nothingKnown, nowMs = -1 }) => {
    const flush = { flusher: flusher?.id ?? '', isLeaving: Number(flusher?.isLeaving ?? false) };
    let mark = deniedSince;
    let denied: Denied[] = [];
    for (let page = 0; page < pagesMax; page += 1) {
      const args = { deniedAfter: mark.serial, deniedMax: deniedPerPage, nowMs, ...flush, outageMs, flushersMax };
      const reply = toSnapshot(await takeSnapshot(redis, eventKeys(eventId), args));
      if (reply.status === 'lost') return lost;
      const { epoch, atMs } = reply;
      if (mark.epoch !== epoch && mark.serial > 0) {
        // Serial numbers began anew with the epoch.
        mark = nothingKnown;
        denied = [];
        continue;
      }
      mark = { epoch, serial: reply.denied.at(-1)?.serial ?? mark.serial };
      for (const { slotId, untilMs } of reply.denied) if (untilMs > atMs) denied.push({ slotId, untilMs });
      if (reply.denied.length === deniedPerPage) continue;
      const { denials, ...snapshot } = reply;
      return { ...snapshot, denied: denied.sort(byEnd), deniedMark: { epoch, serial: denials } };
    }
    throw new Error(`${eventId} has more than ${pagesMax * deniedPerPage} denied slots`);
  };
}

type Denied = StoreSnapshot['denied'][number];

function byEnd(a: Denied, b: Denied): number {
  if (a.untilMs !== b.untilMs) return a.untilMs - b.untilMs;
  return a.slotId < b.slotId ? -1 : 1;
}
