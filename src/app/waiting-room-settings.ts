import { defineConfig, integer, text, url } from '#platform/config/index.ts';

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
  drandUrl: url({
    group: 'Waiting room',
    env: 'URR_DRAND_URL',
    default: 'https://api.drand.sh',
    protocols: ['https', 'http'],
    help: 'Where the public randomness of draws is asked for: a gateway of drand. Only draws with a beacon need it.',
  }),
  drandChain: text({
    group: 'Waiting room',
    env: 'URR_DRAND_CHAIN',
    default: '52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971',
    pattern: /^[0-9a-f]{64}$/,
    help: 'Hash of the chain of drand that draws announce; the usual one is quicknet. With another one its genesis and period have to be set, too.',
  }),
  drandGenesisSeconds: integer({
    group: 'Waiting room',
    env: 'URR_DRAND_GENESIS',
    default: 1_692_803_367,
    min: 1,
    max: 10_000_000_000,
    help: 'Seconds since 1970 at which round 1 of that chain appeared.',
  }),
  drandPeriodSeconds: integer({
    group: 'Waiting room',
    env: 'URR_DRAND_PERIOD_SECONDS',
    default: 3,
    min: 1,
    max: 3_600,
    help: 'Seconds between two rounds of that chain.',
  }),
});
