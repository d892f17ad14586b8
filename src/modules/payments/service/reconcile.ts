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
/** Beyond that it is the provider that cannot be asked. */
const troublesMax = 3;

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
  const strange = beyond(theirs, ours);
  let takenIn = 0;
  const troubles: unknown[] = [];
  for (const of of Map.groupBy(strange, ({ paymentKey }) => paymentKey).values())
    try {
      takenIn += await takeIn(deps, provider, of);
    } catch (error) {
      // The others are taken in all the same; the day is compared anew.
      logger.error(
        { err: error, provider: provider.name, paymentKey: of[0]?.paymentKey },
        'a movement was not taken in',
      );
      troubles.push(error);
      if (troubles.length >= troublesMax) throw error;
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
  if (troubles.length > 0) throw troubles[0];
  return {
    ...{ provider: provider.name, day, theirs: theirs.length, ours: own.length },
    ...{ takenIn, onlyOurs },
  };
}

/** Those that are not known, one for one: a second deposit to an account has the name of the first. */
function beyond(movements: readonly ProviderMovement[], known: readonly Booked[]): ProviderMovement[] {
  const left = new Map<string, number>();
  for (const name of known.map(nameOf)) left.set(name, (left.get(name) ?? 0) + 1);
  return movements.filter((movement) => {
    const name = nameOf(movement);
    const count = left.get(name) ?? 0;
    left.set(name, count - 1);
    return count <= 0;
  });
}

interface ReconcileDeps {
  readonly database: Database;
  readonly logger: Logger;
  readonly hints: Pick<Hints, 'followUp'>;
  readonly manual: ManualList;
}

type Booked = Awaited<ReturnType<typeof bookedMovements>>[number];

/**
 * Movements of one payment that are not booked for that time: the provider is asked what it has now. What it does not explain then is for a
 * person. Answers how many only the provider knew: what was booked much later than it moved is not one of them.
 */
async function takeIn(
  { database, logger, hints, manual }: ReconcileDeps,
  provider: PaymentProvider,
  of: ProviderMovement[],
): Promise<number> {
  const [first] = of;
  if (first === undefined) return 0;
  const { paymentKey, orderId } = first;
  const allBooked = () =>
    bookedMovements(database, { provider: provider.name, fromMs: 0, toMs: 0, paymentKeys: [paymentKey] });
  const before = await allBooked();
  const known = new Set(before.map(nameOf));
  // Booked at another time. Of a capture only the provider can say whether it is this one: an account may have had two deposits.
  if (of.every((one) => one.kind === 'refunded' && known.has(nameOf(one)))) return 0;
  const outcome = await hints.followUp(provider, { paymentKey });
  if (outcome === 'later')
    throw new Error(`${provider.name} lists the payment ${paymentKey} and cannot be asked about it`);
  const payment = await findByKey(database, { paymentKey, provider: provider.name });
  const booked = await allBooked();
  const names = new Set(booked.map(nameOf));
  const left = of.filter((movement) => !names.has(nameOf(movement)));
  const takenIn = Math.max(0, booked.length - before.length) + left.length;
  if (takenIn > 0)
    logger.warn({ provider: provider.name, paymentKey }, 'the provider moved money that was not booked here');
  // Of an order that nobody knows: it is on the list already.
  if (left.length === 0 || (payment === null && outcome === 'done')) return takenIn;
  await manual.open({
    cause: `only_theirs:${left.map(nameOf).join(', ')}`.slice(0, 500),
    kind: 'amount_differs',
    ...(payment === null ? { provider: provider.name, paymentKey, orderId } : { payment }),
    amountKrw: left.reduce((sum, { amountKrw }) => sum + amountKrw, 0),
    detail: `The provider has ${left.map(({ kind, amountKrw }) => `${amountKrw} KRW as ${kind}`).join(', ')}, and we have not.`,
  });
  return takenIn;
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
