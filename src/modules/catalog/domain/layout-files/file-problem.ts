import { problemsMax } from '../layout-problems.ts';

/** Something in a file: which line, and what there is called what. */
export interface FileProblem {
  /** From 1. */
  readonly line: number;
  /** A column of a CSV file as its header says it, or a path in JSON; empty: the line or the file as a whole. */
  readonly field: string;
  readonly message: string;
}

const shownLengthMax = { field: 100, message: 300, quoted: 50, searched: 50_000 } as const;

/**
 * What is told of a file, fit for an answer and for a terminal: a cell or a name in it may have millions of characters, or
 * some that clear the screen.
 */
export function shownProblem<Problem extends { readonly field: string; readonly message: string }>(
  problem: Problem,
): Problem {
  // Cut before it is searched as well: most of an endless text is not even looked at.
  const message = cut(problem.message, shownLengthMax.searched).replaceAll(
    /"([^"]+)"/g,
    (_, quoted: string) => `"${cut(quoted, shownLengthMax.quoted)}"`,
  );
  return {
    ...problem,
    field: visible(cut(problem.field, shownLengthMax.field)),
    message: visible(cut(message, shownLengthMax.message)),
  };
}

function cut(text: string, lengthMax: number): string {
  return text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text;
}

function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cs}]/gu, '\ufffd');
}

export interface ProblemList {
  readonly named: FileProblem[];
  /** More than are named where there were too many. */
  readonly total: number;
  add(problem: FileProblem): void;
}

export function createProblemList(): ProblemList {
  const named: FileProblem[] = [];
  let total = 0;
  return {
    named,
    get total() {
      return total;
    },
    add(problem) {
      total += 1;
      if (named.length < problemsMax) named.push(shownProblem(problem));
    },
  };
}

export interface Remarks {
  readonly problems: readonly FileProblem[];
  readonly problemsTotal: number;
  /** What was lost, changed or not understood. */
  readonly warnings: readonly FileProblem[];
  readonly warningsTotal: number;
}

/** What became of a file. A name is in some formats only. */
export type FileReading<Document> =
  | (Remarks & { readonly status: 'read'; readonly document: Document; readonly name: string | null })
  | (Remarks & { readonly status: 'broken' });

export function remarksOf(problems: ProblemList, warnings: ProblemList): Remarks {
  return {
    problems: byLine(problems.named),
    problemsTotal: problems.total,
    warnings: byLine(warnings.named),
    warningsTotal: warnings.total,
  };
}

/** A file is mended from its beginning to its end, whenever each problem was found. */
export function byLine(remarks: readonly FileProblem[]): FileProblem[] {
  return remarks.toSorted((one, other) => one.line - other.line);
}
