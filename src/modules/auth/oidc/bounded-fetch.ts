import type { CustomFetch } from 'openid-client';
import { authErrors } from '../errors.ts';
import type { OidcLimits } from '../ports.ts';

/**
 * How openid-client reaches a provider: https only (http on this machine), within a time and a size, and an answer that is
 * not JSON of a usable status is OIDC_PROVIDER_UNAVAILABLE with the reason as its cause. Redirects are not followed, since
 * they would carry our client secret along.
 */
export function createBoundedFetch({ timeoutMs, bytesMax }: OidcLimits): CustomFetch {
  return async (url, { body, headers, method }) => {
    try {
      if (!isReachable(url)) throw new Error(`${url} is not an https address`);
      const response = await fetch(url, {
        method,
        headers,
        ...(body != null && { body }),
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await readText(response, bytesMax);
      if (!isUsable(method, response.status)) throw new Error(`${url} answered ${response.status}`);
      JSON.parse(text);
      return new Response(text, { status: response.status, headers: response.headers });
    } catch (cause) {
      throw authErrors.fault('OIDC_PROVIDER_UNAVAILABLE', { cause });
    }
  };
}

export function isReachable(address: string): boolean {
  return URL.canParse(address) && (new URL(address).protocol === 'https:' || isLocal(address));
}

/** http on this machine: a provider in tests. */
export function isLocal(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

/** What a provider publishes is there or it is not; its answer to a code may be a refusal, which the library reads. */
function isUsable(method: string, status: number): boolean {
  return status === 200 || (method === 'POST' && status >= 400 && status < 500);
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
