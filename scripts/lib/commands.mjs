import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** Runs a command quietly; when it fails, the error carries the end of what it said. */
export function run(command, args, options = {}) {
  return new Promise((done, fail) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const collect = (chunk) => {
      output = (output + chunk).slice(-8_000);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', fail);
    child.once('close', (code, signal) => {
      if (code === 0) done(output);
      else fail(new Error(`${command} ${args.join(' ')} failed (${signal ?? code}):\n${output.trim()}`));
    });
  });
}

/** We try again ourselves (`withRetry`); npm's own waits of up to a minute would hide a missing network for minutes. */
const shortRetries = ['--fetch-retries=1', '--fetch-retry-mintimeout=500', '--fetch-retry-maxtimeout=2000'];

/**
 * The npm that started us, so that a machine with several has no surprises; else the one on PATH. It runs on the given
 * Node, because it leaves out optional packages that the Node it runs on is too old for.
 */
export async function npm(node, args, options) {
  const output = await runNpm(node, [...args, '--loglevel=warn', ...shortRetries], options);
  // To npm a file that could not be written, as on a full disk, is only worth a warning.
  if (output.includes('TAR_ENTRY_ERROR')) throw new Error(`npm could not write all files:\n${output.trim()}`);
}

function runNpm(node, args, options) {
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` };
  const cli = process.env.npm_execpath;
  if (cli?.endsWith('npm-cli.js')) return run(node, [cli, ...args], { ...options, env });
  return run('npm', args, { ...options, env, shell: process.platform === 'win32' });
}

/** Says what takes time, in one line, and how long it took. */
export async function step(what, work) {
  const started = Date.now();
  process.stderr.write(`${what} …`);
  try {
    const result = await work();
    process.stderr.write(` done in ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
    return result;
  } catch (error) {
    process.stderr.write(' failed\n');
    throw error;
  }
}

/** A full disk and a missing right do not pass by themselves. */
const lasting = /\b(ENOSPC|EACCES|EPERM|EROFS)\b/;

/** The network fails now and then. */
export async function withRetry(work, { tries = 3, waitMs = 2_000 } = {}) {
  for (let tried = 1; ; tried++) {
    try {
      return await work();
    } catch (error) {
      if (tried >= tries || lasting.test(error.message)) throw error;
      await new Promise((done) => setTimeout(done, waitMs * tried));
    }
  }
}

export function onPath(command) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
