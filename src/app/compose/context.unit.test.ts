import { expect, it } from 'vitest';
import { authInternalCalls } from '#modules/auth/contract.ts';
import { createIds } from '#platform/ids.ts';
import type { ModuleInstance } from '#platform/module.ts';
import { systemRandom } from '#platform/random.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { createMetrics } from '#platform/telemetry/metrics.ts';
import { aClock } from '#test/kit/clock.ts';
import { loadConfig } from '../config.ts';
import type { RoleName } from '../roles.ts';
import { createModuleContext } from './context.ts';

const users = [{ id: 'a', name: 'Ara', role: 'buyer', email: 'ara@example.com' }];

it('a module may ask one that is made after it', async () => {
  const made = new Map<RoleName, ModuleInstance>();
  const auth = aContext(['catalog', 'auth'], made).client('auth', authInternalCalls);
  await expect(auth.usersById({ ids: ['a'] })).rejects.toThrow('not made yet');
  made.set('auth', { handlers: {}, internal: { usersById: async () => ({ users }) }, consumers: [], jobs: [] });
  expect(await auth.usersById({ ids: ['a'] })).toEqual({ users });
});

it('a role that runs nowhere is named before anything starts', () => {
  const context = aContext(['catalog'], new Map());
  expect(() => context.client('auth', authInternalCalls)).toThrow(
    'the role auth runs neither here nor at a configured',
  );
});

function aContext(roles: readonly RoleName[], made: ReadonlyMap<RoleName, ModuleInstance>) {
  const secret = (name: string) => name.repeat(32);
  const { config } = loadConfig({
    URR_ACCESS_TOKEN_SECRET: secret('a'),
    URR_QUEUE_ENTRY_TOKEN_SECRET: secret('b'),
    URR_INTERNAL_SECRET: secret('c'),
  });
  const clock = aClock();
  const engines = { database: null, redis: null, bus: null, schemaProblem: null };
  const shared = { clock, ids: createIds({ clock, random: systemRandom }), random: systemRandom, logger: silentLogger };
  return createModuleContext({ config, roles, engines, ...shared, metrics: createMetrics({}) }, made);
}
