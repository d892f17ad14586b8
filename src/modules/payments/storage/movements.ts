import type { Queryable } from '#platform/postgres/database.ts';
import type { ProviderMovement } from '../ports.ts';

/** Money that we have as moved within this time, or of these payments at any time: captures, and refunds that were done. */
export async function bookedMovements(
  on: Queryable,
  {
    provider,
    fromMs,
    toMs,
    paymentKeys = null,
  }: {
    readonly provider: string;
    readonly fromMs: number;
    readonly toMs: number;
    readonly paymentKeys?: readonly string[] | null;
  },
): Promise<Pick<ProviderMovement, 'reference' | 'paymentKey' | 'kind' | 'amountKrw' | 'atMs'>[]> {
  const [captured, refunded, values] =
    paymentKeys === null
      ? ['l.at >= $2 AND l.at < $3', 'f.done_at >= $2 AND f.done_at < $3', [new Date(fromMs), new Date(toMs)]]
      : ['p.payment_key = ANY ($2)', 'p.payment_key = ANY ($2)', [paymentKeys]];
  const { rows } = await on.query<{
    reference: string;
    paymentKey: string;
    kind: 'captured' | 'refunded';
    amountKrw: number;
    at: Date;
  }>(
    `SELECT '' AS reference, p.payment_key AS "paymentKey", 'captured' AS kind, l.at,
       l.captured_krw - coalesce((SELECT max(e.captured_krw) FROM payments.ledger AS e WHERE e.payment_id = l.payment_id AND e.id < l.id), 0)
         AS "amountKrw"
     FROM payments.ledger AS l JOIN payments.payments AS p USING (payment_id)
     WHERE l.act IN ('captured', 'deposit_again') AND p.provider = $1 AND ${captured}
     UNION ALL
     SELECT f.reference, p.payment_key, 'refunded', f.done_at, f.amount_krw
     FROM payments.refunds AS f JOIN payments.payments AS p USING (payment_id)
     WHERE f.status = 'done' AND f.amount_krw > 0 AND p.provider = $1 AND ${refunded}`,
    [provider, ...values],
  );
  return rows.map(({ at, ...movement }) => ({ ...movement, atMs: at.getTime() }));
}

/** Whether this process is the one that reconciles the day; each day once. */
export async function takeDay(on: Queryable, provider: string, day: string): Promise<boolean> {
  // One that was begun an hour ago and has no end was of a process that died.
  const { rowCount } = await on.query(
    `INSERT INTO payments.reconciled AS known (provider, day) VALUES ($1, $2)
     ON CONFLICT (provider, day) DO UPDATE SET begun_at = urr.now()
       WHERE known.done_at IS NULL AND known.begun_at < urr.now() - interval '1 hour'`,
    [provider, day],
  );
  return rowCount > 0;
}

export async function keepReport(
  on: Queryable,
  { provider, day, report }: { provider: string; day: string; report: object },
) {
  await on.query('UPDATE payments.reconciled SET done_at = urr.now(), report = $3 WHERE provider = $1 AND day = $2', [
    ...[provider, day, JSON.stringify(report)],
  ]);
}

/** It did not come to an end: the next run begins anew. */
export async function giveDayBack(on: Queryable, provider: string, day: string): Promise<void> {
  await on.query('DELETE FROM payments.reconciled WHERE provider = $1 AND day = $2 AND done_at IS NULL', [
    provider,
    day,
  ]);
}
