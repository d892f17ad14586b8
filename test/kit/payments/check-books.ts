import { checkMoney, type MoneyReport } from '#modules/payments/index.ts';
import { ticketMoney } from '#modules/ticketing/index.ts';
import type { Database } from '#platform/postgres/database.ts';
import { checkLedger } from '../ticketing/check-ledger.ts';

/**
 * What `urr check-ledger` checks, seats and money. Throws with the first contradiction, and when something is still under way: tests end when
 * all is quiet.
 */
export async function checkBooks(database: Database): Promise<MoneyReport> {
  await checkLedger(database);
  const report = await checkMoney(database, {
    tickets: {
      of: (orderIds) => ticketMoney(database, { orderIds, limit: orderIds.length }),
      page: (after, limit) => ticketMoney(database, { after, limit }),
    },
  });
  if (report.contradiction !== null) throw new Error(`the money is contradicted: ${report.contradiction}`);
  if (report.underWay > 0) throw new Error(`${report.underWay} orders are still under way`);
  return report;
}
