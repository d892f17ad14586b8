import { setTimeout as wait } from 'node:timers/promises';
import { checkMoney, type MoneyReport } from '#modules/payments/index.ts';
import { checkLedger, type LedgerReport, ticketMoney } from '#modules/ticketing/index.ts';
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
counters are what the ledger makes of them. With the money: every payment is what its own ledger says, and order by order
captured − refunded − on its way back = live tickets + fees kept − goodwill. It reads one moment and changes nothing, so urr may go on selling; embedded data
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
      const money = await checkMoney(database, {
        tickets: {
          of: (orderIds) => ticketMoney(database, { orderIds, limit: orderIds.length }),
          page: (after, limit) =>
            eventId === undefined ? ticketMoney(database, { after, limit }) : Promise.resolve([]),
        },
        ...(eventId !== undefined && { eventId }),
        pause: () => wait(pauseMs),
      });
      input.print(`checked ${moneyOf(money)}`);
      const problems = [contradiction, money.contradiction].filter((problem) => problem !== null);
      for (const problem of problems) input.print(`CONTRADICTION  ${problem}`);
      if (problems.length === 0) input.print('the ledger and what stands agree');
      return problems.length === 0 ? exitCodes.ok : exitCodes.failed;
    });
  },
};

/** Between two looks at an order whose message may be on its way. */
const pauseMs = 500;

function moneyOf({ payments, orders, capturedKrw, refundedKrw, underWay, withPerson }: MoneyReport): string {
  return [
    `${payments} payments of ${orders} orders: ${capturedKrw} KRW captured, ${refundedKrw} refunded`,
    `${underWay} orders under way`,
    `${withPerson} with a person`,
  ].join('; ');
}

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
