import { type CommandInput, UsageProblem } from '../command.ts';

/** An id as the lists show it. `Number` would take 0x1 and 1e1 as well, and something else would be dropped. */
export function idOf(text: CommandInput['values'][string], otherwise: string): number {
  const id = typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : 0;
  if (!Number.isSafeInteger(id) || id < 1) throw new UsageProblem(otherwise);
  return id;
}

export function limitOf({ values }: CommandInput, otherwise: number): number {
  if (values.limit === undefined) return otherwise;
  return idOf(values.limit, '--limit takes a whole number from 1');
}

/** Everything of a letter or a row, a line for each field. Nothing in it moves the terminal. */
export function printWhole({ print }: Pick<CommandInput, 'print'>, whole: object): void {
  for (const [name, value] of Object.entries(whole)) {
    if (value !== null) print(`${name}: ${plain(asText(value))}`);
  }
}

/** The text without what a terminal would obey. */
export function plain(text: string): string {
  return text.replaceAll(/\p{C}+/gu, ' ').trim();
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(Math.round(value));
  return value instanceof Date ? value.toISOString() : JSON.stringify(value);
}
