// As an object, since naming an export that an older Node lacks would fail before anything could be said about it.
import crypto from 'node:crypto';
import type { Random } from '#platform/random.ts';
import {
  type Argon2Cost,
  formatPasswordHash,
  isWeaker,
  type PasswordCost,
  type PasswordHash,
  parsePasswordHash,
  type ScryptCost,
} from '../domain/password-hash.ts';

export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /** Against a stored hash, or null for an account that does not exist or has no password: same work, always wrong. */
  check(password: string, stored: string | null): Promise<PasswordCheck>;
}

export interface PasswordCheck {
  readonly matches: boolean;
  /** The stored hash is weaker than what is asked for today. */
  readonly outdated: boolean;
}

const saltBytes = 16;
const tagBytes = 32;

export interface PasswordHasherOptions {
  readonly cost: PasswordCost;
  readonly random: Random;
  /** For new hashes; stored ones of either kind can be checked. */
  readonly algorithm?: PasswordHash['algorithm'];
}

/** Argon2id where Node and its OpenSSL have it (Node 24.7 and later), scrypt elsewhere. */
const bestAlgorithm = typeof crypto.argon2 === 'function' ? 'argon2id' : 'scrypt';

/** Both algorithms run in libuv's threads, so the process goes on answering meanwhile. */
export function createPasswordHasher({
  cost,
  random,
  algorithm = bestAlgorithm,
}: PasswordHasherOptions): PasswordHasher {
  // Its password is nobody's, so it matches nothing, and it costs what a fresh hash costs.
  const decoy = seal(algorithm, cost, random.bytes(saltBytes), random.bytes(tagBytes));
  return {
    async hash(password) {
      const empty = seal(algorithm, cost, random.bytes(saltBytes), Buffer.alloc(tagBytes));
      return formatPasswordHash({ ...empty, tag: await derive(password, empty) });
    },
    async check(password, stored) {
      const known = stored === null ? null : parsePasswordHash(stored);
      if (stored !== null && known === null) throw new Error('a stored password hash is not in PHC form');
      const against = known ?? decoy;
      const equal = crypto.timingSafeEqual(await derive(password, against), against.tag);
      return { matches: known !== null && equal, outdated: known !== null && isWeaker(known, algorithm, cost) };
    },
  };
}

function seal(algorithm: PasswordHash['algorithm'], cost: PasswordCost, salt: Buffer, tag: Buffer): PasswordHash {
  return algorithm === 'argon2id'
    ? { algorithm, cost: cost.argon2id, salt, tag }
    : { algorithm, cost: cost.scrypt, salt, tag };
}

function derive(password: string, hash: PasswordHash): Promise<Buffer> {
  const salted = { password, salt: hash.salt, length: hash.tag.length };
  return hash.algorithm === 'argon2id'
    ? deriveArgon2({ ...salted, cost: hash.cost })
    : deriveScrypt({ ...salted, cost: hash.cost });
}

interface Salted<Cost> {
  readonly password: string;
  readonly salt: Buffer;
  readonly length: number;
  readonly cost: Cost;
}

function deriveArgon2({ password, salt, length, cost }: Salted<Argon2Cost>): Promise<Buffer> {
  const { memoryKib, passes, parallelism } = cost;
  return new Promise((resolve, reject) => {
    const parameters = { message: password, nonce: salt, tagLength: length, memory: memoryKib, passes, parallelism };
    crypto.argon2('argon2id', parameters, (error, tag) => (error ? reject(error) : resolve(tag)));
  });
}

function deriveScrypt({ password, salt, length, cost }: Salted<ScryptCost>): Promise<Buffer> {
  const N = 2 ** cost.logN;
  // OpenSSL needs 128 · N · r bytes and a little more; its default ceiling is exactly too small for this.
  const maxmem = 128 * (N + cost.parallelism + 2) * cost.blockSize + 1024 * 1024;
  return new Promise((resolve, reject) => {
    const options = { N, r: cost.blockSize, p: cost.parallelism, maxmem };
    crypto.scrypt(password, salt, length, options, (error, tag) => (error ? reject(error) : resolve(tag)));
  });
}
