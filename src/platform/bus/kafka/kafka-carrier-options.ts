import type { Queryable } from '#platform/postgres/database.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import type { BusObserver, Failpoint } from '../options.ts';
import type { KafkaCatalogue } from './kafka-catalogue.ts';
import type { KafkaProducer } from './kafka-producer.ts';

/** What lanes need to be carried, together or alone. */
export interface KafkaCarrierOptions {
  /** The connection that holds the locks of the partitions. */
  readonly control: Pick<Queryable, 'query'>;
  readonly catalogue: KafkaCatalogue;
  /** The topics of this program. They are looked at even while nothing is sent. */
  readonly declared: ReadonlySet<string>;
  /** Makes a topic that is not there. */
  readonly makeTopic: (topic: string) => Promise<void>;
  readonly createProducer: () => KafkaProducer;
  readonly logger: Logger;
  readonly observe: BusObserver;
  readonly failpoint: (point: Failpoint) => Promise<void>;
}
