import type { QueueView } from '../queue/queue-view.ts';
import type { HoldState } from '../reservations/live-hold.ts';

/**
 * Which step of booking the page shows.
 *
 *   checking ──▶ choosing ──hold──▶ held ──time over──▶ hold-over ──▶ choosing
 *      │            │  ▲             │ │
 *      │            │  └──change─────┘ └──confirmed──▶ booked (leads to the tickets)
 *      ▼            ▼ the slot ends; what is held stays held
 *   to-queue     slot-over
 */
export type Stage = 'checking' | 'to-queue' | 'choosing' | 'held' | 'booked' | 'hold-over' | 'slot-over';

export type SlotKnowledge = 'checking' | 'has' | 'none';

export function slotKnowledge(view: QueueView | null, nowMs: number): SlotKnowledge {
  if (view?.kind === 'entering') return 'checking';
  if (view?.kind !== 'turn') return 'none';
  return view.slotEndsAtMs === null || view.slotEndsAtMs > nowMs ? 'has' : 'none';
}

export interface StageFacts {
  readonly slot: SlotKnowledge;
  /** This page has seen a slot: its end is told, instead of leading away. */
  readonly hadSlot: boolean;
  readonly hold: HoldState;
  /** Other places are being chosen for the ones that are held. */
  readonly isChanging: boolean;
  /** The end of this hold was seen and dismissed. */
  readonly isDismissed: boolean;
  /** Whether there is a hold has been asked; without a slot the map does not tell. */
  readonly hasAskedHold: boolean;
}

export function stageOf({ slot, hadSlot, hold, isChanging, isDismissed, hasAskedHold }: StageFacts): Stage {
  if (hold === 'booked') return 'booked';
  if (hold === 'paying') return 'held';
  if (hold === 'held') return isChanging && slot === 'has' ? 'choosing' : 'held';
  if (hold === 'over' && !isDismissed && (slot !== 'none' || hadSlot)) return 'hold-over';
  if (slot === 'has') return 'choosing';
  if (slot === 'checking') return 'checking';
  if (hadSlot) return 'slot-over';
  return hasAskedHold ? 'to-queue' : 'checking';
}
