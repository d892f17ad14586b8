import { createHash, createHmac } from 'node:crypto';
import { assert } from '#platform/assert.ts';

/**
 * A refresh token, drawn:
 *
 *   live ── presented ──▶ spent ── presented within the grace, successor live ──▶ the same successor again
 *    │                      ├───── presented within the grace, successor spent ─▶ superseded (nothing handed out)
 *    │                      └───── presented later ─────────────────────────────▶ REUSED: the family is revoked
 *    └── idle or absolute limit passes ──▶ expired
 *
 * A family (one sign-in) is a chain, never a tree: two tabs that refresh at once, or a client whose answer got lost,
 * get the *same* successor. So anyone else who holds a copy of the chain collides with its owner at the next rotation
 * and is noticed, which a second branch handed out during the grace would hide for ever.
 */
export interface RefreshPolicy {
  /** A token that is not used for so long expires. */
  readonly idleMs: number;
  /** A family ends after so long, however busy it was. */
  readonly absoluteMs: number;
  readonly graceMs: number;
}

const dayMs = 24 * 60 * 60_000;
export const refreshPolicy: RefreshPolicy = { idleMs: 14 * dayMs, absoluteMs: 30 * dayMs, graceMs: 10_000 };

/** A presented token as the store knows it, and the time by the store's own clock. */
export interface KnownToken {
  readonly nowMs: number;
  readonly expiresAtMs: number;
  readonly spentAtMs: number | null;
  readonly successorSalt: Buffer | null;
  readonly familyExpiresAtMs: number;
  readonly familyRevoked: boolean;
  readonly userDisabled: boolean;
}

export type RefreshVerdict =
  | { readonly kind: 'rotate' }
  | { readonly kind: 'repeat'; readonly successorSalt: Buffer }
  | { readonly kind: 'superseded' }
  | { readonly kind: 'reused' }
  | { readonly kind: 'refused'; readonly reason: 'revoked' | 'expired' | 'disabled' };

export function judgeRefresh(token: KnownToken, policy: RefreshPolicy): RefreshVerdict {
  const { nowMs, spentAtMs, successorSalt } = token;
  if (token.familyRevoked) return { kind: 'refused', reason: 'revoked' };
  if (token.userDisabled) return { kind: 'refused', reason: 'disabled' };
  if (token.expiresAtMs <= nowMs || token.familyExpiresAtMs <= nowMs) return { kind: 'refused', reason: 'expired' };
  if (spentAtMs === null) return { kind: 'rotate' };
  if (nowMs - spentAtMs > policy.graceMs) return { kind: 'reused' };
  return successorSalt === null ? { kind: 'superseded' } : { kind: 'repeat', successorSalt };
}

const tokenBytes = 32;
const tokenShape = /^[A-Za-z0-9_-]{43}$/;

export function isRefreshToken(text: string): boolean {
  return tokenShape.test(text);
}

export function encodeRefreshToken(bytes: Buffer): string {
  assert(bytes.length === tokenBytes, 'a refresh token has 256 bits');
  return bytes.toString('base64url');
}

/** The only form in which a token is stored. Without a salt and without stretching: 256 random bits need neither. */
export function hashRefreshToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/**
 * The next token of the chain. To anybody without the salt, which never leaves the store, it is 256 random bits; with
 * the salt and the spent token it can be made again, so that no token needs to be stored for the grace.
 */
export function deriveSuccessor(spentToken: string, salt: Buffer): string {
  assert(salt.length === tokenBytes, 'a successor salt has 256 bits');
  return encodeRefreshToken(createHmac('sha256', salt).update(spentToken).digest());
}
