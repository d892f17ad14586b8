import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * A short opaque string that only we can make: `kind.payload.mac`. Cheaper than a JWT and without its options, for
 * what is checked at every poll. It says what it is (`kind` is part of the MAC) and never expires by itself; put a
 * time into the fields where one is needed.
 */
export interface SealedTickets {
  seal(fields: readonly string[]): string;
  /** The fields, or null if any bit is not ours. */
  open(ticket: string): string[] | null;
}

const macBytes = 16;
const ticketLengthMax = 1_024;

export function createSealedTickets({ kind, secrets }: { kind: string; secrets: readonly string[] }): SealedTickets {
  const [signing] = secrets;
  if (signing === undefined) throw new Error(`no secret for tickets of kind ${kind}`);
  const mac = (secret: string, payload: string) =>
    createHmac('sha256', secret).update(`${kind}.${payload}`).digest().subarray(0, macBytes);
  return {
    seal(fields) {
      const payload = Buffer.from(JSON.stringify(fields)).toString('base64url');
      return `${kind}.${payload}.${mac(signing, payload).toString('base64url')}`;
    },
    open(ticket) {
      if (ticket.length > ticketLengthMax) return null;
      const [givenKind, payload, givenMac, ...rest] = ticket.split('.');
      if (givenKind !== kind || payload === undefined || givenMac === undefined || rest.length > 0) return null;
      const given = Buffer.from(givenMac, 'base64url');
      // base64url has several spellings of the same bytes; only the one that we write is ours.
      if (given.length !== macBytes || given.toString('base64url') !== givenMac) return null;
      if (!secrets.some((secret) => timingSafeEqual(mac(secret, payload), given))) return null;
      // The MAC is ours, so the payload is what `seal` wrote.
      return JSON.parse(Buffer.from(payload, 'base64url').toString()) as string[];
    },
  };
}
