import { callerHeaders } from '#platform/http/names.ts';

export type TossAnswer =
  | { readonly status: 'ok'; readonly body: unknown }
  /** Toss's own word: a code. */
  | { readonly status: 'error'; readonly code: string; readonly message: string }
  /** Nothing that Toss said. What was asked for may have happened. */
  | { readonly status: 'silent'; readonly why: string };

export interface TossCall {
  readonly method: 'GET' | 'POST';
  /** With its query. */
  readonly path: string;
  readonly body?: object;
  readonly idempotencyKey?: string;
  readonly limitMs: number;
  readonly bytesMax: number;
}

export type TossHttp = (call: TossCall) => Promise<TossAnswer>;

const messageMax = 300;
const codeForm = /^[A-Z][A-Z0-9_]{2,80}$/;

/**
 * One call, within a time and a size. Redirects are not followed: they would carry the secret along. Nothing that is answered here has the
 * secret in it, whatever the other side sent.
 */
export function createTossHttp({ url, secretKey }: { url: string; secretKey: string }): TossHttp {
  const base = url.replace(/\/+$/, '');
  const basic = Buffer.from(`${secretKey}:`).toString('base64');
  const clean = (text: string) => text.replaceAll(basic, '…').replaceAll(secretKey, '…').slice(0, messageMax);

  return async ({ method, path, body, idempotencyKey, limitMs, bytesMax }) => {
    if (limitMs <= 0) return { status: 'silent', why: 'there was no time left to ask' };
    try {
      const response = await fetch(`${base}${path}`, {
        method,
        headers: {
          [callerHeaders.authorization]: `Basic ${basic}`,
          [callerHeaders.contentType]: 'application/json',
          ...(idempotencyKey !== undefined && { [callerHeaders.idempotencyKey]: idempotencyKey }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        redirect: 'manual',
        signal: AbortSignal.timeout(Math.ceil(limitMs)),
      });
      const text = await readText(response, bytesMax);
      return answerOf(response, text, clean);
    } catch (error) {
      return { status: 'silent', why: clean(whyOf(error, limitMs)) };
    }
  };
}

function answerOf(response: Response, text: string, clean: (text: string) => string): TossAnswer {
  const { status } = response;
  if (status >= 300 && status < 400) return { status: 'silent', why: `it was redirected (${status})` };
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { status: 'silent', why: `the answer (${status}) is no JSON` };
  }
  if (status === 200) return { status: 'ok', body };
  const { code, message } = Object(body) as { code?: unknown; message?: unknown };
  if (typeof code !== 'string' || !codeForm.test(code))
    return { status: 'silent', why: `answered ${status} without a code` };
  return { status: 'error', code, message: clean(typeof message === 'string' ? message : '') };
}

async function readText(response: Response, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    // Leaving the loop cancels the stream.
    if (size > bytesMax) throw new Error(`the answer is larger than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function whyOf(error: unknown, limitMs: number): string {
  if (!(error instanceof Error)) return 'it could not be asked';
  if (error.name === 'TimeoutError') return `no answer within ${Math.ceil(limitMs)} ms`;
  const cause = error.cause as { code?: unknown } | undefined;
  return typeof cause?.code === 'string' ? `it could not be asked: ${cause.code}` : error.message;
}
