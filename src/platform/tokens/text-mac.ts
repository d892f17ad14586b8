import { isAscii } from 'node:buffer';
import { createHmac, hash } from 'node:crypto';

/** Proves that a text is ours. */
export interface TextMac {
  /** In base64url, of 256 bits or as many as were asked for. */
  of(text: string): string;
  /** Whether the MAC of `text` stands in `where` from `at` to its end. Takes the same time wherever the two differ. */
  stands(text: string, where: string, at: number): boolean;
}

const blockBytes = 64;
const hashBytes = 32;
const macLengthMax = 43;
/** Six bits each: no shorter than 128 bits. */
export const shortMacLength = 22;

/** Each purpose has a key of its own. */
export function createTextMac(options: { secret: string; purpose: string; length?: number }): TextMac {
  const { secret, purpose, length } = options;
  // 64 hexadecimal digits: as much as the hash takes at once, and the fast way below.
  return createKeyedMac(createHmac('sha256', secret).update(purpose).digest('hex'), length);
}

/**
 * HMAC-SHA-256 as RFC 2104 writes it down, by two plain hashes: `createHmac` makes an object at every call, which costs
 * more than the hashing, and every poll needs a MAC.
 */
export function createKeyedMac(key: string, length = macLengthMax): TextMac {
  const block = Buffer.alloc(blockBytes);
  const isShort = block.write(key) === Buffer.byteLength(key);
  // Mixed with ASCII the padding stays ASCII, and the inner hash can be that of a text. Other keys are used the ordinary way.
  const wholeOf = isShort && isAscii(block) ? byPlainHashes(block) : byHmac(key);

  return {
    of: (text) => wholeOf(text).slice(0, length),
    stands(text, where, at) {
      if (where.length - at !== length) return false;
      const mac = wholeOf(text);
      // Every character is looked at, and none decides before the last. `timingSafeEqual` would need both as bytes.
      let difference = 0;
      for (let i = 0; i < length; i++) difference |= mac.charCodeAt(i) ^ where.charCodeAt(at + i);
      return difference === 0;
    },
  };
}

function byPlainHashes(block: Buffer): (text: string) => string {
  const innerPad = Buffer.from(block.map((byte) => byte ^ 0x36)).toString('latin1');
  // Of bytes, in a buffer which this key alone uses.
  const outer = Buffer.alloc(blockBytes + hashBytes);
  outer.set(block.map((byte) => byte ^ 0x5c));
  return (text) => {
    outer.write(hash('sha256', innerPad + text, 'binary'), blockBytes, 'latin1');
    return hash('sha256', outer, 'base64url');
  };
}

function byHmac(key: string): (text: string) => string {
  return (text) => createHmac('sha256', key).update(text).digest('base64url');
}
