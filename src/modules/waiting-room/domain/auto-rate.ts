/** How busy the line behind the room is, as tier 2 says. */
export interface Demand {
  readonly waiting: number;
  readonly freeSlots: number;
  readonly threshold: number;
  /** The longest life of a slot. */
  readonly slotSeconds: number;
  /** Admissions a second. */
  readonly measuredRate: number;
  /** Nothing is free, held or being paid. */
  readonly soldOut: boolean;
  /** Places given by a number of tier 1 since the epoch began. */
  readonly entered: number;
  readonly epoch: number;
}

export interface RateDecision {
  /** People a second. */
  readonly rate: number;
  /** Waiting there, and on the way. */
  readonly held: number;
  readonly onTheWay: number;
  /** What can be admitted there within the time that was set. */
  readonly canAdmit: number;
}

/**
 * Keeps the line behind the room short. It holds as many people as can be admitted in `withinSeconds`; while it holds fewer the
 * rate is above what is admitted there, while it holds more it is below. People count as held from the moment they were
 * served, so there is no dead time in the loop, and it settles without swinging.
 */
export interface AutoRate {
  decide(now: { atMs: number; served: number; before: number; withinSeconds: number; demand: Demand }): RateDecision;
}

/** Anyone who was served and is not there by then does not come now. */
const onTheWayMs = 60_000;
const growthPer10s = 1.25;
/** A rate of nothing could not grow. */
const leastGrown = 0.5;

export function createAutoRate(): AutoRate {
  let seen: { atMs: number; served: number; entered: number; epoch: number }[] = [];
  let decidedAtMs: number | null = null;

  function onTheWay(now: { atMs: number; served: number; demand: Demand }): number {
    const { atMs, served } = now;
    const { entered, epoch } = now.demand;
    // The count of those who entered began anew, or the line did.
    const last = seen.at(-1);
    if (last !== undefined && (last.epoch !== epoch || last.served > served || last.entered > entered)) seen = [];
    seen = [...seen.filter((one) => atMs - one.atMs <= onTheWayMs), { atMs, served, entered, epoch }];
    const [first] = seen;
    if (first === undefined) return 0;
    return Math.max(0, served - first.served - (entered - first.entered));
  }

  return {
    decide(now) {
      const { atMs, before, withinSeconds, demand } = now;
      const drain = Math.max(demand.measuredRate, demand.threshold / demand.slotSeconds);
      const canAdmit = demand.freeSlots + drain * withinSeconds;
      const coming = onTheWay(now);
      const held = demand.waiting + coming;
      const wanted = Math.max(0, drain + (canAdmit - held) / (withinSeconds / 2));
      const elapsedMs = decidedAtMs === null ? 0 : Math.max(0, atMs - decidedAtMs);
      decidedAtMs = atMs;
      const mostNow = Math.max(before, leastGrown) * growthPer10s ** (elapsedMs / 10_000);
      const rate = demand.soldOut ? 0 : Math.min(wanted, mostNow);
      return { rate, held, onTheWay: coming, canAdmit };
    },
  };
}
