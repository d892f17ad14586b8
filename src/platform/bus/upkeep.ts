import type { Database } from '../postgres/database.ts';
import type { Logger } from '../telemetry/logger.ts';
import { pruneInbox } from './inbox.ts';
import { createJobs } from './jobs.ts';
import type { BusObserver, ConsumerName } from './options.ts';
import { outboxBacklog, pruneOutbox } from './outbox.ts';
import type { LetterCount, PartitionLag, TopicDefinition } from './port.ts';
import { countRefused } from './refused.ts';

const pruneEveryMsDefault = 60_000;
const lagEveryMsDefault = 5_000;
/** Copies of letters are for people; the letters themselves are elsewhere. */
const deadLetterRetention = { hours: 30 * 24 };

export type LogTopic = Pick<TopicDefinition, 'name' | 'retention'>;

/** What runs beside the relay: forgetting what is past its time, in bounded steps, and telling lag and backlog. */
export function createUpkeep(options: {
  database: Database;
  topics: readonly TopicDefinition[];
  logger: Logger;
  observe?: BusObserver;
  relay?: boolean;
  lag: () => Promise<PartitionLag[]>;
  letterCounts: () => Promise<LetterCount[]>;
  groups?: readonly ConsumerName[];
  /** The groups that this process consumes. */
  consumed: () => readonly ConsumerName[];
  /** Where the copies of their letters are. */
  deadLetters?: () => readonly string[];
  pruneLog?: (database: Database, topic: LogTopic) => Promise<number>;
  pruneEveryMs?: number;
  lagEveryMs?: number;
}): { start(): void; stop(): Promise<void> } {
  const { database, topics, logger, observe, lag, letterCounts, groups = [], consumed, pruneLog } = options;
  const { deadLetters = () => [], pruneEveryMs = pruneEveryMsDefault, lagEveryMs = lagEveryMsDefault } = options;
  const jobs = createJobs({ logger });

  function start(): void {
    if (options.relay === false) return;
    let pruneAfter = 0;
    jobs.every(pruneEveryMs, 'prune outbox', async () => {
      pruneAfter = (await pruneOutbox(database, pruneAfter)).next;
    });
    jobs.every(pruneEveryMs, 'prune inbox', async () => {
      for (const { topic: name, group } of consumed()) {
        const topic = topics.find((candidate) => candidate.name === name);
        if (topic !== undefined) await pruneInbox(database, group, topic);
      }
    });
    if (pruneLog !== undefined) {
      jobs.every(pruneEveryMs, 'prune log', async () => {
        const declared = new Set(topics.map(({ name }) => name));
        const copies = new Set(deadLetters().filter((name) => !declared.has(name)));
        for (const topic of topics) await pruneLog(database, topic);
        for (const name of copies) await pruneLog(database, { name, retention: deadLetterRetention });
      });
    }
    jobs.every(lagEveryMs, 'backlog', async () => {
      if (observe?.backlog !== undefined) observe.backlog(await outboxBacklog(database));
      if (observe?.refusedRows !== undefined) observe.refusedRows(await countRefused(database));
    });
    jobs.every(lagEveryMs, 'letters', async () => {
      if (observe?.letters !== undefined) observe.letters(await letterCounts());
    });
    jobs.every(lagEveryMs, 'lag', async () => {
      if (observe?.lag === undefined) return;
      const told = new Set([...groups, ...consumed()].map(({ topic, group }) => `${topic} ${group}`));
      if (told.size > 0) observe.lag((await lag()).filter(({ topic, group }) => told.has(`${topic} ${group}`)));
    });
  }

  return { start, stop: jobs.stop };
}
