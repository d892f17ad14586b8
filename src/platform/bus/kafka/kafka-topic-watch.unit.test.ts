import type { CallbackWithPromise, ClusterMetadata, Consumer } from '@platformatic/kafka';
import { afterEach, describe, expect, test } from 'vitest';
import { TopicChanged, watchTopic } from './kafka-topic-watch.ts';

const started = { id: 'first', partitions: 3 };
const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** The only call of the library's client that the watch stands in front of, answering with these topics. */
function ask(found: Record<string, { id: string; partitionsCount: number }>, topics: readonly string[]) {
  const client = {
    metadata(_options: unknown, callback: CallbackWithPromise<ClusterMetadata>) {
      callback(null, { topics: new Map(Object.entries(found)) } as unknown as ClusterMetadata);
    },
  } as unknown as Consumer;
  const changes: string[] = [];
  const { stop } = watchTopic(client, { topic: 'orders', started, changed: ({ message }) => changes.push(message) });
  stops.push(stop);
  const answer = Promise.withResolvers<Error | null>();
  client.metadata({ topics: [...topics] }, (error) => answer.resolve(error));
  return answer.promise.then((error) => ({ error, changes }));
}

describe('an answer about the topic reaches the library only when it is about the topic of this membership', () => {
  test.each([
    ['lacks it', {}, 'orders is not there any more'],
    ['has another id', { orders: { id: 'second', partitionsCount: 3 } }, 'orders was deleted and made again'],
    ['has more partitions', { orders: { id: 'first', partitionsCount: 6 } }, 'orders has 6 partitions now, and had 3'],
    ['has fewer', { orders: { id: 'first', partitionsCount: 1 } }, 'orders has 1 partitions now, and had 3'],
  ])('one that %s is an error', async (_, found, message) => {
    const { error, changes } = await ask(found, ['orders']);
    expect(error).toBeInstanceOf(TopicChanged);
    expect(changes).toEqual([message]);
  });

  test('one about it passes', async () => {
    const found = { orders: { id: 'first', partitionsCount: 3 } };
    expect(await ask(found, ['orders'])).toEqual({ error: null, changes: [] });
  });

  test('a stream that fetches after the library has forgotten its topic is ended', async () => {
    // What the library asks after a rejoin that failed. Given the answer, it throws where nobody can catch it.
    const { error, changes } = await ask({}, []);
    expect(error).toBeInstanceOf(TopicChanged);
    expect(changes).toEqual(['orders is not there any more']);
  });
});
