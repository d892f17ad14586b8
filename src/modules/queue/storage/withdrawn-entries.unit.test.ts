import { expect, test } from 'vitest';
import { platformErrors } from '#platform/errors.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { createWithdrawnEntries } from './withdrawn-entries.ts';

test('while PostgreSQL is away nobody counts as withdrawn: who entered must not wait for that', async () => {
  const query = () => Promise.reject(platformErrors.fault('DATABASE_UNAVAILABLE'));
  const withdrawn = createWithdrawnEntries({ database: { query }, logger: silentLogger });
  const entry = { userId: 'ann', requestedAtMs: 1 };
  expect((await withdrawn.among('show', [entry]))(entry)).toBe(false);
});
