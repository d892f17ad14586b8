import type { Job } from '#platform/module.ts';
import type { Database } from '#platform/postgres/database.ts';

const everyMs = 500;
const takenMax = 50;
/** Of one run. What is left is for the next. */
const bitesMax = 20;
/** As real providers do: after 1, 4, 16 … seconds, and then no more. */
const triesMax = 7;

interface CallbackRow {
  readonly id: string;
  readonly body: unknown;
  readonly tries: number;
}

/**
 * Calls the webhooks of the sandbox. `deliver` stands for the HTTP call; where it throws, the webhook is called again later. A process that is
 * killed in the middle leaves its rows, so a webhook may come twice.
 */
export function createSandboxCallbacks({
  database,
  deliver,
}: {
  database: Database;
  deliver: (body: unknown) => Promise<void>;
}): Job {
  async function call({ id, body, tries }: CallbackRow): Promise<void> {
    try {
      await deliver(body);
    } catch {
      // A webhook that is not taken is the receiver's affair; the provider only tries again.
      if (tries < triesMax) return;
    }
    await database.query('DELETE FROM payments.sandbox_callbacks WHERE id = $1', [id]);
  }

  return {
    name: 'payments-sandbox-callbacks',
    everyMs,
    async run(signal) {
      for (let bite = 0; bite < bitesMax && !signal.aborted; bite++) {
        const { rows } = await database.query<CallbackRow>('SELECT * FROM payments.sandbox_take_callbacks($1)', [
          takenMax,
        ]);
        for (const row of rows) await call(row);
        if (rows.length < takenMax) break;
      }
    },
  };
}
