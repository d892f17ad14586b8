/** How long and how much. `URR_BENCH_TICKETING=tiny` only shows that it runs. */
export interface Size {
  readonly pairs: number;
  readonly seconds: number;
  /** So many rows of 20 seats in each section. */
  readonly rows: number;
  /** Events for ticketing and for the bare route. */
  readonly events: number;
  readonly bareEvents: number;
  /** Requests that are prepared for a run: more than it can send. */
  readonly holdsMax: number;
  readonly bareHoldsMax: number;
  readonly loneHoldsMax: number;
  readonly refusalsMax: number;
  readonly mapSeconds: number;
}

const whole: Size = {
  ...{ pairs: 5, seconds: 2, rows: 20, events: 18, bareEvents: 8 },
  ...{ holdsMax: 30_000, bareHoldsMax: 15_000, loneHoldsMax: 12_000, refusalsMax: 120_000, mapSeconds: 5 },
};
const tiny: Size = {
  ...{ pairs: 1, seconds: 1, rows: 8, events: 9, bareEvents: 5 },
  ...{ holdsMax: 12_000, bareHoldsMax: 6_000, loneHoldsMax: 6_000, refusalsMax: 60_000, mapSeconds: 3 },
};

export const benchSize: Size = process.env.URR_BENCH_TICKETING === 'tiny' ? tiny : whole;
