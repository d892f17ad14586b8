import type { CommandInput, Progress } from './command.ts';

const barWidth = 30;

/**
 * Standard output and standard error of this process. A reader that goes away (`urr bus lag | head`) has seen enough: what is
 * printed after that goes nowhere, and the command does its work to the end, so that what it opened is closed.
 */
export function openTerminal(): Pick<CommandInput, 'print' | 'warn' | 'showProgress'> {
  const warn = lineWriter(process.stderr);
  return { print: lineWriter(process.stdout), warn, showProgress: progressOn(process.stderr, warn) };
}

function lineWriter(stream: NodeJS.WriteStream): (line: string) => void {
  let isRead = true;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    isRead = false;
  });
  return (line) => {
    if (isRead) stream.write(`${line}\n`);
  };
}

/** On standard error, so that the answer can be piped. Elsewhere than on a terminal: a line for every tenth. */
export function progressOn(
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>,
  warn: (line: string) => void,
): (progress: Progress) => void {
  let tenths = -1;
  return ({ done, total }) => {
    const share = total === 0 ? 1 : done / total;
    if (stream.isTTY) {
      const filled = Math.round(share * barWidth);
      const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled);
      stream.write(`\r${bar} ${done} of ${total}\x1b[K${share === 1 ? '\n' : ''}`);
      return;
    }
    if (Math.floor(share * 10) === tenths) return;
    tenths = Math.floor(share * 10);
    warn(`${done} of ${total}`);
  };
}
