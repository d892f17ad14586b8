/** One refused field of a request. */
export interface FieldProblem {
  /** Where it is, as the server names it: `email`, `prices.0.priceKrw`. */
  readonly field: string;
  readonly message: string;
}

/**
 * A call that did not succeed: an RFC 9457 document from the server, or a failure on the way there (`status` 0), which is
 * NETWORK_UNREACHABLE or NETWORK_TIMEOUT; an answer that is not what it says it is, is UNREADABLE_ANSWER.
 */
export class ApiProblem extends Error {
  readonly code: string;
  readonly status: number;
  readonly detail: string | undefined;
  readonly errors: readonly FieldProblem[];
  readonly retryAfterSeconds: number | undefined;
  /** All members of the document, for those that a code adds. */
  readonly document: Readonly<Record<string, unknown>>;

  constructor(options: {
    readonly code: string;
    readonly status: number;
    readonly document?: Readonly<Record<string, unknown>>;
    readonly retryAfterSeconds?: number | undefined;
    readonly cause?: unknown;
  }) {
    const document = options.document ?? {};
    super(`${options.status} ${options.code}`, { cause: options.cause });
    this.name = 'ApiProblem';
    this.code = options.code;
    this.status = options.status;
    this.document = document;
    this.detail = typeof document.detail === 'string' ? document.detail : undefined;
    this.errors = fieldProblems(document.errors);
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

export function isProblem(error: unknown, code?: string): error is ApiProblem {
  return error instanceof ApiProblem && (code === undefined || error.code === code);
}

/** The request never got an answer, so asking again may simply work. */
export function isUnreachable(error: unknown): boolean {
  return isProblem(error, 'NETWORK_UNREACHABLE') || isProblem(error, 'NETWORK_TIMEOUT');
}

function fieldProblems(errors: unknown): FieldProblem[] {
  if (!Array.isArray(errors)) return [];
  return errors.flatMap((error: unknown) => {
    if (typeof error !== 'object' || error === null) return [];
    const { field, message } = error as { field?: unknown; message?: unknown };
    return typeof field === 'string' && typeof message === 'string' ? [{ field, message }] : [];
  });
}
