import { systemClock } from '#platform/clock.ts';
import { createInternalSignature } from '#platform/http/internal-signature.ts';
import { createIds } from '#platform/ids.ts';
import { systemRandom } from '#platform/random.ts';
import type { RawCall } from '#test/kit/raw-http.ts';
import { testSecrets } from '#test/kit/secrets.ts';

const ids = createIds({ clock: systemClock, random: systemRandom });
const signature = createInternalSignature({
  secrets: [testSecrets.URR_INTERNAL_SECRET],
  clock: systemClock,
  roles: [],
});

export interface Wanted {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly eventId: string;
  readonly body?: object;
}

/**
 * A call of somebody new with a slot, as the gateway hands it on to a role that runs elsewhere. Good for one use within 15 s, so calls
 * are made right before they are sent.
 */
export function aCall({ method, path, eventId, body }: Wanted): RawCall & { readonly headers: Record<string, string> } {
  const userId = ids.next();
  const text = body === undefined ? null : JSON.stringify(body);
  const headers = signature.sign({
    ...{ role: 'ticketing', method, path, body: text },
    ...{ user: { userId, email: `${userId}@urr.test`, role: 'buyer' }, slots: [{ eventId, slotId: ids.next() }] },
  });
  if (text === null) return { method, path, headers };
  return { method, path, headers: { ...headers, 'content-type': 'application/json' }, body: text };
}

/** The same as bytes. */
export function aRequest(wanted: Wanted): string {
  const { method, path, headers, body } = aCall(wanted);
  const text = typeof body === 'string' ? body : '';
  const lines = Object.entries({ host: 'bench', ...headers, ...(text !== '' && { 'content-length': text.length }) });
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${text}`;
}

/** Bodies and ids are ASCII, so a character is a byte. */
export function holdRequests(eventId: string, seatIds: readonly string[]): string[] {
  return seatIds.map((seatId) =>
    aRequest({ method: 'POST', path: '/api/seats/reserve', eventId, body: { eventId, seatIds: [seatId] } }),
  );
}
