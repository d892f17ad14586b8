import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import { type DestinationStream, pino } from 'pino';

/** Of lines that nobody has read. */
const keptCharactersMax = 4_000_000;

/**
 * Where log lines go. A pipe's reader may stall (`urr serve 2>&1 | less`), and writing would then stop this process in the middle
 * of whatever it does, signals included. So lines for a pipe are handed to the kernel as it takes them; of those that wait, so many
 * are kept, and how many were not is said as soon as somebody reads again. Files and terminals are written at once.
 */
export function openLogDestination(fd: number): DestinationStream {
  const stat = fstatSync(fd);
  if (!stat.isFIFO() && !stat.isSocket()) return pino.destination(fd);
  return createPatientWriter(new Socket({ fd, readable: false, writable: true }));
}

/** For a stream that takes what it can and calls back. */
export function createPatientWriter(
  stream: Pick<Socket, 'write' | 'on' | 'unref'>,
  limits: { keptCharactersMax: number } = { keptCharactersMax },
): DestinationStream {
  let waiting = '';
  let isWriting = false;
  let isOver = false;
  let dropped = 0;
  // Nobody will read it any more. That is no reason to end: `urr serve | head -1` has seen enough, and buyers have not.
  stream.on('error', () => {
    isOver = true;
    waiting = '';
  });
  // An open log keeps no process alive.
  stream.unref();

  function next(): void {
    isWriting = false;
    if (isOver) return;
    if (dropped > 0) {
      const at = new Date().toISOString();
      waiting += `${JSON.stringify({ level: 'warn', time: at, dropped, msg: 'log lines were dropped: nobody read them' })}\n`;
      dropped = 0;
    }
    if (waiting === '') return;
    const text = waiting;
    waiting = '';
    isWriting = true;
    stream.write(text, next);
  }

  return {
    write(line) {
      if (isOver) return;
      if (waiting.length + line.length > limits.keptCharactersMax) {
        dropped += 1;
        return;
      }
      waiting += line;
      if (!isWriting) next();
    },
  };
}
