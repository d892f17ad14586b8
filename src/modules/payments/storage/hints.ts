import type { Queryable } from '#platform/postgres/database.ts';

/** Whom a webhook was about: a payment, or an order of which no payment key was said. */
export type Hint = { readonly provider: string; readonly times: number } & (
  | { readonly paymentKey: string; readonly orderId: string | null }
  | { readonly paymentKey: null; readonly orderId: string }
);

interface HintRow {
  readonly provider: string;
  readonly payment_key: string;
  readonly order_id: string | null;
  readonly is_known: boolean;
  readonly times: number;
}

const byOrder = 'order:';
/** What is beyond is found by the reconciliation of the night, if it is real. */
const unknownMax = 1_000;

/** To be followed up at once. However often it comes, it is one row. False: too many wait that nobody here has tried to pay. */
export async function keepHint(
  on: Queryable,
  { provider, paymentKey, orderId, isKnown }: Omit<Hint, 'times'> & { readonly isKnown: boolean },
): Promise<boolean> {
  const { rowCount } = await on.query(
    `INSERT INTO payments.hints AS known (provider, payment_key, order_id, is_known) SELECT $1, $2, $3, $4
     WHERE $4 OR (SELECT count(*) FROM payments.hints WHERE NOT is_known) < $5
     ON CONFLICT (provider, payment_key) DO UPDATE SET times = known.times + 1, due_at = urr.now(), is_known = excluded.is_known`,
    [provider, paymentKey ?? `${byOrder}${orderId}`, orderId, isKnown, unknownMax],
  );
  return rowCount === 1;
}

/** What is due, for one process, what we know first: due again later, unless it is forgotten before. */
export async function takeHints(
  on: Queryable,
  { rowsMax, againMs }: { readonly rowsMax: number; readonly againMs: number },
): Promise<Hint[]> {
  const { rows } = await on.query<HintRow>(
    `UPDATE payments.hints SET due_at = urr.now() + $2 * interval '1 millisecond' WHERE (provider, payment_key) IN (
       SELECT provider, payment_key FROM payments.hints WHERE due_at <= (SELECT urr.now()) ORDER BY is_known DESC, due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
     RETURNING provider, payment_key, order_id, is_known, times`,
    [rowsMax, againMs],
  );
  // What is returned is in no order.
  const inTurn = rows.toSorted((a, b) => Number(b.is_known) - Number(a.is_known));
  return inTurn.map(({ provider, payment_key: name, order_id: orderId, times }) =>
    // A payment key may look like one of these names: then the order, if one was told, is another.
    orderId !== null && name === `${byOrder}${orderId}`
      ? { provider, paymentKey: null, orderId, times }
      : { provider, paymentKey: name, orderId, times },
  );
}

/** It was followed up. One that has come again meanwhile stays. */
export async function forgetHint(on: Queryable, { provider, paymentKey, orderId, times }: Hint): Promise<void> {
  await on.query('DELETE FROM payments.hints WHERE provider = $1 AND payment_key = $2 AND times = $3', [
    ...[provider, paymentKey ?? `${byOrder}${orderId}`, times],
  ]);
}
