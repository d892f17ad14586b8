/**
 * Which partition a key belongs to: Kafka's own murmur2 over the UTF-8 bytes, made positive, modulo the number of
 * partitions. The embedded log, the Kafka adapter and any Java client agree on it, so a key never changes its partition.
 */
export function partitionOf(key: string, partitions: number): number {
  return (murmur2(Buffer.from(key)) & 0x7fffffff) % partitions;
}

const seed = 0x9747b28c;
const multiplier = 0x5bd1e995;
const shift = 24;

/** As in org.apache.kafka.common.utils.Utils, with 32-bit integers; the client library's version uses BigInt and is 20 times slower. */
export function murmur2(data: Buffer): number {
  const { length } = data;
  const blocksEnd = length & ~3;
  let hash = seed ^ length;
  for (let at = 0; at < blocksEnd; at += 4) {
    let block = Math.imul(data.readInt32LE(at), multiplier);
    block ^= block >>> shift;
    hash = Math.imul(hash, multiplier) ^ Math.imul(block, multiplier);
  }
  if (length > blocksEnd) {
    hash ^= data.readUIntLE(blocksEnd, length - blocksEnd);
    hash = Math.imul(hash, multiplier);
  }
  hash ^= hash >>> 13;
  hash = Math.imul(hash, multiplier);
  return hash ^ (hash >>> 15);
}
