import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Job, ModuleDescription, ModuleInstance } from '#platform/module.ts';
import { withoutPrefix } from './domain/path.ts';
import { gatewayErrors } from './errors.ts';
import { type GatewayOptions, installGateway } from './install.ts';

export type { RateLimit, RateLimits } from './domain/rate-limits.ts';
export { type GatewayOptions, installGateway } from './install.ts';

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
  return withoutPrefix(request.url ?? '/');
}

export interface Gateway extends ModuleInstance {
  /** Before any route is registered on this server. */
  install(app: FastifyInstance): Promise<void>;
}

/** What the gateway's ports need to be run and stopped with it, where they have no module of their own here. */
export interface GatewayUpkeep {
  readonly jobs?: readonly Job[];
  readonly stop?: () => Promise<void>;
}

export function createGateway({ jobs = [], stop, ...options }: GatewayOptions & GatewayUpkeep): Gateway {
  const install = (app: FastifyInstance) => installGateway(app, options);
  return { handlers: {}, internal: {}, consumers: [], jobs, install, ...(stop && { stop }) };
}
