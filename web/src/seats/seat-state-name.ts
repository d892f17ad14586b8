import type { SeatStateName } from './seat-names.ts';
import { seatLook } from './seat-types.ts';

export interface SeatsSeen {
  readonly states: Uint8Array;
  readonly chosen: ReadonlySet<number>;
  /** Held by this visitor. */
  readonly mine: ReadonlySet<number>;
  /** Was chosen here when somebody else was faster. */
  readonly lost: ReadonlySet<number>;
}

export function seatStateName(seatNo: number, { states, chosen, mine, lost }: SeatsSeen): SeatStateName {
  if (chosen.has(seatNo)) return 'chosen';
  if (mine.has(seatNo)) return 'mine';
  switch (states[seatNo]) {
    case seatLook.free:
      return 'free';
    case seatLook.held:
      return lost.has(seatNo) ? 'lost' : 'held';
    case seatLook.sold:
      return lost.has(seatNo) ? 'lost' : 'sold';
    default:
      return 'blocked';
  }
}

export function canChoose(seatNo: number, { states, mine }: Pick<SeatsSeen, 'states' | 'mine'>): boolean {
  return states[seatNo] === seatLook.free || mine.has(seatNo);
}
