import { authErrors } from '../errors.ts';

export interface FetchJsonOptions {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: URLSearchParams;
}

const timeoutMs = 5_000;
const bytesMax = 256 * 1024;

/**
 * One JSON object from a provider, within a time and a size; redirects are not followed, since they would carry our
 * client secret along. Whatever goes wrong is OIDC_PROVIDER_UNAVAILABLE, with the reason as its cause.
 */
export async function fetchJson({ url, method = 'GET', headers = {}, body }: FetchJsonOptions): Promise<FetchedJson> {
  try {
    const response = await fetch(url, {
      method,
      headers: { accept: 'application/json', ...headers },
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
      ...(body && { body }),
    });
    return { status: response.status, document: parseObject(await readBounded(response)) };
  } catch (cause) {
    throw authErrors.fault('OIDC_PROVIDER_UNAVAILABLE', { cause });
  }
}

export interface FetchedJson {
  readonly status: number;
  readonly document: Readonly<Record<string, unknown>>;
}

async function readBounded(response: Response): Promise<string> {
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

function parseObject(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('the answer is not a JSON object');
  // Just shown to be an object; its members are checked by whoever reads them.
  return value as Record<string, unknown>;
}
