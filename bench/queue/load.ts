import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface Requests {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Of each request; sent one after the other, from the start again when all were sent. */
  readonly headers: readonly Readonly<Record<string, string>>[];
}

export interface LoadResult {
  readonly perSecond: number;
  readonly p99Ms: number;
}

const connections = 64;
const headersFile = 'headers.txt';
const scriptFile = 'requests.lua';

/** Every request is another person's, so that nothing is measured that only one visitor would see. */
const script = `
local requests, next = {}, 0
function init(args)
  for line in io.lines(args[3]) do
    local headers = {}
    for name, value in line:gmatch('([^\\t=]+)=([^\\t]+)') do headers[name] = value end
    requests[#requests + 1] = wrk.format(args[1], args[2], headers)
  end
end
function request()
  next = next % #requests + 1
  return requests[next]
end
`;

/** Fails on any answer that is not 2xx: a load run that measures refusals measures nothing. */
export async function loadBy(folder: string, requests: Requests, seconds: number): Promise<LoadResult> {
  const { url, method, path, headers } = requests;
  const lines = headers.map((each) =>
    Object.entries(each)
      .map(([name, value]) => `${name}=${value}`)
      .join('\t'),
  );
  await writeFile(join(folder, headersFile), `${lines.join('\n')}\n`);
  await writeFile(join(folder, scriptFile), script);
  const { stdout } = await promisify(execFile)('wrk', [
    ...['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '--latency', '-s', join(folder, scriptFile), url],
    ...['--', method, path, join(folder, headersFile)],
  ]);
  const trouble = /^\s*(Non-2xx.*|Socket errors:.*)$/m.exec(stdout)?.[1];
  if (trouble !== undefined) throw new Error(`wrk saw trouble at ${url}${path}: ${trouble}`);
  const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
  const p99 = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout);
  if (!(perSecond > 0) || p99 === null) throw new Error(`wrk said nothing useful:\n${stdout}`);
  return { perSecond, p99Ms: Number(p99[1]) * msOf(p99[2]) };
}

function msOf(unit: string | undefined): number {
  if (unit === 'us') return 0.001;
  return unit === 's' ? 1_000 : 1;
}
