import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface BenchServer {
  readonly url: string;
  stop(): Promise<void>;
}

const startWithinMs = 120_000;
const stopWithinMs = 20_000;
const outOfReach = '1000000000';

/** `urr serve --demo` as anyone runs it, embedded, in a folder of its own. */
export async function startProgram(): Promise<BenchServer> {
  const folder = await mkdtemp(join(tmpdir(), 'urr-bench-'));
  // Under root, PostgreSQL runs as another user, who must be able to pass through.
  await chmod(folder, 0o711);
  const program = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
  const child = spawn(process.execPath, [program, 'serve', '--demo'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      URR_PORT: '0',
      URR_DATA_DIR: join(folder, 'data'),
      URR_LOG_LEVEL: 'error',
      URR_DEMO_PASSWORD: 'urr-demo',
      URR_RATE_READ_PER_MINUTE: outOfReach,
    },
  });
  const stop = async () => {
    await end(child);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    return { url: await addressOf(child), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The least that Fastify does to send these bytes. */
export async function startBareServer(options: { path: string; body: string }): Promise<BenchServer> {
  const child = fork(fileURLToPath(new URL('./bare-server.ts', import.meta.url)));
  child.send(options);
  const [url] = (await once(child, 'message', { signal: AbortSignal.timeout(startWithinMs) })) as [string];
  return { url, stop: () => end(child) };
}

/** The address that the program prints when it is ready. */
function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    const timer = setTimeout(() => reject(new Error(`urr was not ready in ${startWithinMs} ms`)), startWithinMs);
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      const found = /urr is ready\s+(http:\S+)/.exec(printed)?.[1];
      if (found === undefined) return;
      clearTimeout(timer);
      // Loopback by number: a name may be looked up as IPv6 first, where nothing listens.
      resolve(found.replace('localhost', '127.0.0.1'));
    });
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`urr ended with ${code} before it was ready`));
    });
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const impatient = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
  await exited;
  clearTimeout(impatient);
}
