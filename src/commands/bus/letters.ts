import type { BusLetters, Letter } from '#platform/bus/port.ts';
import { type CommandInput, type ExitCode, exitCodes } from '../command.ts';
import { idOf, limitOf, plain, printWhole } from './whole.ts';

const lettersLimitDefault = 50;
const replayLimitDefault = 1_000;
const dropLimitDefault = 1_000;
const lookEveryMs = 500;
/** Consumers look for letters every second, and a handler has 20 s unless it is declared otherwise. */
const silenceMaxMs = 30_000;
const keyLengthMax = 40;
const reasonLengthMax = 100;

/** `urr bus letters` */
export async function printLetters(input: CommandInput, bus: BusLetters): Promise<ExitCode> {
  const { topic, group, letter } = input.values;
  if (letter !== undefined) return printLetter(input, bus, idOf(letter, noLetterNamed));
  const limit = limitOf(input, lettersLimitDefault);
  const letters = await bus.letters({
    ...(typeof topic === 'string' && { topic }),
    ...(typeof group === 'string' && { group }),
    limit,
  });
  if (letters.length === 0) {
    input.print('no letters');
    return exitCodes.ok;
  }
  for (const line of asTable([headings, ...letters.map(describeLetter)])) input.print(line);
  if (letters.length === limit) input.print(`the oldest ${limit}; --limit shows more`);
  return exitCodes.ok;
}

const noLetterNamed = 'say --letter ID; urr bus letters lists them';

async function printLetter(input: CommandInput, bus: BusLetters, id: number): Promise<ExitCode> {
  const letter = await bus.letter(id);
  if (letter === null) input.print(`there is no letter ${id}`);
  else printWhole(input, letter);
  return letter === null ? exitCodes.failed : exitCodes.ok;
}

const headings = ['ID', 'TOPIC', 'GROUP', 'KEY', 'AGE', 'ATTEMPTS', 'NEXT TRY', 'REASON'];

function describeLetter(letter: Letter): string[] {
  const { id, topic, group, key, ageMs, attempts, reason } = letter;
  const shown = [String(id), topic, group, cut(key, keyLengthMax), inWords(ageMs), String(attempts)];
  return [...shown, nextTry(letter), cut(reason, reasonLengthMax)];
}

function nextTry({ state, dueInMs }: Letter): string {
  if (state === 'behind') return 'after its key';
  if (dueInMs === null) return 'waits for a person';
  return dueInMs <= 0 ? 'now' : `in ${inWords(dueInMs)}`;
}

/** `urr bus replay --dead-letter`: marks the letters, then watches how the running consumers get on with them. */
export async function replayLetters(
  input: CommandInput,
  bus: BusLetters,
  { topic, silenceMs = silenceMaxMs }: { topic: string; silenceMs?: number },
): Promise<ExitCode> {
  const started = performance.now();
  const total = await bus.replayDeadLetter({ topic, limit: limitOf(input, replayLimitDefault) });
  const unattended = await watch(input, { bus, topic, total, started, silenceMs });
  const { failedAgain } = await bus.replayProgress({ topic, sinceMs: performance.now() - started });
  input.print(
    `replayed ${total - unattended} messages of ${topic}${failedAgain > 0 ? `, ${failedAgain} failed again` : ''}`,
  );
  if (unattended === 0) return exitCodes.ok;
  input.warn(
    `${unattended} letters of ${topic} are still due; their number has not gone down for ${Math.round(silenceMs / 1_000)} s. ` +
      'They stay due. Is a process with their consumer running? If so, its log says what it waits for.',
  );
  return exitCodes.failed;
}

/** Returns how many letters nobody has tried. Ends when none is left, or when for a while there were not fewer. */
async function watch(
  { showProgress }: CommandInput,
  {
    bus,
    topic,
    total,
    started,
    silenceMs,
  }: { bus: BusLetters; topic: string; total: number; started: number; silenceMs: number },
): Promise<number> {
  let least = total;
  let progressAt = performance.now();
  for (;;) {
    const { due } = await bus.replayProgress({ topic, sinceMs: performance.now() - started });
    // Others may have become due meanwhile.
    const left = Math.min(due, total);
    if (left < least) {
      least = left;
      progressAt = performance.now();
    }
    showProgress?.({ done: total - left, total });
    if (left === 0 || performance.now() - progressAt > silenceMs) return left;
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
}

/** `urr bus drop --letter`, `urr bus drop --dead-letter`. What is dropped by itself is printed first. */
export async function dropLetter(input: CommandInput, bus: BusLetters): Promise<ExitCode> {
  const { values, print } = input;
  const deadLetter = values['dead-letter'];
  if (typeof deadLetter === 'string' && values.letter === undefined) {
    const count = await bus.dropLetters({ deadLetter, limit: limitOf(input, dropLimitDefault) });
    print(`dropped ${count} letters of ${deadLetter}; their events will have no effect`);
    return exitCodes.ok;
  }
  const id = idOf(deadLetter === undefined ? values.letter : undefined, `${noLetterNamed}. Or say --dead-letter TOPIC`);
  const found = (await printLetter(input, bus, id)) === exitCodes.ok;
  if (!found) return exitCodes.failed;
  const dropped = await bus.dropLetter(id);
  print(dropped ? `dropped letter ${id}; its event will have no effect` : `there is no letter ${id}`);
  return dropped ? exitCodes.ok : exitCodes.failed;
}

function asTable(rows: readonly (readonly string[])[]): string[] {
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** A key or a reason comes from elsewhere: it stays on its line and does nothing to the terminal. */
function cut(text: string, lengthMax: number): string {
  const shown = plain(text);
  return shown.length <= lengthMax ? shown : `${shown.slice(0, lengthMax - 1)}…`;
}

function inWords(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 2 * 3_600) return `${Math.round(seconds / 60)} min`;
  if (seconds < 2 * 86_400) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}
