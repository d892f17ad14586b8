import { createTextMac, shortMacLength } from './text-mac.ts';

/**
 * A short opaque string that only we can make: `kind.field.field.mac`. Cheaper than a JWT and without its options, for
 * what is checked at every poll. It says what it is (`kind` is part of the MAC) and never expires by itself; put a
 * time into the fields where one is needed. Letters, digits, `-`, `_`, `.` and `~` only: it needs no escaping anywhere.
 */
export interface SealedTickets {
  seal(fields: readonly string[]): string;
  /** The fields, or null if any bit is not ours. */
  open(ticket: string): string[] | null;
}

const ticketLengthMax = 1_024;

/** The first secret seals, all open. */
export function createSealedTickets({ kind, secrets }: { kind: string; secrets: readonly string[] }): SealedTickets {
  const macs = secrets.map((secret) =>
    createTextMac({ secret, purpose: `urr ticket ${kind}`, length: shortMacLength }),
  );
  const [signing] = macs;
  if (signing === undefined) throw new Error(`no secret for tickets of kind ${kind}`);
  const beginning = `${kind}.`;
  return {
    seal(fields) {
      const sealed = [kind, ...fields.map(written)].join('.');
      return `${sealed}.${signing.of(sealed)}`;
    },
    open(ticket) {
      if (ticket.length > ticketLengthMax || !ticket.startsWith(beginning)) return null;
      const end = ticket.length - shortMacLength - 1;
      if (ticket.charCodeAt(end) !== dot) return null;
      const sealed = ticket.slice(0, end);
      const mac = ticket.slice(end + 1);
      if (!macs.some((each) => each.matches(sealed, mac))) return null;
      // The MAC is ours, so these are the fields that `seal` wrote.
      const fields = sealed.split('.');
      fields.shift();
      for (let at = 0; at < fields.length; at++) {
        const field = fields[at];
        if (field?.charCodeAt(0) === tilde) fields[at] = Buffer.from(field.slice(1), 'base64url').toString();
      }
      return fields;
    },
  };
}

const dot = 46;
const tilde = 126;

/** Identifiers and numbers as they are, which costs nothing to read; anything else encoded and marked. */
function written(field: string): string {
  return plain.test(field) ? field : `~${Buffer.from(field).toString('base64url')}`;
}

const plain = /^[\w-]*$/;
