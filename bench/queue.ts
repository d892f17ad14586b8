import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '#platform/clock.ts';
import { createInternalSignature } from '#platform/http/internal-signature.ts';
import { aSignedIn, type SomebodySignedIn } from '#test/kit/queue/show.ts';
import { testSecrets } from '#test/kit/secrets.ts';
import { aCrowd, bytesOf, type Crowd, type TicketHolder } from './queue/crowd.ts';
import { type LoadResult, loadBy, type Requests } from './queue/load.ts';
import { measureScriptAlone } from './queue/script-alone.ts';
import { aQueueStage, type QueueStage, type Served } from './queue/stage.ts';
import { aStoreAlone } from './queue/store-alone.ts';
import { openStreams } from './queue/streams.ts';
import { walkWholeLine } from './queue/whole-line.ts';
import type { BenchReport } from './report.ts';

/** `URR_BENCH_QUEUE_MAX` makes it shorter; entering a million alone takes minutes. */
const waitingMax = Number(process.env.URR_BENCH_QUEUE_MAX ?? 1_000_000);
const sizes = [1_000, 10_000, 100_000, 1_000_000].filter((size) => size <= waitingMax);
const pollSeconds = 4;
const checkSeconds = 2;
/** About as many as a run polls: in a large crowd nearly every poll is somebody's first for a while, and so a sign of life to pass on. */
const pollersMax = 50_000;
/** More than a run sends, so that every check is somebody's first. */
const enteringPerRun = 50_000;
/** wrk counts some answers more or less at the ends of a run. */
const countedExactly = 0.95;
/** Of each size of batch, in each round. */
const scriptEntries = 100_000;
const streamsWanted = 20_000;
const descriptorsKept = 1_000;
/** From the front: everybody else moves up, by enough that no estimate of a rank rounds it away. */
const leavingAtOnce = 5;
/** A snapshot is taken each second: after this there is one that knows everybody. */
const snapshotMs = 2_500;

/** What polls, entries and streams cost, against servers that do nothing of it. */
export async function run(report: BenchReport): Promise<void> {
  const stage = await aQueueStage();
  try {
    const statusPath = `/api/queue/status/${stage.eventId}`;
    const checkPath = `/api/queue/check/${stage.eventId}`;
    // Takes the only slot; from now on everybody waits.
    await check(stage.whole.url + checkPath, aSignedIn());
    const body = await check(stage.whole.url + checkPath, aSignedIn());
    const route = { statusPath, checkPath, body };
    const bare = await stage.startBare({ ...route, server: 'plugins' });
    const plain = await stage.startBare({ ...route, server: 'plain' });
    const turns = await stage.startBare({ ...route, server: 'turns' });
    const crowd = aCrowd(stage);
    const polling = { stage, crowd, path: statusPath, report };
    const slowest: number[] = [];

    for (const size of sizes) {
      const startedMs = performance.now();
      const before = crowd.size;
      await crowd.growTo(size);
      const perSecond = (size - before) / ((performance.now() - startedMs) / 1_000);
      report.note(
        `${size.toLocaleString('en-US')} waiting: the last ${(size - before).toLocaleString('en-US')} entered the store at ${Math.round(perSecond).toLocaleString('en-US')}/s, from one client.`,
      );
      await delay(snapshotMs);
      const last = size === sizes.at(-1);
      slowest.push(
        await comparePolls({
          ...polling,
          bare,
          server: stage.own,
          where: 'its own listener',
          pairs: last ? 5 : 3,
          ...(last && { ratioMin: 0.8 }),
        }),
      );
    }
    const [few = 0, many = 0] = [slowest.at(0), slowest.at(-1)];
    report.weigh({
      name: `p99 of polls, ${crowd.size.toLocaleString('en-US')} waiting : ${sizes[0]?.toLocaleString('en-US')} waiting`,
      subject: `${many.toFixed(1)} ms : ${few.toFixed(1)} ms`,
      value: many / few,
      unit: 'times',
      max: 1.2,
    });
    report.weigh({
      name: 'memory in Redis per waiting user',
      subject: `${crowd.size.toLocaleString('en-US')} waiting`,
      value: (await bytesOf(stage.redis, stage.eventId)) / crowd.size,
      unit: 'bytes',
      max: 320,
    });
    await comparePolls({
      ...polling,
      bare,
      server: stage.whole,
      where: 'the whole gateway, as browsers send them',
      headersOf: byBrowser(stage.eventId),
      pairs: 5,
      ratioMin: 0.6,
    });
    await comparePolls({
      ...polling,
      bare: plain,
      server: stage.own,
      where: 'its own listener, against Fastify without anything',
      pairs: 3,
    });
    await comparePolls({
      ...polling,
      bare: turns,
      server: stage.own,
      where: 'its own listener, against a bare route that writes in turns as well',
      pairs: 3,
    });
    await compareChecks({ stage, bare, path: checkPath, report });
    await measureStore({ stage, report });
    await fanOut({ stage, crowd, report });
    report.note(
      `${pollSeconds} s a run, ${checkSeconds} for checks, 64 connections, load by wrk on the same cores; each poll another of ${pollersMax.toLocaleString('en-US')} tickets spread over the line, at the gateway with its user’s session; each check another user. ` +
        'The bare route has the program’s own server (settings, request ids, metrics, sampled logs, check of internal signatures), writes as Node does, and sends the same bytes and headers; for checks it awaits one trivial EVALSHA. Up to 1,000 waiting every poll asks the store, by design.',
    );
  } finally {
    await stage.stop();
  }
}

