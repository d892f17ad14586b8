import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export interface Load {
  readonly folder: string;
  readonly url: string;
  /** Whole requests, sent once each and in this order. */
  readonly requests: readonly string[];
  /** The only status that is no failure. */
  readonly expected: number;
  readonly connections: number;
  readonly seconds: number;
  /** After each answer, before the connection sends again. */
  readonly pauseMs?: number;
}

export interface LoadResult {
  readonly answers: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** How many of the requests may have had an effect. */
  readonly sent: number;
}

const script = fileURLToPath(new URL('./requests.lua', import.meta.url));

/** Fails on any status but the expected one, and when the requests did not last. */
export async function loadBy(load: Load): Promise<LoadResult> {
  const file = join(load.folder, 'requests.txt');
  await writeFile(file, load.requests.join('\u0001'));
  const { stdout } = await promisify(execFile)('wrk', [
    ...[
      '-t',
      '1',
      '-c',
      String(load.connections),
      '-d',
      `${load.seconds}s`,
      '--timeout',
      '10s',
      '-s',
      script,
      load.url,
    ],
    ...['--', file, String(load.expected), String(load.pauseMs ?? 0)],
  ]);
  const numbers = /^measured (.+)$/m.exec(stdout)?.[1]?.split(' ').map(Number);
  if (numbers === undefined) throw new Error(`wrk said nothing useful:\n${stdout}`);
  const [answers = 0, us = 0, p50Us = 0, p99Us = 0, wrong = 0, sent = 0, known = 0, errors = 0] = numbers;
  if (wrong > 0)
    throw new Error(
      `${wrong} of ${answers} answers of ${load.url} were not ${load.expected}: ${/^first wrong answer: (.*)$/m.exec(stdout)?.[1]}`,
    );
  if (errors > 0) throw new Error(`${errors} socket errors at ${load.url}`);
  if (sent > known) throw new Error(`${known} requests were too few for ${load.seconds} s at ${load.url}`);
  if (answers === 0) throw new Error(`${load.url} answered nothing`);
  return { answers, perSecond: answers / (us / 1_000_000), p50Ms: p50Us / 1_000, p99Ms: p99Us / 1_000, sent };
}
