import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { PaymentProvider, ProviderMovement } from '../../ports.ts';
import { type Asking, isTossName, whyOf } from './asking.ts';
import { seoulSecond, tossTimeMs } from './times.ts';

const Transaction = Type.Object({
  transactionKey: Type.String({ minLength: 1, maxLength: 200 }),
  paymentKey: Type.String(),
  orderId: Type.String(),
  status: Type.String(),
  currency: Type.String(),
  amount: Type.Number(),
  transactionAt: Type.String(),
});
const pages = Compile(Type.Array(Transaction));

const pageBytesMax = 8_000_000;
const kinds = new Map<string, ProviderMovement['kind']>([
  ['DONE', 'captured'],
  ['PARTIAL_CANCELED', 'refunded'],
  ['CANCELED', 'refunded'],
]);

/** `GET /v1/transactions`. Its borders are whole seconds, both of them in it; what is outside of the range is left out here. */
export async function list(
  { http, limits }: Asking,
  pageMax: number,
  { fromMs, toMs, cursor }: Parameters<PaymentProvider['list']>[0],
): ReturnType<PaymentProvider['list']> {
  if (cursor !== null && !isTossName(cursor)) throw new Error('this is no cursor of Toss');
  const query = new URLSearchParams({
    ...{ startDate: seoulSecond(fromMs), endDate: seoulSecond(toMs), limit: String(pageMax) },
    ...(cursor !== null && { startingAfter: cursor }),
  });
  const answer = await http({
    ...{ method: 'GET', path: `/v1/transactions?${query}`, limitMs: limits.listMs, bytesMax: pageBytesMax },
  });
  if (answer.status !== 'ok') throw new Error(`the list of Toss could not be read: ${whyOf(answer)}`);
  if (!pages.Check(answer.body)) throw new Error('the list of Toss could not be read: it is no list of transactions');
  const rows = answer.body;
  const items = rows.flatMap(movementOf).filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
  return { items, nextCursor: rows.length < pageMax ? null : (rows.at(-1)?.transactionKey ?? null) };
}

/** An account that was opened, closed unpaid or whose deposit was taken back is a transaction, too: of no amount. */
function movementOf(row: Static<typeof Transaction>): ProviderMovement[] {
  const kind = kinds.get(row.status);
  if (kind === undefined || row.amount === 0 || row.currency !== 'KRW') return [];
  const { transactionKey: reference, paymentKey, orderId } = row;
  return [
    { reference, paymentKey, orderId, kind, amountKrw: Math.abs(row.amount), atMs: tossTimeMs(row.transactionAt) },
  ];
}
