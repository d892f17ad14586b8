import { createTextMac, shortMacLength } from './text-mac.ts';

/**
 * A short opaque string that only we can make: `kind.field.field.mac`. Cheaper than a JWT and without its options, for
 * what is checked at every poll. It says what it is (`kind` is part of the MAC) and never expires by itself; put a
 * time into the fields where one is needed. Letters, digits, `-`, `_`, `.` and `~` only: it needs no escaping anywhere.
 */
export interface SealedTickets {
  seal(fields: readonly (string | number | null)[]): string;
  /** The fields, or null if any bit is not ours. */
  open(ticket: string): SealedFields | null;
}

/** Read in the order in which they were sealed, by the kind that they were sealed as: a whole number, null or a text. */
export interface SealedFields {
  /** Sealed by another secret than the first: one that is going out of use, or one that is not in use everywhere yet. */
  readonly isOld: boolean;
  text(): string;
  number(): number | null;
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
      const end = ticket.length - shortMacLength - 1;
      if (ticket.length > ticketLengthMax || !ticket.startsWith(beginning) || ticket.charCodeAt(end) !== dot)
        return null;
      const sealed = ticket.slice(0, end);
      for (const mac of macs) {
        if (mac.stands(sealed, ticket, end + 1)) return new Fields(ticket, beginning.length, mac !== signing);
      }
      return null;
    },
  };
}

const dot = 46;
const tilde = 126;
const zero = 48;

/** Cut out of the ticket as they are asked for; a list of all of them would cost as much as a hash. */
class Fields implements SealedFields {
  readonly #ticket: string;
  #at: number;
  readonly isOld: boolean;
  constructor(ticket: string, at: number, isOld: boolean) {
    this.#ticket = ticket;
    this.#at = at;
    this.isOld = isOld;
  }

  text(): string {
    const from = this.#at;
    // Before the MAC there is a dot behind each of them.
    const to = this.#ticket.indexOf('.', from);
    this.#at = to + 1;
    if (this.#ticket.charCodeAt(from) !== tilde) return this.#ticket.slice(from, to);
    return Buffer.from(this.#ticket.slice(from + 1, to), 'base64url').toString();
  }

  number(): number | null {
    const from = this.#at;
    let value = 0;
    let code = this.#ticket.charCodeAt(from);
    for (; code !== dot; code = this.#ticket.charCodeAt(++this.#at)) value = value * 10 + (code - zero);
    return from === this.#at++ ? null : value;
  }
}

/** Identifiers and numbers as they are, which costs nothing to read; any other text encoded and marked. */
function written(field: string | number | null): string {
  if (field === null) return '';
  if (typeof field === 'number') {
    if (!Number.isSafeInteger(field) || field < 0) throw new Error(`${field} cannot be sealed`);
    return String(field);
  }
  return plain.test(field) ? field : `~${Buffer.from(field).toString('base64url')}`;
}

const plain = /^[\w-]*$/;
