import { loadBy, type Requests } from './queue/load.ts';
import type { BenchReport } from './report.ts';
import { compareDecision } from './waiting-room/decision.ts';
import { aRoomStage, type RoomStage, type ServedRoom } from './waiting-room/stage.ts';

const seconds = 4;
const noHeaders = [{ accept: '*/*' }];

/** What tier 1 costs: everybody who passes the gateway, and those who wait. */
export async function run(report: BenchReport): Promise<void> {
  await compareDecision(report);
  await compareVisitors(report);
}

const visitorParts = ['status', 'check', 'check-near', 'assign'];
/** Nearer to their turn people have the counters asked. */
const aheadFar = 200;

/** What waiting visitors cost, against servers that do nothing of it. */
async function compareVisitors(report: BenchReport): Promise<void> {
  if (!visitorParts.map((part) => report.wants(part)).includes(true)) return;
  const stage = await aRoomStage();
  try {
    const { onRedis } = stage;
    const first = await take(onRedis);
    let last = first;
    while (last.position - first.position < aheadFar) last = await take(onRedis);
    const checkPath = (place: Taken) => `/vwr/check/${onRedis.eventId}/${place.requestId}`;
    const asRead = { server: 'node', redisUrl: null, baseline: "Node's own server sends the same bytes" } as const;
    const asAsked = {
      server: 'route',
      redisUrl: stage.redisUrl,
      baseline: 'bare Fastify route, one round trip',
    } as const;
    for (const { part, path, baseline, server, redisUrl, ...expected } of [
      {
        ...{ part: 'status', name: 'the status document of a room', path: `/vwr/status/${onRedis.eventId}` },
        ...{ ...asRead, ratioMin: 0.9 },
      },
      { part: 'check', name: 'a check of somebody who waits', path: checkPath(last), ...asRead, ratioMin: 0.8 },
      { part: 'check-near', name: 'a check near the turn', path: checkPath(first), ...asAsked, ratioMin: 0.7 },
    ]) {
      if (!report.wants(part)) continue;
      const body = await (await fetch(onRedis.url + path)).text();
      const url = await stage.startBare({ server, path, body, redisUrl });
      await compare(report, stage, {
        ...{ ...expected, path, method: 'GET' },
        baseline: { label: baseline, url },
        subject: { label: 'urr serve, all roles', url: onRedis.url },
      });
    }
    if (report.wants('assign')) {
      const before = { bytes: await stage.bytesInRedis(), ...(await take(onRedis)) };
      await compareAssign(report, stage, { room: onRedis, where: 'in Redis', redisUrl: stage.redisUrl });
      const after = { bytes: await stage.bytesInRedis(), ...(await take(onRedis)) };
      const value = Math.round((100 * (after.bytes - before.bytes)) / (after.position - before.position)) / 100;
      report.weigh({ name: 'state of each waiting visitor', subject: 'keys of Redis', value, unit: 'bytes', max: 0 });
      await compareAssign(report, stage, { room: stage.alone, where: 'in the process', redisUrl: null });
    }
    report.note(
      `64 connections of wrk, ${seconds} s a run, on the gateway with every filter; numbers are sent for in batches, each a new visitor's.`,
    );
  } finally {
    await stage.stop();
  }
}

interface Taken {
  readonly requestId: string;
  readonly position: number;
}

async function compareAssign(
  report: BenchReport,
  stage: RoomStage,
  options: { room: ServedRoom; where: string; redisUrl: string | null },
): Promise<void> {
  const { room, where, redisUrl } = options;
  const path = `/vwr/assign/${room.eventId}`;
  const body = JSON.stringify(await take(room));
  const url = await stage.startBare({ server: 'route', path, body, redisUrl });
  await compare(report, stage, {
    ...{ name: `a number, with counters ${where}`, ratioMin: 0.7, path, method: 'POST' },
    baseline: { label: `bare Fastify route${redisUrl === null ? '' : ', one round trip'}`, url },
    subject: { label: 'urr serve, all roles', url: room.url },
  });
}

async function compare(
  report: BenchReport,
  stage: RoomStage,
  options: Pick<Requests, 'path' | 'method'> & {
    name: string;
    ratioMin: number;
    baseline: { label: string; url: string };
    subject: { label: string; url: string };
  },
): Promise<void> {
  const { name, ratioMin, path, method } = options;
  const contender = ({ label, url }: { label: string; url: string }) => ({
    label,
    run: async () => (await loadBy(stage.folder, { url, method, path, headers: noHeaders }, seconds)).perSecond,
  });
  const [baseline, subject] = [contender(options.baseline), contender(options.subject)];
  await report.compare({ name, unit: 'requests', baseline, subject, warmUps: 1, ratioMin });
}

async function take({ url, eventId }: ServedRoom): Promise<Taken> {
  const answer = await fetch(`${url}/vwr/assign/${eventId}`, { method: 'POST' });
  if (!answer.ok) throw new Error(`the room answered ${answer.status}: ${await answer.text()}`);
  return answer.json() as Promise<Taken>;
}
