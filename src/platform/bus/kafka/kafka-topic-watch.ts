import {
  type CallbackWithPromise,
  type ClusterMetadata,
  findErrorBy,
  type Consumer as KafkaClient,
  ListOffsetTimestamps,
  type Offsets,
} from '@platformatic/kafka';
import type { Database } from '#platform/postgres/database.ts';
import type { ConsumerName } from '../options.ts';

/** The membership ends in order to begin anew with what the topic is now. */
export class TopicChanged extends Error {
  override readonly name = 'TopicChanged';
}

export interface KafkaTopicState {
  readonly id: string;
  readonly partitions: number;
}

export interface OutOfRange {
  readonly partition: number;
  readonly offset: number;
}

const watchEveryMs = 1_000;
const offsetOutOfRangeCode = 1;

export async function lookAtTopic(client: KafkaClient, topic: string): Promise<KafkaTopicState> {
  const { topics } = await client.metadata({ topics: [topic], forceUpdate: true });
  const found = topics.get(topic);
  if (found === undefined) throw new Error(`the Kafka topic ${topic} is not there`);
  return { id: found.id, partitions: found.partitionsCount };
}

/**
 * The library follows a topic that was deleted and made again: its next fetch asks for the old offset of the new topic.
 * So every answer about the topic is looked at before the library sees it, and one about another topic, or about more
 * partitions, ends the membership. Beside that, it is asked every second: a consumer that does not fetch asks nothing.
 */
export function watchTopic(
  client: KafkaClient,
  { topic, started, changed }: { topic: string; started: KafkaTopicState; changed: (error: TopicChanged) => void },
): { stop(): void } {
  const metadata = client.metadata.bind(client);
  type Metadata = Parameters<typeof metadata>;
  function verify(found: ClusterMetadata): TopicChanged | null {
    const problem = changeOf(topic, started, found);
    if (problem === null) return null;
    const error = new TopicChanged(problem);
    changed(error);
    return error;
  }
  // Both ways of calling it, as the library has them: with a callback, or for a promise.
  client.metadata = ((options: Metadata[0], callback?: CallbackWithPromise<ClusterMetadata>) => {
    if (callback === undefined)
      return metadata(options).then((found) => {
        const error = options.topics?.includes(topic) === true ? verify(found) : null;
        if (error !== null) throw error;
        return found;
      });
    // Only the stream asks this way, before it fetches this very topic; also when a failed rejoin has made the library forget its name.
    metadata(options, (error, found) => {
      const verdict = error === null && found !== undefined ? verify(found) : error;
      callback(verdict, found);
    });
    return undefined;
  }) as typeof client.metadata;
  const timer = setInterval(() => void lookAtTopic(client, topic).catch(() => undefined), watchEveryMs);
  return { stop: () => clearInterval(timer) };
}

/** Null: it is the topic that the membership began with. An answer that lacks the topic would make the library throw where nobody can catch it. */
function changeOf(topic: string, started: KafkaTopicState, { topics }: ClusterMetadata): string | null {
  const now = topics.get(topic);
  if (now === undefined) return `${topic} is not there any more`;
  if (now.id !== started.id) return `${topic} was deleted and made again`;
  if (now.partitionsCount === started.partitions) return null;
  return `${topic} has ${now.partitionsCount} partitions now, and had ${started.partitions}`;
}

/** Says which offsets were asked for that the topic does not have (any more). The library then goes to the earliest by itself. */
export function watchOffsets(client: KafkaClient, outOfRange: (found: readonly OutOfRange[]) => void): void {
  const fetch = client.fetch.bind(client);
  type Fetch = Parameters<typeof fetch>;
  client.fetch = ((options: Fetch[0], callback?: CallbackWithPromise<Awaited<ReturnType<typeof fetch>>>) => {
    if (callback === undefined) return fetch(options);
    fetch(options, (error, response) => {
      if (error instanceof Error && findErrorBy(error, 'apiId', 'OFFSET_OUT_OF_RANGE') !== null)
        outOfRange(offsetsOutOfRange(error, options));
      callback(error, response);
    });
    return undefined;
  }) as typeof client.fetch;
}

function offsetsOutOfRange(
  error: Error,
  {
    topics,
  }: { topics: readonly { topicId: string; partitions: readonly { partition: number; fetchOffset: bigint }[] }[] },
): OutOfRange[] {
  // The library hangs the whole answer on its error.
  const { response } = error as {
    response?: { responses?: { partitions: { partitionIndex: number; errorCode: number }[] }[] };
  };
  const refused = new Set(
    (response?.responses ?? []).flatMap(({ partitions }) =>
      partitions
        .filter(({ errorCode }) => errorCode === offsetOutOfRangeCode)
        .map(({ partitionIndex }) => partitionIndex),
    ),
  );
  return topics
    .flatMap(({ partitions }) => partitions)
    .filter(({ partition }) => refused.has(partition))
    .map(({ partition, fetchOffset }) => ({ partition, offset: Number(fetchOffset) }));
}

/** For the start of a membership whose group has offsets of another topic: the library finds none, and begins at the earliest. */
export function ignoreCommittedOffsets(client: KafkaClient): { stop(): void } {
  const original = client.listCommittedOffsets.bind(client);
  type Listing = Parameters<typeof original>;
  client.listCommittedOffsets = ((_options: Listing[0], callback?: CallbackWithPromise<Offsets>) => {
    if (callback === undefined) return Promise.resolve(new Map());
    queueMicrotask(() => callback(null, new Map()));
    return undefined;
  }) as typeof client.listCommittedOffsets;
  return {
    stop() {
      client.listCommittedOffsets = original;
    },
  };
}

/** As a member of the group, for all partitions: whichever member has them next. */
export async function commitEarliest(client: KafkaClient, topic: string): Promise<void> {
  const offsets = await client.listOffsets({ topics: [topic], timestamp: ListOffsetTimestamps.EARLIEST });
  const earliest = offsets.get(topic) ?? [];
  await client.commit({
    offsets: earliest.map((offset, partition) => ({ topic, partition, offset, leaderEpoch: -1 })),
  });
}

/** The id of the topic that the group's committed offsets belong to; that of now when nothing is known yet. */
export async function consumedTopicId(
  database: Database,
  { topic, group, id }: ConsumerName & { id: string },
): Promise<string> {
  const { rows } = await database.query<{ topic_id: string }>(
    `WITH made AS (
       INSERT INTO urr.bus_consumed_topics (consumer_group, topic, topic_id) VALUES ($1, $2, $3)
       ON CONFLICT DO NOTHING RETURNING topic_id)
     SELECT topic_id FROM made
     UNION ALL
     SELECT topic_id FROM urr.bus_consumed_topics WHERE consumer_group = $1 AND topic = $2`,
    [group, topic, id],
  );
  return rows[0]?.topic_id ?? id;
}

export async function rememberConsumedTopic(
  database: Database,
  { topic, group, id }: ConsumerName & { id: string },
): Promise<void> {
  await database.query('UPDATE urr.bus_consumed_topics SET topic_id = $3 WHERE consumer_group = $1 AND topic = $2', [
    group,
    topic,
    id,
  ]);
}
