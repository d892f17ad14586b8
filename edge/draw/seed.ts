import { fromHex, hashOf } from './hash.ts';
import { sha256 } from './sha256.ts';

/** All in hexadecimal but the event. */
export interface SeedParts {
  readonly eventId: string;
  readonly era: number;
  readonly entries: number;
  readonly head: string;
  readonly secret: string;
  readonly round: number;
  readonly value: string;
}

/** Known to nobody before both the secret and the beacon's value are: neither the operator nor the beacon can choose it. */
export function seedOf({ eventId, era, entries, head, secret, round, value }: SeedParts): Uint8Array {
  return hashOf('seed', [eventId, era, entries, fromHex(head), fromHex(secret), round, fromHex(value)]);
}

export function commitmentOf(secret: Uint8Array): Uint8Array {
  return sha256(secret);
}
