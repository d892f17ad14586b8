import type { BusEngine } from '#platform/bus/port.ts';
import type { Database } from '#platform/postgres/database.ts';
import { deadLetterTopicOf, groups } from './cast.ts';

/** What a person does at the end with the commands of urr: replay what was mended, give up what never will be. */
export interface Operator {
  /** One round of work. */
  tidy(): Promise<void>;
  /** What is left to do, in words; empty when all is done. */
  left(): Promise<string[]>;
}

const replayMax = 1_000;

export function createOperator(options: { database: Database; bus: BusEngine }): Operator {
  const { database, bus } = options;
  return {
    async tidy() {
      for (const group of groups) await bus.replayDeadLetter({ topic: deadLetterTopicOf(group), limit: replayMax });
    },
    async left() {
      const { rows } = await database.query<{ rows: number }>(
        'SELECT count(*) AS rows FROM urr.outbox WHERE published_at IS NULL',
      );
      return (rows[0]?.rows ?? 0) > 0 ? [`${rows[0]?.rows} rows in the outbox`] : [];
    },
  };
}
