import { type KeyObject, sign, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { assert } from '#platform/assert.ts';
import { formatCode, parseCode, signedPartOf, type TicketClaims } from '../domain/ticket-code.ts';
import type { TicketKey } from '../ports.ts';
import { privateKeyOf, publicKeyOf, rawPublicKey } from './ticket-keys.ts';

export interface TicketCodes {
  /** Signed with the first key. The same ticket has the same code until the key changes. */
  codeOf(ticket: Omit<TicketClaims, 'kid'>): string;
  /** Null: damaged, forged, or signed with a key that is not in the list. */
  read(code: string): Promise<TicketClaims | null>;
  /** For scanners without a network. */
  readonly publicKeys: readonly { readonly kid: string; readonly publicKey: string }[];
}

/** In Node's pool of threads: a sync brings hundreds of codes, and checking them here would stop everybody else. */
const verifyAside = promisify<null, Buffer, KeyObject, Buffer, boolean>(verify);

export function createTicketCodes(keys: readonly TicketKey[]): TicketCodes {
  const [first] = keys;
  assert(first !== undefined, 'there is no key to sign tickets with');
  const signingKey = privateKeyOf(first.seed);
  const publicKeys = keys.map(({ kid, seed }) => ({
    kid,
    publicKey: rawPublicKey(privateKeyOf(seed)).toString('base64url'),
  }));
  const verifying = new Map(
    publicKeys.map(({ kid, publicKey }) => [kid, publicKeyOf(Buffer.from(publicKey, 'base64url'))]),
  );
  return {
    publicKeys,
    codeOf(ticket) {
      const signed = signedPartOf({ kid: first.kid, ...ticket });
      return formatCode(signed, sign(null, signed, signingKey));
    },
    async read(text) {
      const code = parseCode(text);
      const key = code === null ? undefined : verifying.get(code.claims.kid);
      if (code === null || key === undefined) return null;
      return (await verifyAside(null, code.signed, key, code.signature)) ? code.claims : null;
    },
  };
}
