import type { Database } from '#platform/postgres/database.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import type { PaymentProvider, ProviderMovement } from '../ports.ts';
import { bookedMovements } from '../storage/movements.ts';
import { findByKey } from '../storage/payments.ts';
import type { Hints } from './hints.ts';
import type { ManualList } from './manual-list.ts';

export interface ReconcileReport {
  readonly provider: string;
  readonly day: string;
  /** Lines of the provider's list, and of ours. */
  readonly theirs: number;
  readonly ours: number;
  /** Only the provider knew: booked, or given back by the usual ways. */
  readonly takenIn: number;
  /** Only we knew. A person has to look. */
  readonly onlyOurs: number;
}

const dayMs = 24 * 60 * 60_000;
const seoulOffsetMs = 9 * 60 * 60_000;
/** A movement at midnight is booked a moment later. */
const marginMs = 60 * 60_000;

/** The Seoul day that begins there: `2026-11-18`. */
export function seoulDay(ms: number): string {
  return new Date(ms + seoulOffsetMs).toISOString().slice(0, 10);
}

/**
 * Compares the provider's list of a day with ours, both ways. What only it knows is asked for and booked as a webhook would have been; what
 * only we know, or what is of another amount, is on the manual list. Repeating it is harmless.
 */
export async function reconcileDay(
  deps: ReconcileDeps,
  { provider, day }: { provider: PaymentProvider; day: string },
): Promise<ReconcileReport> {
  const { database, logger } = deps;
  const fromMs = Date.parse(`${day}T00:00:00+09:00`);
  const toMs = fromMs + dayMs;
  const theirs = await allOf(provider, fromMs, toMs);
  const around = { provider: provider.name, fromMs: fromMs - marginMs, toMs: toMs + marginMs };
  const ours = await bookedMovements(database, around);
  const known = new Set(ours.map(nameOf));
  const strange = theirs.filter((movement) => !known.has(nameOf(movement)));
  // What was booked much later than it moved is not missing.
  const late = await bookedMovements(database, { ...around, paymentKeys: strange.map((one) => one.paymentKey) });
  const missing = strange.filter((movement) => !late.map(nameOf).includes(nameOf(movement)));
  for (const paymentKey of new Set(missing.map((movement) => movement.paymentKey))) {
    logger.warn(
      { provider: provider.name, paymentKey },
      'the provider moved money that is not booked here; it is asked',
    );
    await takeIn(
      deps,
      provider,
      missing.filter((movement) => movement.paymentKey === paymentKey),
    );
  }

  const listed = new Set((await allOf(provider, fromMs - marginMs, toMs + marginMs)).map(nameOf));
  const own = ours.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
  const unlisted = own.filter((movement) => !listed.has(nameOf(movement)));
  let onlyOurs = 0;
  for (const movement of unlisted) {
    if (await isThere(provider, movement)) continue;
    onlyOurs += 1;
    const payment = await findByKey(database, { paymentKey: movement.paymentKey, provider: provider.name });
    await deps.manual.open({
      cause: `only_ours:${nameOf(movement)}`,
      kind: 'amount_differs',
      ...(payment !== null && { payment }),
      amountKrw: movement.amountKrw,
      detail: `We have ${movement.amountKrw} KRW as ${movement.kind} on ${day}, and the provider's list has not.`,
    });
  }
  return {
    ...{ provider: provider.name, day, theirs: theirs.length, ours: own.length },
    ...{ takenIn: missing.length, onlyOurs },
  };
}

interface ReconcileDeps {
  readonly database: Database;
  readonly logger: Logger;
  readonly hints: Pick<Hints, 'followUp'>;
  readonly manual: ManualList;
}

type Booked = Awaited<ReturnType<typeof bookedMovements>>[number];

/** Movements of one payment that only the provider knows. What it does not explain when it is asked is for a person. */
async function takeIn({ database, hints, manual }: ReconcileDeps, provider: PaymentProvider, of: ProviderMovement[]) {
  const [first] = of;
  if (first === undefined) return;
  const { paymentKey, orderId } = first;
  const outcome = await hints.followUp(provider, { paymentKey });
  if (outcome === 'later')
    throw new Error(`${provider.name} lists the payment ${paymentKey} and cannot be asked about it`);
  const payment = await findByKey(database, { paymentKey, provider: provider.name });
  const range = { provider: provider.name, fromMs: 0, toMs: 0, paymentKeys: [paymentKey] };
  const booked = new Set((await bookedMovements(database, range)).map(nameOf));
  const left = of.filter((movement) => !booked.has(nameOf(movement)));
  // Of an order that nobody knows: it is on the list already.
  if (left.length === 0 || (payment === null && outcome === 'done')) return;
  await manual.open({
    cause: `only_theirs:${left.map(nameOf).join(', ')}`.slice(0, 500),
    kind: 'amount_differs',
    ...(payment === null ? { provider: provider.name, paymentKey, orderId } : { payment }),
    amountKrw: left.reduce((sum, { amountKrw }) => sum + amountKrw, 0),
    detail: `The provider has ${left.map(({ kind, amountKrw }) => `${amountKrw} KRW as ${kind}`).join(', ')}, and we have not.`,
  });
}

/** Booked on a day on which it did not move: an answer that was lost, and found out later. */
async function isThere(
  provider: PaymentProvider,
  { kind, paymentKey, reference, amountKrw }: Booked,
): Promise<boolean> {
  const answer = await provider.find({ paymentKey });
  if (answer.status === 'unknown') throw new Error(`${provider.name} cannot be asked about the payment ${paymentKey}`);
  if (answer.status === 'not_found') return false;
  const { wasCaptured, amountKrw: paidKrw, refunds } = answer.payment;
  if (kind === 'captured') return wasCaptured && paidKrw === amountKrw;
  return refunds.some((refund) => refund.reference === reference && refund.amountKrw === amountKrw);
}

/** A capture is known by its payment, a refund by the provider's reference; both by their amount. */
function nameOf({ kind, paymentKey, reference, amountKrw }: Booked | ProviderMovement): string {
  return `${kind} ${paymentKey} ${kind === 'captured' ? '' : reference} ${amountKrw}`;
}

const pagesMax = 10_000;

async function allOf(provider: PaymentProvider, fromMs: number, toMs: number): Promise<ProviderMovement[]> {
  const all: ProviderMovement[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < pagesMax; page++) {
    const { items, nextCursor } = await provider.list({ fromMs, toMs, cursor });
    all.push(...items);
    if (nextCursor === null) return all;
    cursor = nextCursor;
  }
  throw new Error(`the list of ${provider.name} has more than ${pagesMax} pages`);
}
