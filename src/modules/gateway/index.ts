import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Job, ModuleDescription, ModuleInstance } from '#platform/module.ts';
import { withoutVersion } from './domain/path.ts';
import { gatewayErrors } from './errors.ts';
import { type GatewayOptions, installGateway } from './install.ts';

export type { RateLimit, RateLimits } from './domain/rate-limits.ts';
export { type GatewayOptions, installGateway } from './install.ts';
export type {
  AccessClaims,
  EdgeAnswer,
  EdgeCall,
  EdgeDecision,
  EntryClaims,
  EntryDenySet,
  ProtectedCalls,
  TokenVerifier,
} from './ports.ts';

export const gatewayDescription: ModuleDescription = {
  name: 'gateway',
  summary: 'The one door: identity, rate limits, entry checks, routing to the other roles, pages.',
  routes: {},
  internalCalls: {},
  errors: gatewayErrors.table,
  topics: [],
  consumers: [],
  migrations: null,
};

/** Given to the server when it is made, since routing comes before any hook. */
export function rewriteUrl(request: IncomingMessage): string {
  return withoutVersion(request.url ?? '/');
}

export interface Gateway extends ModuleInstance {
  /** Before any route is registered on this server. */
  install(app: FastifyInstance): Promise<void>;
}

export function createGateway({ jobs = [], ...options }: GatewayOptions & { readonly jobs?: readonly Job[] }): Gateway {
  return { handlers: {}, internal: {}, consumers: [], jobs, install: (app) => installGateway(app, options) };
}
