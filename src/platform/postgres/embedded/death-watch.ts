import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/**
 * Ends `pid` when this process dies, whatever it dies of: a shell waits on a pipe that only we hold open, and the
 * kernel closes it. (Linux could do it alone with PR_SET_PDEATHSIG; this way works everywhere and survives a change
 * of user.) Call the returned function as soon as the process has ended, so that its number is not signalled later.
 */
export function endWithUs(pid: number, signal: 'INT' | 'KILL'): () => void {
  const watch = spawn(
    '/bin/sh',
    ['-c', 'read -r _; kill -s "$1" "$2" 2>/dev/null', 'death-watch', signal, String(pid)],
    {
      // A group of its own: Ctrl-C in the terminal goes to us, and we stop in order.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: '/',
    },
  );
  watch.on('error', () => {});
  watch.stdin.on('error', () => {});
  // A pipe of a child process is a socket underneath; neither it nor the child may keep this process alive.
  (watch.stdin as Socket).unref();
  watch.unref();
  return () => {
    watch.kill('SIGKILL');
  };
}
