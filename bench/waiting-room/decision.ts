import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '#platform/clock.ts';
import { createJwtKind } from '#platform/tokens/jwt.ts';
import { end, startWithinMs } from '../kit/child.ts';
import { loadBy } from '../queue/load.ts';
import type { BenchReport } from '../report.ts';
import type { ServerWish } from './gateway-server.ts';

const eventId = '0195a000-0000-7000-8000-00000000000a';
const secret = 'a-secret-for-a-benchmark-0123456789-abcdef';
const runSeconds = 3;
const warmUps = 1;
/** At most 5 % of a page or a call with the room off, at most 15 % with it on. */
const ratios = { off: 0.95, on: 0.85 } as const;
const doors = { page: `/events/${eventId}`, call: `/api/tickets/event/${eventId}` } as const;

/** What the decision of tier 1 costs in the gateway: the same door, with and without it. */
export async function compareDecision(report: BenchReport): Promise<void> {
  const wanted = Object.entries(doors).filter(([what]) => report.wants(`decision-${what}`));
  if (wanted.length === 0) return;
  const folder = await mkdtemp(join(tmpdir(), 'urr-bench-'));
  const servers = {
    none: await start({ room: 'none', eventId, secret }),
    off: await start({ room: 'off', eventId, secret }),
    on: await start({ room: 'on', eventId, secret }),
  };
  try {
    for (const [what, path] of wanted) {
      const contender = (label: string, { url }: Server) => ({
        label,
        run: async () => {
          const requests = { url, method: 'GET', path, headers: [{ accept: 'text/html', cookie: passOf() }] } as const;
          return (await loadBy(folder, requests, runSeconds)).perSecond;
        },
      });
      for (const room of ['off', 'on'] as const) {
        await report.compare({
          name: `the decision for a ${what}, the room is ${room}`,
          unit: 'requests',
          baseline: contender('the gateway without tier 1', servers.none),
          subject: contender('the gateway that decides', servers[room]),
          warmUps,
          ratioMin: ratios[room],
        });
      }
    }
    report.note(
      `A page and a call behind every filter of the gateway, shown a good pass each time; 64 connections of wrk, ${runSeconds} s a run.`,
    );
  } finally {
    await Promise.all(Object.values(servers).map(({ stop }) => stop()));
    await rm(folder, { recursive: true });
  }
}

interface Server {
  readonly url: string;
  stop(): Promise<void>;
}

async function start(wish: ServerWish): Promise<Server> {
  const child = fork(fileURLToPath(new URL('./gateway-server.ts', import.meta.url)));
  child.send(wish);
  const [url] = (await once(child, 'message', { signal: AbortSignal.timeout(startWithinMs) })) as [string];
  return { url, stop: () => end(child) };
}

/** Of a browser that passed. */
function passOf(): string {
  const passes = createJwtKind({ typ: 'vwr+jwt', secrets: [secret], ttlSeconds: 600, clock: systemClock });
  const { token } = passes.sign({ sub: eventId, uid: 'visitor', pos: 7, era: 1, tier: 1, jti: '1.7' });
  return `urr-vwr-token-${eventId}=${token}`;
}
