import type { IncomingHttpHeaders } from 'node:http';
import { platformErrors } from '#platform/errors.ts';
import { callerHeaders } from '#platform/http/names.ts';
import { fingerprintOf, idempotencyKeyPattern } from '#platform/idempotency.ts';

const keyForm = new RegExp(idempotencyKeyPattern);

/** The caller's Idempotency-Key with a fingerprint of what it was sent with; null: none was sent. */
export function intentOf({ headers, body }: { headers: IncomingHttpHeaders; body: unknown }) {
  const key = headers[callerHeaders.idempotencyKey];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !keyForm.test(key)) {
    const field = `headers.${callerHeaders.idempotencyKey}`;
    const message = 'must be 1 to 200 visible ASCII characters';
    throw platformErrors.fault('VALIDATION_FAILED', {
      detail: `${field} ${message}`,
      extensions: { errors: [{ field, message }] },
    });
  }
  return { key, print: fingerprintOf(body) };
}
