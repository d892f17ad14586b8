import { checkLedger, type LedgerReport } from '#modules/ticketing/index.ts';
import { uuidPattern } from '#platform/ids.ts';
import type { Database } from '#platform/postgres/database.ts';
import { type Command, exitCodes, UsageProblem } from './command.ts';
import { withDatabase } from './with-database.ts';

export const checkLedgerCommand: Command = {
  name: 'check-ledger',
  summary: 'Replay everything that was held and sold, and compare it with what stands.',
  usage: 'check-ledger [--event ID]',
  help: `
Replays the ledger of ticketing and verifies each step: no seat has two live tickets, sold and held never exceed the
capacity, every ticket has a confirmed reservation, and seats, standing places, reservations, tickets and purchase
counters are what the ledger makes of them. It reads one moment and changes nothing, so urr may go on selling; embedded data
can be checked whether or not urr runs. Prints what was checked, or the first contradiction; then the exit code is 1.

  --event ID   only this event`,
  options: { event: { type: 'string' } },
  async run(input) {
    const { event } = input.values;
    const eventId = typeof event === 'string' ? event.toLowerCase() : undefined;
    if (eventId !== undefined && !new RegExp(uuidPattern).test(eventId))
      throw new UsageProblem(`${eventId} is not the id of an event`);
    return withDatabase(input, async ({ database }) => {
      await refuseWithoutTables(database);
      const verdict = await checkLedger(database, {
        ...(eventId !== undefined && { eventId }),
        ...(input.showProgress !== undefined && { onProgress: input.showProgress }),
      });
      if (verdict.status === 'unknown-event') throw new UsageProblem(`ticketing has never heard of event ${eventId}`);
      const { checked, contradiction } = verdict.report;
      input.print(`checked ${countsOf(checked)}`);
      input.print(contradiction === null ? 'the ledger and what stands agree' : `CONTRADICTION  ${contradiction}`);
      return contradiction === null ? exitCodes.ok : exitCodes.failed;
    });
  },
};

function countsOf({ events, ledgerRows, seats, reservations, tickets, ticketTypes, buyers }: LedgerReport['checked']) {
  const parts = [
    `${ledgerRows} ledger rows of ${events} events`,
    `${seats} seats`,
    `${ticketTypes} ticket types`,
    `${reservations} reservations`,
    `${tickets} tickets`,
    `${buyers} buyers`,
  ];
  return parts.join(', ');
}

async function refuseWithoutTables(database: Database): Promise<void> {
  const { rows } = await database.query<{ is_there: boolean }>(
    `SELECT to_regclass('ticketing.ledger') IS NOT NULL AS is_there`,
  );
  if (rows[0]?.is_there !== true) throw new Error('this database has no ticketing yet; run urr migrate');
}
