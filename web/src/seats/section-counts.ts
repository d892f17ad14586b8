import type { SeatPlan } from './seat-plan.ts';
import { seatLook } from './seat-types.ts';

/** How many seats of each section are free. */
export function freeBySection(plan: SeatPlan, states: Uint8Array): Uint32Array {
  const free = new Uint32Array(plan.sections.length);
  for (let seatNo = 0; seatNo < plan.seatCount; seatNo += 1) {
    if (states[seatNo] !== seatLook.free) continue;
    const section = plan.sectionOf[seatNo] ?? 0;
    free[section] = (free[section] ?? 0) + 1;
  }
  return free;
}
