/** How much of each lane travels in one turn of the relay. */
export interface TurnQuota {
  perLane(): { readonly rowsMax: number; readonly bytesMax: number };
  /** So many lanes had rows in the last turn: the next is shared among as many. */
  used(lanes: number): void;
}

/** A turn is what an event of another topic waits for, so it ends soon; and it is what is held in memory at once. */
const turnRowsMax = 600;
const turnBytesMax = 6 * 1_024 * 1_024;
const laneRows = { min: 50, max: turnRowsMax };
const laneBytes = { min: 256 * 1_024, max: 2 * 1_024 * 1_024 };

export function createTurnQuota(): TurnQuota {
  let lanes = 1;
  return {
    perLane: () => ({
      rowsMax: clamp(Math.floor(turnRowsMax / lanes), laneRows),
      bytesMax: clamp(Math.floor(turnBytesMax / lanes), laneBytes),
    }),
    used(count) {
      lanes = Math.max(1, count);
    },
  };
}

function clamp(value: number, { min, max }: { min: number; max: number }): number {
  return Math.min(max, Math.max(min, value));
}
