import type { AdmissionObserver } from '../jobs/admission-deps.ts';
import type { Announce } from '../notices/announce.ts';
import type { QueueMetrics } from './queue-metrics.ts';

/** What happens around an admission beside the admission itself: counted, and told to anyone who wants notices. */
export function observeAdmission({
  metrics,
  announce,
}: {
  metrics: QueueMetrics;
  announce: Announce;
}): AdmissionObserver {
  return {
    admitted(eventId, slots) {
      metrics.slotsGiven(slots.length);
      announce(eventId, slots);
    },
    ticked: (_eventId, counts) => metrics.ticked(counts),
    superseded: metrics.superseded,
    onReplica: metrics.onReplica,
    journalAway: (eventId, away) => metrics.journalAway(eventId, away),
  };
}
