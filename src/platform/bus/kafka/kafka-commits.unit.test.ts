import type { Consumer } from '@platformatic/kafka';
import { expect, test } from 'vitest';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { createKafkaCommits } from './kafka-commits.ts';

/** Commits to a broker that takes everything, and what it was given: partition and offset. */
function aCommitter(verify: () => Promise<void> = async () => {}) {
  const committed: [number, number][] = [];
  const client = {
    closed: false,
    async commit({ offsets }: { offsets: { partition: number; offset: bigint }[] }) {
      for (const { partition, offset } of offsets) committed.push([partition, Number(offset)]);
    },
  } as unknown as Consumer;
  return { committed, commits: createKafkaCommits({ client, topic: 'topic', logger: silentLogger, verify }) };
}

test('an older offset never replaces a newer one that waits to be committed', async () => {
  const looked = Promise.withResolvers<void>();
  const { committed, commits } = aCommitter(() => looked.promise);
  commits.mark(0, 1);
  commits.mark(0, 9);
  commits.mark(0, 5);
  looked.resolve();
  await commits.flush();
  expect(committed).toEqual([
    [0, 1],
    [0, 9],
  ]);
});

test('nothing is committed before the topic was looked at, and nothing when it is another one', async () => {
  const looked = Promise.withResolvers<void>();
  const { committed, commits } = aCommitter(() => looked.promise);
  commits.mark(0, 5);
  await new Promise((resolve) => setImmediate(resolve));
  expect(committed).toEqual([]);
  commits.discard();
  looked.resolve();
  await commits.flush();
  expect(committed).toEqual([]);
});
