import { createEmbeddedBus } from '#platform/bus/embedded/embedded-bus.ts';
import type { BusObserver } from '#platform/bus/options.ts';
import type { BusEngine } from '#platform/bus/port.ts';
import type { Clock } from '#platform/clock.ts';
import type { Ids } from '#platform/ids.ts';
import type { Database } from '#platform/postgres/database.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import type { Metrics } from '#platform/telemetry/metrics.ts';
import type { UrrConfig } from '../config.ts';
import { allConsumerGroups, allTopics } from '../modules.ts';

/** Kafka when brokers are configured, else the log in PostgreSQL. */
export async function openBus(options: {
  config: UrrConfig;
  database: Database;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  metrics?: Metrics;
  relay?: boolean;
}): Promise<BusEngine> {
  const { config, database, clock, ids, logger, metrics, relay = true } = options;
  const shared = {
    database,
    topics: allTopics,
    groups: allConsumerGroups,
    clock,
    ids,
    logger,
    relay,
    ...(metrics && { observe: observeBus(metrics) }),
  };
  if (config.kafkaBrokers.length === 0) return createEmbeddedBus(shared);
  // Half of the start-up time would go into a client that an embedded start never uses.
  const { createKafkaBus } = await import('#platform/bus/kafka/kafka-bus.ts');
  return createKafkaBus({
    ...shared,
    brokers: config.kafkaBrokers,
    replication: config.kafkaReplication,
    clientId: 'urr',
  });
}

function observeBus(metrics: Metrics): BusObserver {
  const published = metrics.counter('urr_bus_published_total', 'Events written to the outbox or sent at once.', [
    'topic',
  ]);
  const relayed = metrics.counter('urr_bus_relayed_total', 'Events handed from the outbox to the broker.', ['topic']);
  const consumed = metrics.counter('urr_bus_consumed_total', 'Events whose effect was applied.', ['topic', 'group']);
  const duplicates = metrics.counter('urr_bus_duplicates_total', 'Events met again and passed over.', [
    'topic',
    'group',
  ]);
  const seconds = metrics.histogram('urr_bus_handle_seconds', 'How long handlers took.', ['topic', 'group']);
  const failed = metrics.counter('urr_bus_failures_total', 'Tries that failed, by kind.', ['topic', 'group', 'kind']);
  const deadLettered = metrics.counter('urr_bus_dead_letters_total', 'Events given up.', ['topic', 'group']);
  const lag = metrics.gauge('urr_bus_lag', 'Events that a group has not read yet.', ['topic', 'group', 'partition']);
  const waiting = metrics.gauge('urr_bus_outbox_rows', 'Events in the outbox that no broker has yet.');
  const oldest = metrics.gauge('urr_bus_outbox_oldest_seconds', 'How long the oldest of them has waited.');
  const refused = metrics.counter('urr_bus_refused_total', 'Rows of the outbox that the broker refused for good.', [
    'topic',
  ]);
  const refusedRows = metrics.gauge(
    'urr_bus_refused_rows',
    'Rows of the outbox that the broker refuses, and those that wait behind them.',
  );
  const stuck = metrics.gauge('urr_bus_topic_stuck', '1: the topic cannot be sent to.', ['topic']);
  const replaced = metrics.counter('urr_bus_topics_replaced_total', 'Topics that were deleted and made again.', [
    'topic',
  ]);
  const staleHolders = metrics.counter(
    'urr_bus_stale_holders_ended_total',
    'Sessions of processes without a sign of life that were ended.',
    ['claim'],
  );
  const letters = metrics.gauge('urr_bus_letters', 'Messages that a group could not handle and that wait, by state.', [
    'topic',
    'group',
    'state',
  ]);
  return {
    published: (topic, count) => published.inc({ topic }, count),
    relayed: (topic, count) => relayed.inc({ topic }, count),
    consumed: ({ topic, group }, outcome) => {
      consumed.inc({ topic, group }, outcome.count);
      duplicates.inc({ topic, group }, outcome.duplicates);
      seconds.observe({ topic, group }, outcome.seconds);
    },
    failed: ({ topic, group }, kind) => failed.inc({ topic, group, kind }),
    deadLettered: ({ topic, group }, count) => deadLettered.inc({ topic, group }, count),
    backlog: ({ rows, oldestMs }) => {
      waiting.set(rows);
      oldest.set(oldestMs / 1000);
    },
    refused: (topic) => refused.inc({ topic }),
    refusedRows: (count) => refusedRows.set(count),
    topicStuck: (topic, reason) => stuck.set({ topic }, reason === null ? 0 : 1),
    topicReplaced: (topic) => replaced.inc({ topic }),
    staleHolderEnded: (claim) => staleHolders.inc({ claim }),
    letters: (counts) => {
      // A state that has no letters any more is not in the list.
      letters.reset();
      for (const { topic, group, state, count } of counts) letters.set({ topic, group, state }, count);
    },
    lag: (lags) => {
      for (const one of lags)
        lag.set({ topic: one.topic, group: one.group, partition: String(one.partition) }, one.lag);
    },
  };
}
