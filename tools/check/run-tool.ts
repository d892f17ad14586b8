import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const requireHere = createRequire(import.meta.url);
/** Only bounds a hang: a busy machine may need minutes for what a free one does in seconds. */
const toolTimeoutMs = 240_000;

/** Runs the command of an installed package with this very Node, and gives what it printed and whether it was content. */
export function runTool(options: {
  packageName: string;
  command: string;
  args: readonly string[];
  cwd: string;
}): Promise<{ ok: boolean; output: string }> {
  const manifestPath = requireHere.resolve(`${options.packageName}/package.json`);
  const { bin } = requireHere(manifestPath) as { bin: Readonly<Record<string, string>> };
  const script = join(dirname(manifestPath), bin[options.command] ?? '');
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...options.args], {
      cwd: options.cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: toolTimeoutMs,
    });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.once('error', reject);
    child.once('close', (code) => resolve({ ok: code === 0, output: Buffer.concat(chunks).toString('utf8') }));
  });
}
