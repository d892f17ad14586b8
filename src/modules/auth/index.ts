import { bindHandlers } from '#platform/http/contract.ts';
import type { InternalHandlers } from '#platform/internal-call.ts';
import type { ModuleDescription, ModuleInstance } from '#platform/module.ts';
import { authInternalCalls, authRoutes, userEventsTopic } from './contract.ts';
import { authErrors } from './errors.ts';
import { erasuresJob } from './jobs/erasures.ts';
import { purgeJob } from './jobs/purge.ts';
import { createHandlers } from './routes/handlers.ts';
import { type AuthService, type AuthServiceDeps, createAuthService } from './service/index.ts';

export { passwordCostDefault } from './domain/password-hash.ts';
export {
  type AccessClaims,
  type AuthConfig,
  type AuthDeps,
  hashingDefaults,
  type Keeper,
  type OidcConfig,
  type OidcProviderConfig,
  oidcLimitsDefault,
} from './ports.ts';
export type { AuthService } from './service/index.ts';
export type { SeedUser } from './service/seed.ts';

export const authDescription: ModuleDescription = {
  name: 'auth',
  summary: 'Users, sign-in, sessions and roles.',
  routes: authRoutes,
  internalCalls: authInternalCalls,
  errors: authErrors.table,
  topics: [userEventsTopic],
  consumers: [],
  migrations: new URL('./migrations/', import.meta.url),
};

export interface AuthInstance extends ModuleInstance {
  /** For what runs beside HTTP: demonstration data, commands. */
  readonly service: AuthService;
}

export function createAuth(deps: AuthServiceDeps): AuthInstance {
  const service = createAuthService(deps);
  const internal: InternalHandlers<typeof authInternalCalls> = {
    async usersById({ ids }) {
      const users = await service.findMany([...new Set(ids)]);
      return { users: users.map(({ id, name, role, email }) => ({ id, name, role, email })) };
    },
  };
  return {
    service,
    handlers: bindHandlers(authRoutes, createHandlers({ ...deps, service })),
    internal,
    consumers: [],
    jobs: [purgeJob(deps), erasuresJob(deps)],
  };
}
