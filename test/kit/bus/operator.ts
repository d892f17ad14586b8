import type { BusEngine } from '#platform/bus/port.ts';
import type { Database } from '#platform/postgres/database.ts';
import { eventually } from '#test/kit/faults.ts';
import { deadLetterTopicOf, groups, type Transfer } from './cast.ts';
import { nameOf } from './ledger.ts';

/** What a person does with the commands of urr: release, replay what was mended, give up what never will be. */
export interface Operator {
  /** Gives this row of the outbox up, once the broker has refused it. Says whether it was: another fault may have lifted the limit, and then it went out. */
  dropRow(row: { topic: string; key: string; n: number }): Promise<boolean>;
  releaseRows(): Promise<void>;
  /** One round of work at the end. `toDrop`: `topic key n` of letters to give up. */
  tidy(toDrop: ReadonlySet<string>): Promise<void>;
  /** What is left to do, in words; empty when all is done. */
  left(): Promise<string[]>;
}

const replayMax = 10_000;
const refusedMax = 1_000;
const actMaxMs = 600_000;

export function createOperator(options: { database: Database; bus: BusEngine }): Operator {
  const { database, bus } = options;

  async function dropLetters(toDrop: ReadonlySet<string>): Promise<void> {
    const { rows } = await database.query<{ id: number; topic: string; key: string; event: string | null }>(
      `SELECT id, topic, key, CASE WHEN event_id IS NOT NULL THEN convert_from(value, 'UTF8') END AS event
       FROM urr.bus_letters WHERE NOT behind`,
    );
    for (const { id, topic, key, event } of rows) {
      const transfer = event === null ? null : (JSON.parse(event) as { data: Transfer }).data;
      // What is no envelope never will be one.
      if (transfer === null || toDrop.has(nameOf({ topic, key, n: transfer.n }))) await bus.dropLetter(id);
    }
  }

  async function releaseRows(): Promise<void> {
    for (const { id } of await bus.refusedRows({ limit: refusedMax })) await bus.releaseRefused({ id, drop: false });
  }

  return {
    releaseRows: () => eventually(releaseRows, { withinMs: actMaxMs, what: 'rows to be released' }),
    dropRow({ topic, key, n }) {
      return eventually(
        async () => {
          const { rows } = await database.query<{ id: number; sent: boolean }>(
            `SELECT id, published_at IS NOT NULL AS sent FROM urr.outbox
             WHERE topic = $1 AND key = $2 AND (envelope->'data'->>'n')::integer = $3`,
            [topic, key, n],
          );
          const [row] = rows;
          if (row === undefined || row.sent) return { dropped: false };
          const isRefused = (await bus.refusedRows({ limit: refusedMax })).some(({ id }) => id === row.id);
          return isRefused && (await bus.releaseRefused({ id: row.id, drop: true })) !== null && { dropped: true };
        },
        { withinMs: actMaxMs, what: `a row of ${key} to be set aside and given up, or to go out` },
      ).then(({ dropped }) => dropped);
    },
    async tidy(toDrop) {
      await releaseRows();
      await dropLetters(toDrop);
      for (const group of groups) await bus.replayDeadLetter({ topic: deadLetterTopicOf(group), limit: replayMax });
    },
    async left() {
      const { rows } = await database.query<{ waiting: number; letters: number }>(
        `SELECT (SELECT count(*) FROM urr.outbox WHERE published_at IS NULL) AS waiting,
           (SELECT count(*) FROM urr.bus_letters) AS letters`,
      );
      const { waiting = 0, letters = 0 } = rows[0] ?? {};
      return [
        ...(waiting > 0 ? [`${waiting} rows in the outbox`] : []),
        ...(letters > 0 ? [`${letters} letters`] : []),
      ];
    },
  };
}
