import { toHex } from '#edge/draw/hash.ts';
import { sha256 } from '#edge/draw/sha256.ts';
import type { Clock } from '#platform/clock.ts';
import type { BeaconSource } from '../../ports.ts';

export interface PlayedBeacon extends BeaconSource {
  /** Rounds that never appear. */
  readonly missing: Set<number>;
  /** Nobody answers. */
  isAway: boolean;
  readonly asked: number[];
}

/** A beacon that speaks every three seconds of the test's clock. */
export function aBeacon(clock: Pick<Clock, 'now'>): PlayedBeacon {
  const chain = {
    kind: 'drand',
    chain: 'ab'.repeat(32),
    genesisSeconds: 1_692_803_367,
    periodSeconds: 3,
  } as const;
  const beacon: PlayedBeacon = {
    chain,
    missing: new Set(),
    isAway: false,
    asked: [],
    async signatureOf(round) {
      beacon.asked.push(round);
      if (beacon.isAway) throw new Error('nobody answers');
      const atMs = (chain.genesisSeconds + (round - 1) * chain.periodSeconds) * 1_000;
      if (clock.now() < atMs || beacon.missing.has(round)) return null;
      return toHex(sha256(Buffer.from(`round ${round}`)));
    },
  };
  return beacon;
}
