import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deriveSuccessor, isRefreshToken, judgeRefresh, type KnownToken, refreshPolicy } from './refresh.ts';

const nowMs = Date.UTC(2030, 0, 1);
const salt = Buffer.alloc(32, 7);

function aToken(changes: Partial<KnownToken> = {}): KnownToken {
  return {
    nowMs,
    expiresAtMs: nowMs + 1,
    spentAtMs: null,
    successorSalt: null,
    familyExpiresAtMs: nowMs + 1,
    familyRevoked: false,
    userDisabled: false,
    ...changes,
  };
}

describe('a presented refresh token', () => {
  it.each<[string, Partial<KnownToken>, object]>([
    ['live: it is rotated', {}, { kind: 'rotate' }],
    ['at its end: it is expired', { expiresAtMs: nowMs }, { kind: 'refused', reason: 'expired' }],
    ['at the end of its family: it is expired', { familyExpiresAtMs: nowMs }, { kind: 'refused', reason: 'expired' }],
    ['of a revoked family: it is refused', { familyRevoked: true }, { kind: 'refused', reason: 'revoked' }],
    ['of a disabled user: it is refused', { userDisabled: true }, { kind: 'refused', reason: 'disabled' }],
    [
      'spent, at the last moment of the grace: the successor is given again',
      { spentAtMs: nowMs - refreshPolicy.graceMs, successorSalt: salt },
      { kind: 'repeat', successorSalt: salt },
    ],
    [
      'spent, one millisecond after the grace: it is reuse',
      { spentAtMs: nowMs - refreshPolicy.graceMs - 1, successorSalt: salt },
      { kind: 'reused' },
    ],
    ['spent, within the grace, successor spent too: nothing is given', { spentAtMs: nowMs }, { kind: 'superseded' }],
  ])('%s', (_name, changes, verdict) => {
    expect(judgeRefresh(aToken(changes), refreshPolicy)).toEqual(verdict);
  });

  it('yields a new token only if it is live or in its grace, and the family and the user are good', () => {
    const around = fc.integer({ min: nowMs - 20_000, max: nowMs + 20_000 });
    const token = fc.record<KnownToken>({
      nowMs: fc.constant(nowMs),
      expiresAtMs: around,
      spentAtMs: fc.option(fc.integer({ min: nowMs - 20_000, max: nowMs })),
      successorSalt: fc.option(fc.constant(salt)),
      familyExpiresAtMs: around,
      familyRevoked: fc.boolean(),
      userDisabled: fc.boolean(),
    });
    fc.assert(
      fc.property(token, (known) => {
        const { kind } = judgeRefresh(known, refreshPolicy);
        if (kind !== 'rotate' && kind !== 'repeat') return;
        expect(known.familyRevoked || known.userDisabled).toBe(false);
        expect(Math.min(known.expiresAtMs, known.familyExpiresAtMs)).toBeGreaterThan(nowMs);
        expect(kind === 'rotate').toBe(known.spentAtMs === null);
        if (known.spentAtMs !== null) expect(nowMs - known.spentAtMs).toBeLessThanOrEqual(refreshPolicy.graceMs);
      }),
    );
  });
});

describe('a successor', () => {
  const token = 'A'.repeat(43);

  it('is the same for the same token and salt, and is a token itself', () => {
    expect(deriveSuccessor(token, salt)).toBe(deriveSuccessor(token, Buffer.from(salt)));
    expect(isRefreshToken(deriveSuccessor(token, salt))).toBe(true);
  });

  it('is another one for another salt', () => {
    expect(deriveSuccessor(token, salt)).not.toBe(deriveSuccessor(token, Buffer.alloc(32, 8)));
  });
});
