import { execFile, spawnSync } from 'node:child_process';
import { Agent, get } from 'node:http';
import { promisify } from 'node:util';

export interface LoadOptions {
  readonly url: string;
  readonly cookie: string;
  readonly connections: number;
  readonly seconds: number;
}

/** Requests per second. Fails on any answer that is not 200: a load run that measures refusals measures nothing. */
export function loadFor(options: LoadOptions): Promise<number> {
  return hasWrk() ? byWrk(options) : byNode(options);
}

let wrkFound: boolean | undefined;

export function hasWrk(): boolean {
  wrkFound ??= spawnSync('wrk', ['--version']).error === undefined;
  return wrkFound;
}

async function byWrk({ url, cookie, connections, seconds }: LoadOptions): Promise<number> {
  const args = ['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '-H', `Cookie: ${cookie}`, url];
  const { stdout } = await promisify(execFile)('wrk', args);
  const trouble = /^\s*(Non-2xx.*|Socket errors:.*)$/m.exec(stdout)?.[1];
  if (trouble !== undefined) throw new Error(`wrk saw trouble at ${url}: ${trouble}`);
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
  if (!(rate > 0)) throw new Error(`wrk said nothing useful:\n${stdout}`);
  return rate;
}

/** Shares the cores with the server and so shows lower rates than wrk; the ratio is what counts. */
async function byNode({ url, cookie, connections, seconds }: LoadOptions): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1000;
  let answered = 0;
  const ask = () =>
    new Promise<void>((resolve, reject) => {
      get(url, { agent, headers: { cookie } }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`${url} was answered ${response.statusCode}`));
        response.resume().once('end', resolve).once('error', reject);
      }).once('error', reject);
    });
  const worker = async () => {
    while (performance.now() < endAt) {
      await ask();
      answered += 1;
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, worker));
  } finally {
    agent.destroy();
  }
  return answered / ((performance.now() - startedAt) / 1000);
}
