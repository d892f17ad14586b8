import { ApiProblem, type FieldProblem } from '../api/problem.ts';
import type { Messages } from '../i18n/ko.ts';

export interface ProblemText {
  readonly code: string;
  readonly text: string;
}

/** What went wrong in the reader's language, and the code to quote to support. */
export function problemText(error: unknown, t: Messages): ProblemText {
  if (!(error instanceof ApiProblem)) return { code: 'PAGE', text: t.problems.fallback };
  const texts: Readonly<Record<string, string>> = t.problems;
  const text = texts[error.code] ?? t.problems.fallback;
  const wait = error.retryAfterSeconds;
  const worthSaying = wait !== undefined && wait > 2;
  return { code: error.code, text: worthSaying ? `${text} ${t.states.waitSeconds(wait)}` : text };
}

/** The server's complaint about one field of a form. */
export function problemOfField(error: unknown, field: string): FieldProblem | undefined {
  if (!(error instanceof ApiProblem)) return undefined;
  return error.errors.find((problem) => problem.field === field || problem.field.endsWith(`.${field}`));
}
