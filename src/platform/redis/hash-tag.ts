import { assert } from '../assert.ts';

/**
 * The part of a key that decides its cluster slot: what stands between the first `{` and the next `}`, if anything, else all.
 * https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#hash-tags
 */
export function hashTag(key: string): string {
  const open = key.indexOf('{');
  if (open === -1) return key;
  const close = key.indexOf('}', open + 1);
  return close > open + 1 ? key.slice(open + 1, close) : key;
}

export const slotCount = 16_384;

/** The slot of a Cluster that a key lives in: CRC16 (XMODEM) of its hash tag. */
export function keySlot(key: string): number {
  let crc = 0;
  for (const byte of Buffer.from(hashTag(key))) {
    crc = ((crc << 8) & 0xffff) ^ (crcOfByte[(crc >> 8) ^ byte] ?? 0);
  }
  return crc % slotCount;
}

const crcOfByte = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021;
  return crc;
});

/**
 * Checked on a standalone server too, so that what works there works on a cluster. Equal tags are asked for, not equal
 * slots: two tags that share a slot do so by luck.
 */
export function assertOneSlot(scriptName: string, keys: readonly string[]): void {
  const first = keys[0];
  if (first === undefined || keys.length === 1) return;
  const tag = hashTag(first);
  for (const key of keys) {
    assert(
      hashTag(key) === tag,
      `${scriptName}: the keys ${first} and ${key} may live on different nodes; give them one {tag}`,
    );
  }
}
