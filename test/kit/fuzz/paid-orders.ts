import { randomUUID } from 'node:crypto';
import { openManual } from '#modules/payments/storage/manual.ts';
import { aHold } from '#modules/ticketing/testing/a-hold.ts';
import { aSale } from '#modules/ticketing/testing/a-sale.ts';
import type { Database } from '#platform/postgres/database.ts';
import type { SendRaw } from '#test/kit/raw-http.ts';

export interface PaidOrders {
  /** Held, with or without an order, or paid for. */
  readonly reservationIds: readonly string[];
  readonly orderIds: readonly string[];
  readonly paymentKeys: readonly string[];
  readonly manualIds: readonly string[];
  readonly amountKrw: number;
}

/** As long as a hold may ever last. */
const heldMs = 10 * 60_000;
const refundAccount = { bank: 'Bank of Fuzz', number: '110-22', holder: 'A buyer' };

/** Orders of this buyer that are open, that wait for a deposit and that are paid, and matters for a person. */
export async function paidOrders(
  database: Database,
  send: SendRaw,
  { buyerId, accessToken, copies }: { buyerId: string; accessToken: string; copies: number },
): Promise<PaidOrders> {
  const sale = await aSale(database, { seats: copies * 5, purchaseLimit: 1_000 });
  const made = {
    reservationIds: [] as string[],
    orderIds: [] as string[],
    paymentKeys: [] as string[],
    manualIds: [] as string[],
  };
  let amountKrw = 0;
  let seatNo = 0;

  async function hold(): Promise<string> {
    const held = await aHold(database, sale, { userId: buyerId, seatNos: [seatNo++], heldMs });
    amountKrw = held.totalKrw;
    made.reservationIds.push(held.id);
    return held.id;
  }

  async function call<Answer>(path: string, body: unknown): Promise<Answer> {
    const answer = await send({
      method: 'POST',
      path: `/api/payments/${path}`,
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    return JSON.parse(answer.text) as Answer;
  }

  async function order(method: 'card' | 'virtual_account'): Promise<string> {
    const referenceId = await hold();
    const what = { paymentType: 'reservation', referenceId, method };
    const account = method === 'virtual_account' && { refundAccount };
    const { orderId } = await call<{ orderId: string }>('prepare', { ...what, ...account });
    made.orderIds.push(orderId);
    return orderId;
  }

  for (let n = 0; n < copies; n++) {
    await hold();
    // Those that are named most often can still be paid.
    await order('card');
    await order('card');
    await call('process', { orderId: await order('virtual_account') });
    const paid = await order('card');
    const { payment } = await call<{ payment: { paymentKey: string } }>('process', {
      ...{ orderId: paid, card: { number: '4242 4242 4242 4242' } },
    });
    made.paymentKeys.push(payment.paymentKey);
    const manualId = randomUUID();
    await openManual(database, {
      ...{ manualId, cause: `fuzz ${n}`, kind: 'tickets_in_use', orderId: paid, detail: 'for the fuzzer' },
    });
    made.manualIds.push(manualId);
  }
  return { ...made, amountKrw };
}
