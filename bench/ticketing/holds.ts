import type { BenchReport } from '../report.ts';
import { median } from '../report.ts';
import { aRequest, holdRequests } from './callers.ts';
import { type LoadResult, loadBy } from './load.ts';
import type { Size } from './size.ts';
import type { Served, TicketingStage } from './stage.ts';
import type { SeatStock } from './stock.ts';

const connections = 128;
const warmUps = 3;
const ratioMin = 3;
const loneRatioMax = 1.3;
const standingRatioMin = 0.5;

interface HoldsBench {
  readonly stage: TicketingStage;
  readonly size: Size;
  readonly report: BenchReport;
  /** Seats for ticketing, and other ones for the bare route. */
  readonly stock: SeatStock;
  readonly bareStock: SeatStock;
  /** The bare route, the same but for its pool. */
  readonly bares: readonly (Served & { readonly poolMax: number })[];
}

/** Distinct seats, many callers and one. */
export async function measureHolds({ stage, size, report, stock, bareStock, bares }: HoldsBench): Promise<void> {
  const urr = () => holdDistinct({ stage, size, url: stage.own.url, stock, requests: size.holdsMax });
  const bareAt = (url: string) => holdDistinct({ stage, size, url, stock: bareStock, requests: size.bareHoldsMax });
  const tried: { bare: (typeof bares)[number]; perSecond: number }[] = [];
  for (const bare of bares) tried.push({ bare, perSecond: (await bareAt(bare.url)).perSecond });
  const [best] = tried.sort((one, other) => other.perSecond - one.perSecond);
  if (best === undefined) throw new Error('there is no bare route');
  report.note(
    `The bare route was tried with pools of ${bares.map(({ poolMax }) => poolMax).join(' and ')} connections and is measured with ${best.bare.poolMax}; ticketing has 20.`,
  );
  const p99s = { bare: [] as number[], urr: [] as number[] };
  const noting = (list: number[], { perSecond, p99Ms }: LoadResult) => {
    list.push(p99Ms);
    return perSecond;
  };
  await report.compare({
    name: `holds of distinct seats, ${connections} connections`,
    unit: 'holds',
    warmUps,
    pairs: size.pairs,
    baseline: {
      label: 'bare route, the same rows unchecked',
      run: async () => noting(p99s.bare, await bareAt(best.bare.url)),
    },
    subject: { label: 'urr', run: async () => noting(p99s.urr, await urr()) },
    ratioMin,
  });
  report.note(
    `p99 of these holds: urr ${median(p99s.urr).toFixed(0)} ms, bare route ${median(p99s.bare).toFixed(0)} ms.`,
  );
  await measureLone({ stage, size, report, stock, bareStock, url: best.bare.url });
}

async function measureLone(options: Omit<HoldsBench, 'bares'> & { url: string }): Promise<void> {
  const { stage, size, report, stock, bareStock, url } = options;
  const lone = { stage, size, requests: size.loneHoldsMax, connections: 1 };
  const pairs: { bare: number; urr: number }[] = [];
  for (let pair = 0; pair <= size.pairs; pair++) {
    const bare = await holdDistinct({ ...lone, url, stock: bareStock });
    const urr = await holdDistinct({ ...lone, url: stage.own.url, stock });
    // The first pair warms both up.
    if (pair > 0) pairs.push({ bare: bare.p99Ms, urr: urr.p99Ms });
  }
  const [urrMs, bareMs] = [median(pairs.map(({ urr }) => urr)), median(pairs.map(({ bare }) => bare))];
  report.weigh({
    name: 'p99 of a lone hold, 1 connection, urr : bare route',
    subject: `${urrMs.toFixed(2)} ms : ${bareMs.toFixed(2)} ms`,
    value: median(pairs.map(({ urr, bare }) => urr / bare)),
    unit: 'times',
    max: loneRatioMax,
  });
}

/** General admission on one ticket type, against seats. */
export async function measureStanding(options: {
  stage: TicketingStage;
  size: Size;
  report: BenchReport;
  stock: SeatStock;
  eventId: string;
}): Promise<void> {
  const { stage, size, report, stock, eventId } = options;
  const { rows } = await stage.database.query<{ id: string }>(
    'SELECT ticket_type_id AS id FROM ticketing.ticket_types WHERE event_id = $1',
    [eventId],
  );
  const body = { eventId, items: [{ ticketTypeId: rows[0]?.id, quantity: 1 }] };
  const stand = async () => {
    const ask = () => aRequest({ method: 'POST', path: '/api/reservations', eventId, body });
    const requests = Array.from({ length: size.holdsMax }, ask);
    const load = { folder: stage.folder, url: stage.own.url, requests, expected: 201, connections };
    return (await loadBy({ ...load, seconds: size.seconds })).perSecond;
  };
  await stand();
  await report.compare({
    name: 'general admission, one ticket type',
    unit: 'holds',
    pairs: size.pairs,
    baseline: {
      label: 'urr, distinct seats',
      run: async () =>
        (await holdDistinct({ stage, size, url: stage.own.url, stock, requests: size.holdsMax })).perSecond,
    },
    subject: { label: 'urr', run: stand },
    ratioMin: standingRatioMin,
  });
}

async function holdDistinct(options: {
  stage: TicketingStage;
  size: Size;
  url: string;
  stock: SeatStock;
  requests: number;
  connections?: number;
}): Promise<LoadResult> {
  const { stage, size, url, stock } = options;
  const seats = stock.take(options.requests);
  const result = await loadBy({
    ...{ folder: stage.folder, url, requests: holdRequests(seats.eventId, seats.seatIds), expected: 201 },
    ...{ connections: options.connections ?? connections, seconds: size.seconds },
  });
  seats.use(result.sent);
  return result;
}
