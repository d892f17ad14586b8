import { hash } from 'node:crypto';
import { platformErrors } from '../errors.ts';

/** What a signature says about the body of its call; empty: it has none. */
export function bodyDigest(body: string | Uint8Array | null): string {
  return body === null || body.length === 0 ? noBody : hash('sha256', body, 'base64url');
}

const noBody = '';
/** By incoming message. */
const claims = new WeakMap<object, string>();

/** Headers come before the body: their signature stands, and the body is held to it when it is there. */
export function expectBody(request: object, digest: string): void {
  claims.set(request, digest);
}

/** Asked with the whole body before it is parsed. A call without a signature proves nothing, and need not. */
export function provesBody(request: object, body: Uint8Array): boolean {
  const claimed = claims.get(request);
  if (claimed === undefined) return true;
  if (claimed !== bodyDigest(body)) return false;
  claims.delete(request);
  return true;
}

/** Asked before the handler: the body that was signed never came, or was never compared. */
export function missesBody(request: object): boolean {
  return (claims.get(request) ?? noBody) !== noBody;
}

export function unproven(): Error {
  return platformErrors.fault('UNAUTHENTICATED', { detail: 'The body is not the one that was signed.' });
}
