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
 * only we know is on the manual list. Repeating it is harmless.
 */
export async function reconcileDay(
  deps: { database: Database; logger: Logger; hints: Pick<Hints, 'followUp'>; manual: ManualList },
  { provider, day }: { provider: PaymentProvider; day: string },
): Promise<ReconcileReport> {
  const { database, logger, hints, manual } = deps;
  const fromMs = Date.parse(`${day}T00:00:00+09:00`);
  const theirs = await allOf(provider, fromMs, fromMs + dayMs);
  const range = { provider: provider.name, fromMs: fromMs - marginMs, toMs: fromMs + dayMs + marginMs };
  const ours = await bookedMovements(database, range);
  const known = new Set(ours.map(nameOf));
  const missing = theirs.filter((movement) => !known.has(nameOf(movement)));
  for (const paymentKey of new Set(missing.map((movement) => movement.paymentKey))) {
    logger.warn(
      { provider: provider.name, paymentKey },
      'the provider moved money that is not booked here; it is asked',
    );
    await hints.followUp(provider, { paymentKey });
  }

  const listed = new Set((await allOf(provider, fromMs - marginMs, fromMs + dayMs + marginMs)).map(nameOf));
  const own = ours.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + dayMs);
  const onlyOurs = own.filter((movement) => !listed.has(nameOf(movement)));
  for (const movement of onlyOurs) {
    const payment = await findByKey(database, { paymentKey: movement.paymentKey, provider: provider.name });
    await manual.open({
      cause: `only_ours:${nameOf(movement)}`,
      kind: 'amount_differs',
      ...(payment !== null && { payment }),
      amountKrw: movement.amountKrw,
      detail: `We have ${movement.amountKrw} KRW as ${movement.kind} on ${day}, and the provider's list has not.`,
    });
  }
  return {
    ...{ provider: provider.name, day, theirs: theirs.length, ours: own.length },
    ...{ takenIn: missing.length, onlyOurs: onlyOurs.length },
  };
}

/** A capture is known by its payment, a refund by the provider's reference. */
function nameOf({ kind, paymentKey, reference }: Pick<ProviderMovement, 'kind' | 'paymentKey' | 'reference'>): string {
  return kind === 'captured' ? `captured ${paymentKey}` : `refunded ${paymentKey} ${reference}`;
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
