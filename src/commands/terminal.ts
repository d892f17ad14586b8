import type { CommandInput } from './command.ts';

/**
 * Standard output and standard error of this process. A reader that goes away (`urr bus lag | head`) has seen enough: what is
 * printed after that goes nowhere, and the command does its work to the end, so that what it opened is closed.
 */
export function openTerminal(): Pick<CommandInput, 'print' | 'warn'> {
  return { print: lineWriter(process.stdout), warn: lineWriter(process.stderr) };
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
