import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { pathToFileURL } from 'node:url';

/**
 * Runs a program of ours. When this Node is the right one it simply becomes the program, without a second process.
 * Otherwise it passes signals on, ends with the program's exit code, and the program ends when this process dies:
 * it watches the message channel between the two (see src/platform/lifecycle/parent-watch.ts).
 */
export async function launch(node, file, args) {
  if (node === process.execPath) {
    process.argv = [node, file, ...args];
    await import(pathToFileURL(file).href);
    return;
  }
  process.exitCode = await runChild(node, [file, ...args]);
}

/** @returns {Promise<number>} the exit code, by the shell's convention for signals */
export function runChild(command, args, env = {}, { interactive = false } = {}) {
  const child = spawn(command, args, {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, ...env },
    // A group of its own, so that Ctrl-C in a terminal arrives once, from us, and not twice. only the one who reads the
    // keyboard must stay in ours.
    detached: !interactive,
  });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const forward = (signal) => child.kill(signal);
  for (const signal of signals) process.on(signal, forward);
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('exit', (code, signal) => {
      for (const name of signals) process.off(name, forward);
      done(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  });
}
