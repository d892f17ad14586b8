import { type AuthInstance, createAuth, type Keeper } from '#modules/auth/index.ts';
import { personalDataCalls } from '#platform/personal-data-calls.ts';
import { authConfig } from '../auth-config.ts';
import type { ModuleContext } from './context.ts';

/** Who keeps something of a user. Ticketing comes before payments: it knows of refunds that payments has not heard of yet. */
const keeperRoles = ['ticketing', 'payments', 'queue', 'catalog'] as const;

export function composeAuth({ shared, durable, accessTokens, config, optionalClient }: ModuleContext): AuthInstance {
  const keepers = keeperRoles.map((role): Keeper => ({ module: role, calls: optionalClient(role, personalDataCalls) }));
  return createAuth({ ...shared, ...durable(), accessTokens, keepers, config: authConfig(config) });
}