async function comparePolls(options: {
  stage: QueueStage;
  crowd: Crowd;
  path: string;
  report: BenchReport;
  bare: Served;
  server: Served;
  where: string;
  headersOf?: (person: TicketHolder) => Readonly<Record<string, string>>;
  pairs: number;
  ratioMin?: number;
}): Promise<number> {
  const { stage, crowd, path, report, bare, server, where, headersOf = byTicket, pairs, ratioMin } = options;
  const headers = crowd.sample(pollersMax).map(headersOf);
  const load = (url: string, seconds = pollSeconds): Promise<LoadResult> =>
    loadBy(stage.folder, { url, method: 'GET', path, headers }, seconds);
  const p99s: number[] = [];
  for (const { url } of [bare, server]) await load(url, 1);
  await report.compare({
    name: `status polls at ${where}, ${crowd.size.toLocaleString('en-US')} waiting`,
    unit: 'polls',
    pairs,
    baseline: { label: 'bare route', run: async () => (await load(bare.url)).perSecond },
    subject: {
      label: 'urr',
      async run() {
        const { perSecond, p99Ms } = await load(server.url);
        p99s.push(p99Ms);
        return perSecond;
      },
    },
    ...(ratioMin !== undefined && { ratioMin }),
  });
  return p99s.sort((one, other) => one - other)[p99s.length >> 1] ?? Number.NaN;
}

const byTicket = ({ ticket }: TicketHolder) => ({ 'x-queue-ticket': ticket });

/** The session's cookie, and the ticket's behind it. */
function byBrowser(eventId: string): (person: TicketHolder) => Record<string, string> {
  return ({ userId, ticket }) => ({
    cookie: `urr-access=${aSignedIn('buyer', userId).accessToken}; urr-queue-ticket-${eventId}=${ticket}`,
  });
}

