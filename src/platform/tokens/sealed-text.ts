import { createTextMac, shortMacLength } from './text-mac.ts';

/**
 * A short opaque string that only we can make: `kind.field.field.mac`. Cheaper than a JWT and without its options, for
 * what is checked at every poll. It says what it is (`kind` is part of the MAC) and never expires by itself; put a
 * time into the fields where one is needed. Letters, digits, `-`, `_`, `.` and `~` only: it needs no escaping anywhere.
 */
export interface SealedTexts {
  seal(fields: readonly (string | number | null)[]): string;
  /** The fields, or null if any bit is not ours. */
  open(text: string): SealedFields | null;
}

/** Read in the order in which they were sealed, by the kind that they were sealed as: a whole number, null or a text. */
export interface SealedFields {
  /** Sealed by another secret than the first: one that is going out of use, or one that is not in use everywhere yet. */
  readonly isOld: boolean;
  text(): string;
  number(): number | null;
}

const sealedLengthMax = 1_024;

/** The first secret seals, all open. Each kind has a purpose of its own, which is part of its key: it never changes. */
export function createSealedTexts(options: { kind: string; purpose: string; secrets: readonly string[] }): SealedTexts {
  const { kind, purpose, secrets } = options;
  const macs = secrets.map((secret) => createTextMac({ secret, purpose, length: shortMacLength }));
  const [signing] = macs;
  if (signing === undefined) throw new Error(`no secret for sealed texts of kind ${kind}`);
  const beginning = `${kind}.`;
  return {
    seal(fields) {
      const sealed = [kind, ...fields.map(written)].join('.');
      return `${sealed}.${signing.of(sealed)}`;
    },
    open(text) {
      const end = text.length - shortMacLength - 1;
      if (text.length > sealedLengthMax || !text.startsWith(beginning) || text.charCodeAt(end) !== dot) return null;
      const sealed = text.slice(0, end);
      for (const mac of macs) {
        if (mac.stands(sealed, text, end + 1)) return new Fields(text, beginning.length, mac !== signing);
      }
      return null;
    },
  };
}

const dot = 46;
const tilde = 126;
const zero = 48;

/** Cut out of the text as they are asked for; a list of all of them would cost as much as a hash. */
class Fields implements SealedFields {
  readonly #sealed: string;
  #at: number;
  readonly isOld: boolean;
  constructor(text: string, at: number, isOld: boolean) {
    this.#sealed = text;
    this.#at = at;
    this.isOld = isOld;
  }

  text(): string {
    const from = this.#at;
    // Before the MAC there is a dot behind each of them.
    const to = this.#sealed.indexOf('.', from);
    this.#at = to + 1;
    if (this.#sealed.charCodeAt(from) !== tilde) return this.#sealed.slice(from, to);
    return Buffer.from(this.#sealed.slice(from + 1, to), 'base64url').toString();
  }

  number(): number | null {
    const from = this.#at;
    let value = 0;
    let code = this.#sealed.charCodeAt(from);
    for (; code !== dot; code = this.#sealed.charCodeAt(++this.#at)) value = value * 10 + (code - zero);
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
