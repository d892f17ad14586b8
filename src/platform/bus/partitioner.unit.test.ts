import { compatibilityPartitioner } from '@platformatic/kafka';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { murmur2, partitionOf } from './partitioner.ts';

test('the hash is the one of Kafka (vectors from its own UtilsTest)', () => {
  const vectors: [string, number][] = [
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
    ['abc', 479470107],
  ];
  for (const [text, hash] of vectors) expect(murmur2(Buffer.from(text)), text).toBe(hash);
});

test('a key has the same partition as a Java producer would give it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 64 }), (key, partitions) => {
      const message = { topic: 't', key: Buffer.from(key) };
      expect(partitionOf(key, partitions)).toBe(compatibilityPartitioner(message, message.key) % partitions);
    }),
  );
});

test('keys spread over the partitions', () => {
  const counts = [0, 0, 0];
  for (let index = 0; index < 3_000; index++) {
    const partition = partitionOf(`key-${index}`, 3);
    counts[partition] = (counts[partition] ?? 0) + 1;
  }
  for (const count of counts) expect(count).toBeGreaterThan(850);
});
