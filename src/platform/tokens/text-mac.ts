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

/**
 * HMAC-SHA-256 as RFC 2104 writes it down, by two plain hashes: `createHmac` makes an object at every call, which costs
 * more than the hashing, and every poll needs a MAC. Each purpose has a key of its own.
 */
export function createTextMac(options: { secret: string; purpose: string; length?: number }): TextMac {
  const { secret, purpose, length = macLengthMax } = options;
  // 64 hexadecimal digits fill the block of the hash and stay ASCII when the padding is mixed in, so the inner hash can
  // be that of a text. The outer one is that of bytes, in a buffer which this key alone uses.
  const key = Buffer.from(createHmac('sha256', secret).update(purpose).digest('hex'), 'latin1');
  const innerPad = Buffer.from(key.map((byte) => byte ^ 0x36)).toString('latin1');
  const outer = Buffer.alloc(blockBytes + hashBytes);
  outer.set(key.map((byte) => byte ^ 0x5c));

  function wholeOf(text: string): string {
    outer.write(hash('sha256', innerPad + text, 'binary'), blockBytes, 'latin1');
    return hash('sha256', outer, 'base64url');
  }

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
