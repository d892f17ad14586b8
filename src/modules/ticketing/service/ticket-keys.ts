import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { keyIdOf } from '../domain/ticket-code.ts';
import type { TicketKey } from '../ports.ts';

/** RFC 8410: what stands before the 32 bytes of a seed in PKCS #8, and before those of a public key in SPKI. */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');
const spkiHead = Buffer.from('302a300506032b6570032100', 'hex');

export function privateKeyOf(seed: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: 'der', type: 'pkcs8' });
}

export function publicKeyOf(raw: Buffer): KeyObject {
  return createPublicKey({ key: Buffer.concat([spkiHead, raw]), format: 'der', type: 'spki' });
}

export function rawPublicKey(key: KeyObject): Buffer {
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(spkiHead.length);
}

/** Keys as they are configured: seeds of 32 bytes in base64url, of which the first signs. */
export function ticketKeysOf(seeds: readonly string[]): TicketKey[] {
  return seeds.map((text) => {
    const seed = Buffer.from(text, 'base64url');
    return { kid: keyIdOf(rawPublicKey(privateKeyOf(seed))), seed };
  });
}
