import { describe, expect, test } from 'vitest';
import { ApiProblem } from './problem.ts';
import { createCaller, type Fetch } from './runtime.ts';

describe('a call', () => {
  test('fills the path, leaves unset filters out and escapes both', async () => {
    const seen: string[] = [];
    const call = createCaller({ baseUrl: 'http://urr.test', fetch: answering(200, {}, { seen }) });
    await call('GET', '/api/events/{eventId}', {
      params: { eventId: 'a/b' },
      query: { q: '우르르 &', status: undefined, tag: ['x', 'y'] },
    });
    expect(seen).toEqual(['GET http://urr.test/api/events/a%2Fb?q=%EC%9A%B0%EB%A5%B4%EB%A5%B4+%26&tag=x&tag=y']);
  });

  test('returns the parsed body, and nothing for 204', async () => {
    expect(await createCaller({ fetch: answering(200, { id: 1 }) })('GET', '/', undefined)).toEqual({ id: 1 });
    expect(await createCaller({ fetch: answering(204, undefined) })('POST', '/', undefined)).toBeUndefined();
  });

  test('throws the problem that the server names', async () => {
    const document = {
      code: 'VALIDATION_FAILED',
      detail: 'No.',
      errors: [{ field: 'email', message: 'is not an address' }],
    };
    const problem = await failureOf(createCaller({ fetch: answering(400, document) }));
    expect(problem).toMatchObject({ code: 'VALIDATION_FAILED', status: 400, detail: 'No.', errors: document.errors });
  });

  test('says how long to wait', async () => {
    const fetch = answering(503, { code: 'DATABASE_UNAVAILABLE' }, { headers: { 'retry-after': '2' } });
    expect(await failureOf(createCaller({ fetch }))).toMatchObject({ status: 503, retryAfterSeconds: 2 });
  });

  test('names an answer that a proxy made up by its status', async () => {
    const fetch: Fetch = async () =>
      new Response('<h1>Bad gateway</h1>', { status: 502, headers: { 'content-type': 'text/html' } });
    expect(await failureOf(createCaller({ fetch }))).toMatchObject({ code: 'HTTP_502', status: 502 });
  });

  test('is an unreadable answer when the JSON is cut off', async () => {
    const fetch: Fetch = async () => new Response('{"a":', { headers: { 'content-type': 'application/json' } });
    expect(await failureOf(createCaller({ fetch }))).toMatchObject({ code: 'UNREADABLE_ANSWER' });
  });

  test('is unreachable when no answer comes', async () => {
    const fetch: Fetch = () => Promise.reject(new TypeError('fetch failed'));
    expect(await failureOf(createCaller({ fetch }))).toMatchObject({ code: 'NETWORK_UNREACHABLE', status: 0 });
  });

  test('ends at its deadline', async () => {
    expect(await failureOf(createCaller({ fetch: hanging, timeoutMs: 5 }))).toMatchObject({ code: 'NETWORK_TIMEOUT' });
  });

  test('that its caller gave up is no problem to show', async () => {
    const controller = new AbortController();
    const call = createCaller({ fetch: hanging })('GET', '/', undefined, { signal: controller.signal });
    controller.abort(new Error('the page was left'));
    await expect(call).rejects.toThrow('the page was left');
  });
});

const hanging: Fetch = (_, init) =>
  new Promise((_resolve, reject) => {
    init.signal?.addEventListener('abort', () => reject(init.signal?.reason));
  });

function answering(
  status: number,
  body: unknown,
  options: { seen?: string[]; headers?: Record<string, string> } = {},
): Fetch {
  return async (url, init) => {
    options.seen?.push(`${init.method} ${url}`);
    const text = body === undefined ? null : JSON.stringify(body);
    return new Response(text, { status, headers: { 'content-type': 'application/json', ...options.headers } });
  };
}

async function failureOf(call: ReturnType<typeof createCaller>): Promise<ApiProblem> {
  const outcome: unknown = await call('GET', '/', undefined).catch((error: unknown) => error);
  if (!(outcome instanceof ApiProblem)) throw new Error(`expected a problem, got ${String(outcome)}`);
  return outcome;
}
