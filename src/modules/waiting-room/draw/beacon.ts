import { toHex } from '#edge/draw/hash.ts';
import { sha256 } from '#edge/draw/sha256.ts';
import type { BeaconSource } from '../ports.ts';

const answerWithinMs = 5_000;
const bytesMax = 16_384;

/** drand over HTTP, as its public gateways answer: `/{chain}/public/{round}`. */
export function createDrandBeacon(options: {
  url: string;
  chain: string;
  genesisSeconds: number;
  periodSeconds: number;
}): BeaconSource {
  const { chain, genesisSeconds, periodSeconds } = options;
  const base = options.url.replace(/\/+$/, '');
  return {
    chain: { kind: 'drand', chain, genesisSeconds, periodSeconds },
    async signatureOf(round) {
      const answer = await fetch(`${base}/${chain}/public/${round}`, { signal: AbortSignal.timeout(answerWithinMs) });
      if (answer.status === 404 || answer.status === 425) return null;
      if (!answer.ok) throw new Error(`the beacon answered ${answer.status}`);
      const text = await answer.text();
      if (text.length > bytesMax) throw new Error('the beacon says too much');
      return signatureIn(JSON.parse(text), round);
    },
  };
}

/** What does not fit together is no value; whether it is drand's own anyone can look up. */
function signatureIn(body: unknown, asked: number): string {
  const { round, signature, randomness } = (body ?? {}) as Readonly<Record<string, unknown>>;
  if (round !== asked) throw new Error(`the beacon was asked for round ${asked} and answered another`);
  if (typeof signature !== 'string' || !/^(?:[0-9a-f]{2}){32,256}$/i.test(signature))
    throw new Error('the beacon sent no signature');
  const own = signature.toLowerCase();
  const value = toHex(sha256(Buffer.from(own, 'hex')));
  if (typeof randomness === 'string' && randomness.toLowerCase() !== value)
    throw new Error('the randomness of the beacon is not the hash of its signature');
  return own;
}
