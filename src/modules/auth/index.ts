import { bindHandlers } from '#platform/http/contract.ts';
import type { InternalHandlers } from '#platform/internal-call.ts';
import type { ModuleDescription, ModuleInstance } from '#platform/module.ts';
import { authErrors } from './errors.ts';
import { authInternalCalls } from './internal-calls.ts';
import { purgeJob } from './jobs/purge.ts';
import { authRoutes } from './routes/contracts.ts';
import { createHandlers } from './routes/handlers.ts';
import { type AuthService, type AuthServiceDeps, createAuthService } from './service/index.ts';
import { userEventsTopic } from './topics.ts';

export { passwordCostDefault } from './domain/password-hash.ts';
export { authErrors } from './errors.ts';
export { authInternalCalls } from './internal-calls.ts';
export {
  type AccessClaims,
  type AuthConfig,
  type AuthDeps,
  hashingDefaults,
  type OidcConfig,
  type OidcProviderConfig,
} from './ports.ts';
export { authRoutes } from './routes/contracts.ts';
export { type AuthService, createAuthService } from './service/index.ts';
export type { SeedUser } from './service/seed.ts';
export { userEventsTopic } from './topics.ts';

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
    jobs: [purgeJob(deps)],
  };
}
