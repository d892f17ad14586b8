import { randomBytes } from 'node:crypto';

/** The one source of randomness. Handed in as a dependency, so that tests can repeat a run. */
export interface Random {
  bytes(count: number): Buffer;
  /** A number in [0, 1). */
  fraction(): number;
}

export const systemRandom: Random = {
  bytes: (count) => randomBytes(count),
  fraction: () => Math.random(),
};
