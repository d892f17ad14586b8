import { defineConfig, integer } from '#platform/config/index.ts';

/** The settings of tier 1. */
export const waitingRoomSettings = defineConfig({
  vwrRatePerSecond: integer({
    group: 'Waiting room',
    env: 'URR_VWR_RATE_PER_SECOND',
    default: 50,
    min: 0,
    max: 100_000,
    help: 'How many people a second a waiting room lets on, where its operator says nothing else.',
  }),
});
