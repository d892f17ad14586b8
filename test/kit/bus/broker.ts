import { Admin, ConfigResourceTypes, IncrementalAlterConfigOperationTypes, Producer } from '@platformatic/kafka';
import { eventually } from '#test/kit/faults.ts';

/** What a person with the tools of Kafka does to it. Each act is tried until the broker has done it. */
export interface BrokerDesk {
  deleteTopic(topic: string): Promise<void>;
  addPartitions(topic: string, count: number): Promise<void>;
  limitMessageBytes(topic: string, bytesMax: number): Promise<void>;
  liftMessageLimit(topic: string): Promise<void>;
  append(record: { topic: string; partition: number; key: string; value: Buffer }): Promise<void>;
}

const actMaxMs = 600_000;
const tryMaxMs = 5_000;

export function createBrokerDesk(brokers: string): BrokerDesk {
  const connection = { clientId: 'chaos-desk', bootstrapBrokers: [brokers], timeout: tryMaxMs, retries: 0 };

  function act(what: string, work: (admin: Admin) => Promise<void>): Promise<void> {
    return eventually(
      async () => {
        const admin = new Admin(connection);
        try {
          await work(admin);
        } finally {
          await admin.close().catch(() => undefined);
        }
      },
      { withinMs: actMaxMs, what },
    ) as Promise<void>;
  }
  const configure = (
    topic: string,
    config:
      | { configOperation: typeof IncrementalAlterConfigOperationTypes.DELETE }
      | { configOperation: 0; value: string },
  ) =>
    act(`${topic} to be configured`, (admin) =>
      admin.incrementalAlterConfigs({
        resources: [
          {
            resourceType: ConfigResourceTypes.TOPIC,
            resourceName: topic,
            configs: [{ name: 'max.message.bytes', ...config }],
          },
        ],
      }),
    );

  return {
    deleteTopic: (topic) =>
      act(`${topic} to be deleted`, async (admin) => {
        if ((await admin.listTopics()).includes(topic)) await admin.deleteTopics({ topics: [topic] });
      }),
    addPartitions: (topic, count) =>
      act(`${topic} to have ${count} partitions`, async (admin) => {
        const { topics } = await admin.metadata({ topics: [topic], forceUpdate: true });
        if ((topics.get(topic)?.partitionsCount ?? 0) >= count) return;
        await admin.createPartitions({ topics: [{ name: topic, count }] });
      }),
    limitMessageBytes: (topic, bytesMax) =>
      configure(topic, { configOperation: IncrementalAlterConfigOperationTypes.SET, value: String(bytesMax) }),
    liftMessageLimit: (topic) => configure(topic, { configOperation: IncrementalAlterConfigOperationTypes.DELETE }),
    async append({ topic, partition, key, value }) {
      await eventually(
        async () => {
          const producer = new Producer({ ...connection, autocreateTopics: false });
          try {
            await producer.send({ messages: [{ topic, partition, key: Buffer.from(key), value }] });
          } finally {
            await producer.close().catch(() => undefined);
          }
        },
        { withinMs: actMaxMs, what: `a message to be appended to ${topic}` },
      );
    },
  };
}
