import type { BusOptions } from '../options.ts';

export interface KafkaBusOptions extends BusOptions {
  readonly brokers: readonly string[];
  readonly clientId: string;
  /** Copies of each topic that is made; existing topics are left as they are. */
  readonly replication: number;
  /** How long a consumer may be silent before its partitions go to another. The broker's own lower limit is 6 s. */
  readonly sessionTimeoutMs?: number;
}

/** What every client of the library is made with. Retries are ours: bounded here, and with back-off in the loops above. */
export function connectionOptions({ brokers, clientId }: Pick<KafkaBusOptions, 'brokers' | 'clientId'>) {
  return {
    clientId,
    bootstrapBrokers: [...brokers],
    connectTimeout: 2_000,
    timeout: 5_000,
    retries: 0,
    autocreateTopics: false,
  };
}

/** One Kafka group per topic: a rebalance of one topic then never stops the consumers of another. */
export function kafkaGroup({ group, topic }: { group: string; topic: string }): string {
  return `${group}.${topic}`;
}
