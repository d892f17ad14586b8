import { createHash } from 'node:crypto';
import type { Database } from '#platform/postgres/database.ts';
import type { AttemptLimit, SignInLimits } from '../domain/sign-in-limits.ts';

export type AttemptOutcome = 'failed' | 'succeeded' | 'withdrawn';

export type BegunAttempt =
  | { readonly status: 'admitted'; close(outcome: AttemptOutcome): Promise<void> }
  | { readonly status: 'blocked'; readonly waitMs: number };

export interface SignInAttempts {
  /** `deviceId`: the browser has signed in to this account before. */
  begin(from: { email: string; address: string; deviceId?: string | null }): Promise<BegunAttempt>;
}

export function createSignInAttempts({
  database,
  limits,
}: {
  database: Database;
  limits: SignInLimits;
}): SignInAttempts {
  async function open(key: Buffer, limit: AttemptLimit): Promise<{ wait_ms: number; known: boolean }> {
    const { rows } = await database.query<{ wait_ms: number; known: boolean }>(
      'SELECT wait_ms, known FROM auth.open_attempt($1, $2, $3, $4)',
      [key, limit.pendingMax, limits.pendingMs, limits.forgetMs],
    );
    const [row] = rows;
    if (row === undefined) throw new Error('auth.open_attempt returned no row');
    return row;
  }

  async function close(key: Buffer, limit: AttemptLimit, outcome: AttemptOutcome): Promise<void> {
    const values = [key, outcome, limit.free, limit.firstWaitMs, limit.waitMaxMs, limits.knownMs];
    await database.query('SELECT auth.close_attempt($1, $2, $3, $4, $5, $6)', values);
  }

  /** Null: the browser has used up what it was trusted with. */
  async function beginByDevice(from: {
    email: string;
    address: string;
    deviceId: string;
  }): Promise<BegunAttempt | null> {
    const deviceKey = keyOf('device', from.email, from.deviceId);
    const device = await open(deviceKey, limits.device);
    if (device.wait_ms > 0) return null;
    return {
      status: 'admitted',
      async close(outcome) {
        await close(deviceKey, limits.device, outcome);
        if (outcome === 'succeeded') await rememberAddress(from);
      },
    };
  }

  /** Unless it is blocked: then a guesser is there as well, who must not be forgiven. */
  async function rememberAddress({ email, address }: { email: string; address: string }): Promise<void> {
    const pairKey = keyOf('pair', email, address);
    const pair = await open(pairKey, limits.pair);
    if (pair.wait_ms === 0) await close(pairKey, limits.pair, 'succeeded');
  }

  return {
    async begin({ email, address, deviceId = null }) {
      const byDevice = deviceId === null ? null : await beginByDevice({ email, address, deviceId });
      if (byDevice !== null) return byDevice;
      const pairKey = keyOf('pair', email, address);
      const pair = await open(pairKey, limits.pair);
      if (pair.wait_ms > 0) return { status: 'blocked', waitMs: pair.wait_ms };
      if (pair.known) return { status: 'admitted', close: (outcome) => close(pairKey, limits.pair, outcome) };

      const emailKey = emailAttemptKey(email);
      const wide = await open(emailKey, limits.email);
      if (wide.wait_ms > 0) {
        await close(pairKey, limits.pair, 'withdrawn');
        return { status: 'blocked', waitMs: wide.wait_ms };
      }
      return {
        status: 'admitted',
        async close(outcome) {
          await close(pairKey, limits.pair, outcome);
          // The user's own success says nothing about the failures of strangers.
          await close(emailKey, limits.email, outcome === 'succeeded' ? 'withdrawn' : outcome);
        },
      };
    },
  };
}

/** Under which failures for an email are counted, whatever their address. */
export function emailAttemptKey(email: string): Buffer {
  return keyOf('email', email);
}

function keyOf(...parts: string[]): Buffer {
  return createHash('sha256').update(parts.join('\0')).digest();
}
