import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

export const startWithinMs = 120_000;

/** Where an urr that was just started listens, as soon as it has said so. */
export function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    const timer = setTimeout(() => reject(new Error(`urr was not ready in ${startWithinMs} ms`)), startWithinMs);
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      const port = /http:\/\/localhost:(\d+)/.exec(printed)?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      resolve(`http://127.0.0.1:${port}`);
    });
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`urr ended with ${code} before it was ready: ${printed}`));
    });
  });
}

/** At once, as a crash would. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
