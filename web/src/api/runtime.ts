import { answerHeaders, callerHeaders } from './names.generated.ts';
import { ApiProblem } from './problem.ts';

export interface ClientOptions {
  /** Without a trailing slash. Empty: the page's own origin. */
  readonly baseUrl?: string;
  readonly fetch?: Fetch;
  /** Sent with every call. A function is asked each time. */
  readonly headers?: Headers | (() => Headers);
  readonly timeoutMs?: number;
}

export interface CallOptions {
  readonly headers?: Headers;
  readonly signal?: AbortSignal;
  /** One key per intent, the same for every repetition of it. */
  readonly idempotencyKey?: string;
  readonly timeoutMs?: number;
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;
type Headers = Readonly<Record<string, string>>;

interface Input {
  readonly params?: object;
  readonly query?: object;
  readonly body?: unknown;
}

/** No call hangs: a phone that lost its network without noticing gets an answer after this long. */
const defaultTimeoutMs = 10_000;

/** Makes the one function that all methods of the generated client go through. */
export function createCaller(client: ClientOptions) {
  const send: Fetch = client.fetch ?? ((url, init) => fetch(url, init));

  // The generated interface states the result of each operation, and the server is tested to answer with nothing else.
  return async function call<Result>(
    method: string,
    path: string,
    input: Input | undefined,
    options: CallOptions = {},
  ): Promise<Result> {
    const deadline = startDeadline(options.timeoutMs ?? client.timeoutMs ?? defaultTimeoutMs, options.signal);
    try {
      const response = await send((client.baseUrl ?? '') + address(path, input), {
        method,
        headers: headersOf(client, options, input),
        credentials: 'same-origin',
        signal: deadline.signal,
        ...(input?.body === undefined ? {} : { body: isFile(input.body) ? input.body : JSON.stringify(input.body) }),
      });
      return (await readAnswer(response)) as Result;
    } catch (error) {
      if (error instanceof ApiProblem || options.signal?.aborted === true) throw error;
      const code = deadline.passed() ? 'NETWORK_TIMEOUT' : 'NETWORK_UNREACHABLE';
      throw new ApiProblem({ code, status: 0, cause: error });
    } finally {
      deadline.stop();
    }
  };
}

function address(path: string, input: Input | undefined): string {
  const params = new Map<string, unknown>(Object.entries(input?.params ?? {}));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params.get(name))));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input?.query ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) query.append(name, String(one));
  }
  return query.size === 0 ? filled : `${filled}?${query}`;
}

function headersOf(client: ClientOptions, options: CallOptions, input: Input | undefined): Record<string, string> {
  return {
    accept: 'application/json, application/problem+json',
    // A file says by itself what it is.
    ...(input?.body === undefined || isFile(input.body) ? {} : { [callerHeaders.contentType]: 'application/json' }),
    ...(options.idempotencyKey === undefined ? {} : { [callerHeaders.idempotencyKey]: options.idempotencyKey }),
    ...(typeof client.headers === 'function' ? client.headers() : client.headers),
    ...options.headers,
  };
}

function isFile(body: unknown): body is Blob {
  return body instanceof Blob;
}

async function readAnswer(response: Response): Promise<unknown> {
  const text = await response.text();
  const type = response.headers.get(callerHeaders.contentType) ?? '';
  const parsed = /[/+]json/.test(type) ? parse(text, response) : text;
  if (response.ok) return text === '' ? undefined : parsed;

  const document = typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  const retryAfter = Number(response.headers.get(answerHeaders.retryAfter) ?? Number.NaN);
  throw new ApiProblem({
    code: typeof document.code === 'string' ? document.code : `HTTP_${response.status}`,
    status: response.status,
    document,
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
  });
}

function parse(text: string, response: Response): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ApiProblem({ code: 'UNREADABLE_ANSWER', status: response.status, cause });
  }
}

/** `AbortSignal.any` would say this in one line, but phones from before 2024 do not have it. */
function startDeadline(timeoutMs: number, outer: AbortSignal | undefined) {
  const controller = new AbortController();
  let passed = false;
  const timer = setTimeout(() => {
    passed = true;
    controller.abort();
  }, timeoutMs);
  const abort = () => controller.abort(outer?.reason);
  if (outer?.aborted === true) abort();
  outer?.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    passed: () => passed,
    stop() {
      clearTimeout(timer);
      outer?.removeEventListener('abort', abort);
    },
  };
}