async function compareChecks(options: { stage: QueueStage; bare: Served; path: string; report: BenchReport }) {
  const { stage, bare, path, report } = options;
  const signature = createInternalSignature({
    secrets: [testSecrets.URR_INTERNAL_SECRET],
    clock: systemClock,
    roles: [],
  });
  // As the gateway hands a user on to a role that runs elsewhere.
  const signed = ({ userId }: SomebodySignedIn) =>
    signature.sign({
      ...{ role: 'queue', method: 'POST', path, body: null },
      ...{ user: { userId, email: `${userId}@urr.test`, role: 'buyer' }, slots: [] },
    });
  const bearer = ({ accessToken }: SomebodySignedIn) => ({ authorization: `Bearer ${accessToken}` });
  const places = [
    { server: stage.own, where: 'its own listener', headersOf: signed, ratioMin: 0.7 },
    { server: stage.whole, where: 'the whole gateway', headersOf: bearer, ratioMin: 0.6 },
  ];
  for (const { server, where, headersOf, ratioMin } of places) {
    const someHeaders = () => Array.from({ length: enteringPerRun }, () => headersOf(aSignedIn()));
    const load = async (url: string, headers: Requests['headers']) =>
      (await loadBy(stage.folder, { url, method: 'POST', path, headers }, checkSeconds)).perSecond;
    // The bare route reads none of them, so it gets the same ones each time.
    const anybody = someHeaders();
    const enter = async () => {
      const before = await joinedOf(stage);
      const perSecond = await load(server.url, someHeaders());
      const entered = (await joinedOf(stage)) - before;
      if (entered < countedExactly * perSecond * checkSeconds)
        throw new Error(`only ${entered} entered in a run with ${perSecond} answers/s`);
      return perSecond;
    };
    await load(bare.url, anybody);
    await enter();
    await report.compare({
      name: `check (entering) at ${where}`,
      unit: 'entries',
      baseline: { label: 'bare POST awaiting one EVALSHA', run: () => load(bare.url, anybody) },
      subject: { label: 'urr', run: enter },
      ratioMin,
    });
  }
}

async function joinedOf({ store, eventId }: QueueStage): Promise<number> {
  const snapshot = await store.snapshot({ eventId });
  if (snapshot.status === 'lost') throw new Error('the event is lost');
  return snapshot.totals.joined;
}

/** Without the program around it. */
async function measureStore({ stage, report }: { stage: QueueStage; report: BenchReport }): Promise<void> {
  const alone = await aStoreAlone(stage.folder);
  try {
    await measureScriptAlone({ alone, entries: Math.min(scriptEntries, waitingMax), report });
    await walkWholeLine({ alone, count: waitingMax, report });
  } finally {
    await alone.stop();
  }
}

async function fanOut({ stage, crowd, report }: { stage: QueueStage; crowd: Crowd; report: BenchReport }) {
  const limit = Number(execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }));
  const count = Math.min(streamsWanted, (limit || streamsWanted) - descriptorsKept);
  const leaving = crowd.first(leavingAtOnce).map(({ userId }) => userId);
  const people = crowd.sample(count).filter(({ userId }) => !leaving.includes(userId));
  const streams = await openStreams(stage.own, `/api/queue/stream/${stage.eventId}`, people);
  try {
    const leave = () => Promise.all(leaving.map((userId) => stage.store.leave({ eventId: stage.eventId, userId })));
    const { totalMs, spreadMs } = await streams.update(leave);
    const name = `a rank update to ${streams.open.toLocaleString('en-US')} open streams`;
    report.weigh({ name, subject: 'from the first reader told to the last', value: spreadMs, unit: 'ms', max: 1_000 });
    report.weigh({
      name,
      subject: 'from the change to the last reader, the wait for the snapshot included',
      value: totalMs,
      unit: 'ms',
    });
    report.weigh({
      name: 'memory of the process per open stream',
      subject: 'resident',
      value: streams.bytesEach / 1_024,
      unit: 'kB',
    });
  } finally {
    streams.close();
  }
}

async function check(url: string, { accessToken }: SomebodySignedIn): Promise<string> {
  const response = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${accessToken}` } });
  const body = await response.text();
  if (response.status !== 200) throw new Error(`${url} was answered ${response.status}: ${body}`);
  return body;
}
