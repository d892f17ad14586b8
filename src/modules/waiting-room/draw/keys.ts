import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';

/** RFC 8410: what stands before the 32 bytes of a seed in PKCS #8. */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicBytes = 32;

export function receiptKeyOf(seed: Uint8Array): Buffer {
  return createPublicKey(privateKeyOf(seed)).export({ format: 'der', type: 'spki' }).subarray(-publicBytes);
}

export function signReceipt(seed: Uint8Array, signed: Uint8Array): Buffer {
  return sign(null, signed, privateKeyOf(seed));
}

function privateKeyOf(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: 'der', type: 'pkcs8' });
}
