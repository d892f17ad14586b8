import type { ParseArgsOptionsConfig } from 'node:util';

/** One word of the command line. */
export interface Command {
  readonly name: string;
  /** One line in the list of commands. */
  readonly summary: string;
  /** What follows the name: `serve [--roles …]`. */
  readonly usage: string;
  /** The rest of the help text: what it does, options, examples. */
  readonly help: string;
  readonly options: ParseArgsOptionsConfig;
  /** Words that are not options. */
  readonly takesWords?: boolean;
  run(input: CommandInput): Promise<ExitCode>;
}

export interface CommandInput {
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Standard output: the answer, and nothing else. */
  print(line: string): void;
  /** Standard error: what a person should know beside. */
  warn(line: string): void;
  /** How far something long has come: a bar on a terminal, now and then a line elsewhere. */
  showProgress?(progress: Progress): void;
}

export interface Progress {
  readonly done: number;
  readonly total: number;
}

/** Scripts may rely on these. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, configuration: 3 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The command was called wrongly; the message says how. */
export class UsageProblem extends Error {}
