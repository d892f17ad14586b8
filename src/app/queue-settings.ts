import type { QueueConfig } from '#modules/queue/index.ts';
import { type ConfigOf, defineConfig, integer, url } from '#platform/config/index.ts';

/** The settings of tier 2. Each also answers to its bare name, without the prefix. */
export const queueSettings = defineConfig({
  queueThreshold: integer({
    group: 'Queue',
    env: 'URR_QUEUE_THRESHOLD',
    aliases: ['QUEUE_THRESHOLD'],
    default: 1_000,
    min: 1,
    max: 1_000_000,
    help: 'Slots per event, where neither the event nor an operator says otherwise.',
  }),
  queueActiveTtlSeconds: integer({
    group: 'Queue',
    env: 'URR_QUEUE_ACTIVE_TTL_SECONDS',
    aliases: ['QUEUE_ACTIVE_TTL_SECONDS'],
    default: 600,
    min: 10,
    max: 86_400,
    help: 'How long a slot lasts. Nothing extends it.',
  }),
  queueSeenTtlSeconds: integer({
    group: 'Queue',
    env: 'URR_QUEUE_SEEN_TTL_SECONDS',
    aliases: ['QUEUE_SEEN_TTL_SECONDS'],
    default: 600,
    min: 60,
    max: 86_400,
    help: 'How long the store remembers somebody who gives no sign of life. The ticket keeps the place for longer.',
  }),
  queueAbsentSeconds: integer({
    group: 'Queue',
    env: 'URR_QUEUE_ABSENT_SECONDS',
    aliases: ['QUEUE_ABSENT_SECONDS'],
    default: 90,
    min: 5,
    max: 3_600,
    help: 'Without a sign of life for this long a waiting user is passed over, keeping the place.',
  }),
  queueClaimSeconds: integer({
    group: 'Queue',
    env: 'URR_QUEUE_CLAIM_SECONDS',
    aliases: ['QUEUE_CLAIM_SECONDS'],
    default: 120,
    min: 5,
    max: 3_600,
    help: 'How long an admitted user has to come; never more than half of a slot.',
  }),
  queueAdmissionIntervalMs: integer({
    group: 'Queue',
    env: 'URR_QUEUE_ADMISSION_INTERVAL_MS',
    aliases: ['QUEUE_ADMISSION_INTERVAL_MS'],
    default: 1_000,
    min: 50,
    max: 60_000,
    help: 'How often people are admitted. The journal is written each second however long it is.',
  }),
  queueAdmissionBatch: integer({
    group: 'Queue',
    env: 'URR_QUEUE_ADMISSION_BATCH_SIZE',
    aliases: ['QUEUE_ADMISSION_BATCH_SIZE'],
    default: 100,
    min: 1,
    max: 10_000,
    help: 'How many are admitted in one step at most.',
  }),
  queueCleanupIntervalMs: integer({
    group: 'Queue',
    env: 'URR_QUEUE_STALE_CLEANUP_INTERVAL_MS',
    aliases: ['QUEUE_STALE_CLEANUP_INTERVAL_MS'],
    default: 30_000,
    min: 1_000,
    max: 3_600_000,
    help: 'How often the store forgets those who are long gone.',
  }),
  queueActiveSeenTtlSeconds: integer({
    group: 'Queue',
    env: 'URR_QUEUE_ACTIVE_SEEN_TTL_SECONDS',
    aliases: ['QUEUE_ACTIVE_SEEN_TTL_SECONDS'],
    default: null,
    min: 5,
    max: 86_400,
    help: 'A slot whose user gives no sign of life for this long ends. Off by default.',
  }),
  queueRecoveringSeconds: integer({
    group: 'Queue',
    env: 'URR_QUEUE_RECOVERING_SECONDS',
    aliases: ['QUEUE_RECOVERING_SECONDS'],
    default: 75,
    // Longer than a superseded server of the store may go on giving slots.
    min: 5,
    max: 3_600,
    help: 'After the store was lost: how long people are only placed and nobody is admitted.',
  }),
  queueEntryTokenTtlSeconds: integer({
    group: 'Queue',
    env: 'URR_QUEUE_ENTRY_TOKEN_TTL_SECONDS',
    aliases: ['QUEUE_ENTRY_TOKEN_TTL_SECONDS'],
    default: 3_600,
    min: 10,
    max: 86_400,
    help: 'The longest life of an entry token; it never outlives its slot.',
  }),
  sqsQueueUrl: url({
    group: 'Queue',
    env: 'URR_SQS_QUEUE_URL',
    protocols: ['http:', 'https:'],
    default: null,
    help: 'An SQS FIFO queue that is told of each admission. Region and credentials come from the AWS variables. Off by default.',
  }),
  sqsEndpoint: url({
    group: 'Queue',
    env: 'URR_SQS_ENDPOINT',
    protocols: ['http:', 'https:'],
    default: null,
    help: 'Where SQS answers, for a local server. Without it, the host of `URR_SQS_QUEUE_URL`.',
  }),
});

export function queueConfig(config: ConfigOf<typeof queueSettings>): QueueConfig {
  const { queueActiveSeenTtlSeconds } = config;
  return {
    threshold: config.queueThreshold,
    activeTtlMs: config.queueActiveTtlSeconds * 1000,
    seenTtlMs: config.queueSeenTtlSeconds * 1000,
    absentMs: config.queueAbsentSeconds * 1000,
    // A slot that ends before anybody could fail to claim it would end the place with it, instead of giving it back once.
    claimMs: Math.min(config.queueClaimSeconds, config.queueActiveTtlSeconds / 2) * 1000,
    admissionIntervalMs: config.queueAdmissionIntervalMs,
    admissionBatch: config.queueAdmissionBatch,
    cleanupIntervalMs: config.queueCleanupIntervalMs,
    activeSeenTtlMs: queueActiveSeenTtlSeconds === null ? null : queueActiveSeenTtlSeconds * 1000,
    recoveringMs: config.queueRecoveringSeconds * 1000,
  };
}
