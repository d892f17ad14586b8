import { createHash } from 'node:crypto';

/**
 * What a ticket's QR code says: `urr1.` and base64url of
 *
 *     key id (6 bytes) · event (16) · ticket (16) · version (2, big endian) · Ed25519 signature of all before, prefix included (64)
 *
 * 144 characters: a QR code of 49 × 49 modules at the second level of error correction, which a phone reads at arm's length. It
 * names nobody, and anyone who has a public key can check it without a network.
 */
export interface TicketClaims {
  readonly kid: string;
  readonly eventId: string;
  readonly ticketId: string;
  /** A ticket that was sold on has a higher one; codes with a lower one are void. */
  readonly version: number;
}

/** Read, and not yet believed: whether `signature` is that of `signed` is for the holder of the key to say. */
export interface UnverifiedCode {
  readonly claims: TicketClaims;
  readonly signed: Buffer;
  readonly signature: Buffer;
}

const prefix = 'urr1.';
const kidBytes = 6;
const claimsBytes = kidBytes + 16 + 16 + 2;
const signatureBytes = 64;
/** Stands for "none is good" in the list of revoked tickets. */
export const noVersion = 65_535;

/** The name of a key: the beginning of the hash of its public half, so that a key has one name wherever it is configured. */
export function keyIdOf(publicKey: Uint8Array): string {
  return createHash('sha256').update(publicKey).digest().subarray(0, kidBytes).toString('base64url');
}

/** What is signed. The prefix is part of it, so that a signature never counts for another kind or form of code. */
export function signedPartOf({ kid, eventId, ticketId, version }: TicketClaims): Buffer {
  const versionBytes = Buffer.alloc(2);
  versionBytes.writeUInt16BE(version);
  const claims = [Buffer.from(kid, 'base64url'), idBytes(eventId), idBytes(ticketId), versionBytes];
  return Buffer.concat([Buffer.from(prefix), ...claims]);
}

export function formatCode(signed: Buffer, signature: Buffer): string {
  const body = Buffer.concat([signed.subarray(prefix.length), signature]);
  return prefix + body.toString('base64url');
}

/** Null: damaged, or not one of ours. Scanners that act as keyboards may put a space or a line end around it. */
export function parseCode(text: string): UnverifiedCode | null {
  const code = text.trim();
  if (!code.startsWith(prefix)) return null;
  const encoded = code.slice(prefix.length);
  const bytes = Buffer.from(encoded, 'base64url');
  if (bytes.length !== claimsBytes + signatureBytes) return null;
  // Decoding passes over what it does not know. One ticket has one code, so any other spelling of the same bytes is none.
  if (bytes.toString('base64url') !== encoded) return null;
  const version = bytes.readUInt16BE(claimsBytes - 2);
  if (version === 0 || version === noVersion) return null;
  return {
    claims: {
      kid: bytes.subarray(0, kidBytes).toString('base64url'),
      eventId: idText(bytes.subarray(kidBytes, kidBytes + 16)),
      ticketId: idText(bytes.subarray(kidBytes + 16, kidBytes + 32)),
      version,
    },
    signed: Buffer.concat([Buffer.from(prefix), bytes.subarray(0, claimsBytes)]),
    signature: bytes.subarray(claimsBytes),
  };
}

/** A UUID as its 16 bytes, and back. */
export function idBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

function idText(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
