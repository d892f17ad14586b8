import { hasWrk, loadFor } from './http/load.ts';
import { startBareServer, startProgram } from './http/servers.ts';
import type { BenchReport } from './report.ts';

const path = '/api/events?limit=20';
const runSeconds = 3;
const connections = 64;
/** Both sides compile their hot paths before anything is counted. */
const warmUpSeconds = 2;

/** What the whole door costs: a catalog read through every filter, against a Fastify route that only sends the same bytes. */
export async function run(report: BenchReport): Promise<void> {
  const urr = await startProgram();
  try {
    const cookie = await signIn(urr.url);
    const body = await read(urr.url + path, cookie);
    const bare = await startBareServer({ path: '/api/events', body });
    try {
      const contender = (label: string, url: string) => ({
        label,
        run: () => loadFor({ url: url + path, cookie, connections, seconds: runSeconds }),
      });
      for (const { url } of [bare, urr])
        await loadFor({ url: url + path, cookie, connections, seconds: warmUpSeconds });
      await report.compare({
        name: 'a catalog read through all gateway filters',
        unit: 'requests',
        baseline: contender('bare Fastify route', bare.url),
        subject: contender('urr serve, all roles', urr.url),
        ratioMin: 0.6,
      });
      report.note(
        `\`GET ${path}\`, ${body.length} bytes, ${connections} connections, ${runSeconds} s a run, signed in by cookie, ` +
          `limits on but out of reach; each server one process, load by ${hasWrk() ? 'wrk' : 'a Node client'}.`,
      );
    } finally {
      await bare.stop();
    }
  } finally {
    await urr.stop();
  }
}

async function signIn(url: string): Promise<string> {
  const response = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'buyer1@urr.test', password: 'urr-demo' }),
  });
  if (!response.ok) throw new Error(`sign-in was answered ${response.status}: ${await response.text()}`);
  const cookie = response.headers.getSetCookie().find((line) => line.startsWith('urr-access='));
  if (cookie === undefined) throw new Error('sign-in set no access cookie');
  return cookie.split(';', 1)[0] ?? '';
}

async function read(url: string, cookie: string): Promise<string> {
  const response = await fetch(url, { headers: { cookie } });
  const body = await response.text();
  if (response.status !== 200) throw new Error(`${url} was answered ${response.status}: ${body}`);
  return body;
}
