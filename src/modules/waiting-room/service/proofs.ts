import { hash } from 'node:crypto';
import type { Clock } from '#platform/clock.ts';
import type { Random } from '#platform/random.ts';
import { createTextMac } from '#platform/tokens/text-mac.ts';
import { proofGoodMs } from '../ports.ts';

/** A challenge of ALTCHA, version 2. Nothing is kept of it: the signature says that it is ours. */
export interface Challenge {
  readonly parameters: {
    readonly algorithm: 'SHA-256';
    readonly nonce: string;
    readonly salt: string;
    readonly cost: number;
    readonly keyLength: number;
    readonly keyPrefix: string;
    readonly expiresAt: number;
    readonly data: { readonly eventId: string };
  };
  readonly signature: string;
}

export interface Proofs {
  challenge(eventId: string, digits: number): Challenge;
  /** `name`: under which it is remembered as used. */
  verify(eventId: string, proof: unknown): { readonly name: string } | 'missing' | 'refused';
}

/** Hashes for each try: makes a try cost the visitor something, and the one that is checked here next to nothing. */
const cost = 8;
const keyLength = 32;
const bytes = 16;
const counterMax = 2 ** 32 - 1;

export function createProofs(deps: { secrets: readonly string[]; clock: Clock; random: Random }): Proofs {
  const { secrets, clock, random } = deps;
  const macs = secrets.map((secret) => createTextMac({ secret, purpose: 'urr waiting room proof' }));
  const drawn = () => random.bytes(bytes).toString('hex');

  return {
    challenge(eventId, digits) {
      const parameters = {
        ...({ algorithm: 'SHA-256', nonce: drawn(), salt: drawn(), cost, keyLength } as const),
        keyPrefix: '0'.repeat(digits),
        expiresAt: Math.floor((clock.now() + proofGoodMs) / 1000),
        data: { eventId },
      };
      return { parameters, signature: macs[0]?.of(textOf(parameters)) ?? '' };
    },

    verify(eventId, proof) {
      if (proof === undefined || proof === null) return 'missing';
      const read = readProof(proof);
      if (read === null) return 'refused';
      const { challenge, counter } = read;
      const { parameters, signature } = challenge;
      const signed = textOf(parameters);
      // Before anything of it is believed, also how much work it would be to check.
      if (!macs.some((mac) => mac.stands(signed, signature, 0))) return 'refused';
      const isOver = clock.now() >= parameters.expiresAt * 1000;
      if (isOver || parameters.data.eventId !== eventId) return 'refused';
      return keyOf(parameters, counter).startsWith(parameters.keyPrefix) ? { name: parameters.nonce } : 'refused';
    },
  };
}

/** In one order, whatever the order in which they came back. */
function textOf({
  algorithm,
  nonce,
  salt,
  cost,
  keyLength,
  keyPrefix,
  expiresAt,
  data,
}: Challenge['parameters']): string {
  return JSON.stringify([algorithm, nonce, salt, cost, keyLength, keyPrefix, expiresAt, data.eventId]);
}

function keyOf({ nonce, salt, cost, keyLength }: Challenge['parameters'], counter: number): string {
  const counted = Buffer.alloc(4);
  counted.writeUInt32BE(counter);
  let key = Buffer.concat([Buffer.from(salt, 'hex'), Buffer.from(nonce, 'hex'), counted]);
  for (let round = 0; round < cost; round++) key = hash('sha256', key, 'buffer');
  return key.subarray(0, keyLength).toString('hex');
}

function readProof(proof: unknown): { challenge: Challenge; counter: number } | null {
  const { challenge, solution } = fieldsOf(proof);
  const { parameters, signature } = fieldsOf(challenge);
  const { counter } = fieldsOf(solution);
  const { data, ...said } = fieldsOf(parameters);
  const { eventId } = fieldsOf(data);
  const isText = [signature, said.nonce, said.salt, said.keyPrefix, said.algorithm, eventId].every(
    (text) => typeof text === 'string' && text.length <= 200,
  );
  const isCount = [said.cost, said.keyLength, said.expiresAt, counter].every(
    (count) => Number.isInteger(count) && Number(count) >= 0 && Number(count) <= counterMax,
  );
  // The signature is checked next, and only what we signed has one.
  return isText && isCount ? { challenge: challenge as Challenge, counter: Number(counter) } : null;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
