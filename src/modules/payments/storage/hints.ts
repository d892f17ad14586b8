import type { Queryable } from '#platform/postgres/database.ts';

/** Whom a webhook was about: a payment, or an order of which no payment key was said. */
export type Hint =
  | { readonly provider: string; readonly paymentKey: string; readonly orderId: string | null }
  | { readonly provider: string; readonly paymentKey: null; readonly orderId: string };

interface HintRow {
  readonly provider: string;
  readonly payment_key: string;
  readonly order_id: string | null;
}

const byOrder = 'order:';

export async function followHint(
  on: Queryable,
  provider: string,
  { paymentKey, orderId }: { readonly paymentKey: string | null; readonly orderId: string | null },
): Promise<void> {
  await save(on, { provider, name: paymentKey ?? `${byOrder}${orderId}`, orderId, inMs: 0 });
}

/** To be followed up later. */
export async function keepHint(on: Queryable, { provider, paymentKey, orderId }: Hint, inMs: number): Promise<void> {
  await save(on, { provider, name: paymentKey ?? `${byOrder}${orderId}`, orderId, inMs });
}

async function save(
  on: Queryable,
  { provider, name, orderId, inMs }: { provider: string; name: string; orderId: string | null; inMs: number },
): Promise<void> {
  await on.query(
    `INSERT INTO payments.hints AS known (provider, payment_key, order_id, due_at)
     VALUES ($1, $2, $3, urr.now() + $4 * interval '1 millisecond')
     ON CONFLICT (provider, payment_key) DO UPDATE SET times = known.times + 1, due_at = least(known.due_at, excluded.due_at)`,
    [provider, name, orderId, inMs],
  );
}

/** Takes what is due off the list. A process that dies with one in hand loses a hint only: the checks ask, too. */
export async function takeHints(on: Queryable, rowsMax: number): Promise<Hint[]> {
  const { rows } = await on.query<HintRow>(
    `DELETE FROM payments.hints WHERE (provider, payment_key) IN (
       SELECT provider, payment_key FROM payments.hints WHERE due_at <= (SELECT urr.now()) ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
     RETURNING provider, payment_key, order_id`,
    [rowsMax],
  );
  return rows.map(({ provider, payment_key: name, order_id: orderId }) =>
    name.startsWith(byOrder) && orderId !== null
      ? { provider, paymentKey: null, orderId }
      : { provider, paymentKey: name, orderId },
  );
}
