import { createSendRaw } from '#test/kit/raw-http.ts';
import { seatIdsOf } from '#test/kit/ticketing/seat-ids.ts';
import type { BenchReport } from '../report.ts';
import { aCall, holdRequests } from './callers.ts';
import { loadBy } from './load.ts';
import type { Size } from './size.ts';
import type { TicketingStage } from './stage.ts';

const connections = 128;
const bareRatioMin = 0.7;
const phasesRatioMin = 10;
const poolMax = 20;
const shape = { sections: 2, rows: 1, seats: 1 };
const [seatId = ''] = seatIdsOf(shape);

export const hotSeatShape = shape;

/** Everybody wants the one seat that somebody has. */
export async function measureHotSeat(options: {
  stage: TicketingStage;
  size: Size;
  report: BenchReport;
  eventId: string;
}): Promise<void> {
  const { stage, size, report, eventId } = options;
  const refusal = await takeIt(stage.own.url, eventId);
  await stage.database.query("INSERT INTO bench.seats (event_id, seat_id, status) VALUES ($1, $2, 'held')", [
    eventId,
    seatId,
  ]);
  const unshielded = await stage.startOwn({ URR_SEAT_SHIELD: 'off' });
  const bareOrder = { poolMax, shape, refusal };
  const bare = await stage.startBare({ ...bareOrder, kind: 'redis' });
  const phases = await stage.startBare({ ...bareOrder, kind: 'three-phases-waiting' });
  const impatient = await stage.startBare({ ...bareOrder, kind: 'three-phases' });
  const all = new Array<string>(size.refusalsMax).fill(seatId);
  const refuse = async (url: string) => {
    const load = { folder: stage.folder, url, requests: holdRequests(eventId, all), expected: 409, connections };
    return (await loadBy({ ...load, seconds: size.seconds })).perSecond;
  };
  for (const { url } of [stage.own, unshielded, bare, phases, impatient]) await refuse(url);
  for (const { server, what } of [
    { server: stage.own, what: 'with the shield' },
    { server: unshielded, what: 'without the shield' },
  ]) {
    const compared = { unit: 'refusals', pairs: size.pairs };
    const subject = { label: 'urr', run: () => refuse(server.url) };
    await report.compare({
      ...compared,
      name: `refusals of one taken seat, ${what}`,
      baseline: { label: 'bare route, one Redis round trip', run: () => refuse(bare.url) },
      subject,
      ratioMin: bareRatioMin,
    });
    await report.compare({
      ...compared,
      name: `refusals of one taken seat, ${what}, against three phases`,
      baseline: { label: 'Redis lock, FOR UPDATE, version', run: () => refuse(phases.url) },
      subject,
      ratioMin: phasesRatioMin,
    });
  }
  await report.compare({
    ...{
      name: 'refusals of one taken seat, against three phases that refuse anyone who meets the lock',
      unit: 'refusals',
    },
    pairs: Math.min(size.pairs, 3),
    baseline: { label: 'Redis lock, mostly alone', run: () => refuse(impatient.url) },
    subject: { label: 'urr', run: () => refuse(stage.own.url) },
  });
  for (const server of [unshielded, bare, phases, impatient]) await server.stop();
}

/** Somebody holds the seat; somebody else is told so. */
async function takeIt(url: string, eventId: string): Promise<string> {
  const send = createSendRaw(url, { connectionsMax: 1 });
  const body = { eventId, seatIds: [seatId] };
  const ask = () => send(aCall({ method: 'POST', path: '/api/seats/reserve', eventId, body }));
  const [held, refused] = [await ask(), await ask()];
  if (held.status !== 201 || refused.status !== 409) throw new Error(`the seat: ${held.text} ${refused.text}`);
  return refused.text;
}
