import type { Beacon } from './published.ts';

/** Between the freeze and the round that counts: when N and head are public, its value is known to nobody. */
const roundDelayMs = 30_000;
/** After the round. Then the draw is void, since a secret that is only shown when its owner likes the outcome proves nothing. */
export const revealWithinMs = 300_000;

/** The first round at least so long after the freeze; 0 without a beacon. A rule, so that nobody has a choice. */
export function roundFor(beacon: Beacon, frozenAtMs: number): number {
  if (beacon.kind === 'operator') return 0;
  const { genesisSeconds, periodSeconds } = beacon;
  const fromSeconds = (frozenAtMs + roundDelayMs) / 1_000 - genesisSeconds;
  return Math.max(1, Math.ceil(fromSeconds / periodSeconds) + 1);
}

/** When the value of a round appears; without a beacon there is nothing to wait for. */
export function roundAtMs(beacon: Beacon, round: number, frozenAtMs: number): number {
  if (beacon.kind === 'operator') return frozenAtMs;
  return (beacon.genesisSeconds + (round - 1) * beacon.periodSeconds) * 1_000;
}
