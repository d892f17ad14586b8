import type { BenchReport } from '../report.ts';
import { median } from '../report.ts';
import { aRequest, holdRequests } from './callers.ts';
import { cpuSecondsOf, createServerCpu } from './cpu.ts';
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
  readonly parts: { readonly holds: boolean; readonly lone: boolean };
}

/** What a run of each of both took. */
type Run = LoadResult & { readonly cpuUs: number };

/** Distinct seats, many callers and one. */
export async function measureHolds(options: HoldsBench): Promise<void> {
  const { stage, size, report, stock, bareStock, bares, parts } = options;
  const bareAt = (to: Served) => holdDistinct({ stage, size, to, stock: bareStock, requests: size.bareHoldsMax });
  const tried: { bare: (typeof bares)[number]; perSecond: number }[] = [];
  for (const bare of bares) tried.push({ bare, perSecond: (await bareAt(bare)).perSecond });
  const [best] = tried.sort((one, other) => other.perSecond - one.perSecond);
  if (best === undefined) throw new Error('there is no bare route');
  report.note(
    `The bare route was tried with pools of ${bares.map(({ poolMax }) => poolMax).join(' and ')} connections and is measured with ${best.bare.poolMax}; ticketing has 20.`,
  );
  if (parts.holds) {
    const urr = () => holdDistinct({ stage, size, to: stage.own, stock, requests: size.holdsMax });
    await compareMany({ report, size, urr, bare: () => bareAt(best.bare) });
  }
  if (parts.lone) await measureLone({ ...options, bare: best.bare });
}

async function compareMany(options: {
  report: BenchReport;
  size: Size;
  urr: () => Promise<Run>;
  bare: () => Promise<Run>;
}): Promise<void> {
  const { report, size, urr, bare } = options;
  const runs = { bare: [] as Run[], urr: [] as Run[] };
  const noting = async (list: Run[], run: Promise<Run>) => {
    list.push(await run);
    return (await run).perSecond;
  };
  await report.compare({
    name: `holds of distinct seats, ${connections} connections`,
    unit: 'holds',
    warmUps,
    pairs: size.pairs,
    baseline: { label: 'bare route, the same rows unchecked', run: () => noting(runs.bare, bare()) },
    subject: { label: 'urr', run: () => noting(runs.urr, urr()) },
    ratioMin,
  });
  const p99 = (list: Run[]) => median(list.map(({ p99Ms }) => p99Ms)).toFixed(0);
  report.note(
    `p99 of these holds: urr ${p99(runs.urr)} ms, bare route ${p99(runs.bare)} ms; CPU time of process and database for each: urr ${cpuOf(runs.urr)} µs, bare route ${cpuOf(runs.bare)} µs.`,
  );
}

const cpuOf = (list: readonly Run[]) => median(list.map(({ cpuUs }) => cpuUs)).toFixed(0);

async function measureLone(options: HoldsBench & { bare: Served }): Promise<void> {
  const { stage, size, report, stock, bareStock, bare: bareRoute } = options;
  const lone = { stage, size, requests: size.loneHoldsMax, connections: 1 };
  const pairs: { bare: Run; urr: Run }[] = [];
  for (let pair = 0; pair <= report.roundsOf(size.pairs); pair++) {
    const bare = await holdDistinct({ ...lone, to: bareRoute, stock: bareStock });
    const urr = await holdDistinct({ ...lone, to: stage.own, stock });
    // The first pair warms both up.
    if (pair > 0) pairs.push({ bare, urr });
  }
  for (const [what, of, max] of [
    ['p99', ({ p99Ms }: Run) => p99Ms, { max: loneRatioMax }],
    ['median', ({ p50Ms }: Run) => p50Ms, {}],
  ] as const) {
    const [urrMs, bareMs] = [median(pairs.map(({ urr }) => of(urr))), median(pairs.map(({ bare }) => of(bare)))];
    report.weigh({
      name: `${what} of a lone hold, 1 connection, urr : bare route`,
      subject: `${urrMs.toFixed(2)} ms : ${bareMs.toFixed(2)} ms`,
      value: median(pairs.map(({ urr, bare }) => of(urr) / of(bare))),
      unit: 'times',
      ...max,
    });
  }
  report.note(
    `CPU time of process and database for a lone hold: urr ${cpuOf(pairs.map(({ urr }) => urr))} µs, bare route ${cpuOf(pairs.map(({ bare }) => bare))} µs.`,
  );
}

/** General admission on one ticket type, against seats. */
export async function measureStanding(options: {
  stage: TicketingStage;
  size: Size;
  report: BenchReport;
  stock: SeatStock;
  /** Each run fills one of them. */
  eventIds: readonly string[];
}): Promise<void> {
  const { stage, size, report, stock, eventIds } = options;
  let run = 0;
  const stand = async () => {
    const eventId = eventIds[run++];
    if (eventId === undefined) throw new Error('there are no places left to measure with');
    const { rows } = await stage.database.query<{ id: string }>(
      'SELECT ticket_type_id AS id FROM ticketing.ticket_types WHERE event_id = $1',
      [eventId],
    );
    const body = { eventId, items: [{ ticketTypeId: rows[0]?.id, quantity: 1 }] };
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
      run: async () => (await holdDistinct({ stage, size, to: stage.own, stock, requests: size.holdsMax })).perSecond,
    },
    subject: { label: 'urr', run: stand },
    ratioMin: standingRatioMin,
  });
}

async function holdDistinct(options: {
  stage: TicketingStage;
  size: Size;
  to: Served;
  stock: SeatStock;
  requests: number;
  connections?: number;
}): Promise<Run> {
  const { stage, size, to, stock } = options;
  const seats = stock.take(options.requests);
  const requests = holdRequests(seats.eventId, seats.seatIds);
  const ofServer = createServerCpu(stage.database);
  const cpuSeconds = async () => cpuSecondsOf(to.pid) + (await ofServer());
  const before = await cpuSeconds();
  const result = await loadBy({
    ...{ folder: stage.folder, url: to.url, requests, expected: 201 },
    ...{ connections: options.connections ?? connections, seconds: size.seconds },
  });
  const cpuUs = (((await cpuSeconds()) - before) / result.answers) * 1_000_000;
  seats.use(result.sent);
  return { ...result, cpuUs };
}
