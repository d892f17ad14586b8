import type { Database } from '#platform/postgres/database.ts';
import { putDatabaseClockForward } from '#test/kit/database-clock.ts';
import { eventually } from '#test/kit/faults.ts';

/** The time of the database, which runs on and is put forward now and then. */
export interface TestTime {
  putForward(byMs: number): Promise<void>;
  /** How far it is ahead by now. */
  readonly aheadMs: () => number;
}

const actMaxMs = 300_000;

export function createTestTime(database: Database): TestTime {
  let aheadMs = 0;
  let turn: Promise<unknown> = Promise.resolve();
  return {
    putForward(byMs) {
      const act = turn.then(async () => {
        aheadMs += byMs;
        await eventually(() => putDatabaseClockForward(database, aheadMs), {
          withinMs: actMaxMs,
          what: 'the clock to be put forward',
        });
      });
      turn = act.catch(() => undefined);
      return act;
    },
    aheadMs: () => aheadMs,
  };
}
