import type { FastifyInstance } from 'fastify';
import type { Clock } from '#platform/clock.ts';
import { platformErrors } from '#platform/errors.ts';
import { type CollectedBodies, collectBodies, createCollectedBodies } from '#platform/http/collected-bodies.ts';
import { enforceEntry } from '#platform/http/entry.ts';
import { type InternalSignature, stripInternalHeaders } from '#platform/http/internal-signature.ts';
import { registerRoute } from '#platform/http/routes.ts';
import type { ModuleDescription, PageDeclaration } from '#platform/module.ts';
import type { Redis } from '#platform/redis/port.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import type {
  AccessClaims,
  EdgeDecision,
  EntryClaims,
  EntryDenySet,
  ProtectedCalls,
  TokenVerifier,
  WaitingTicketHolder,
} from './contract.ts';
import { allowOrigins } from './cors.ts';
import { isMalformedPath } from './domain/path.ts';
import type { RateLimits } from './domain/rate-limits.ts';
import { createAskEdge } from './edge.ts';
import { createEntries } from './entries.ts';
import { createIdentify } from './identify.ts';
import { servePages } from './pages.ts';
import { watchProtectedRoute } from './protected-route.ts';
import { createRateLimiters } from './rate-limiter.ts';
import { createRemote, type RemoteLimits } from './remote.ts';
import { createExpressGuard, createRouteFilter, type FilterParts } from './route-filter.ts';

export interface GatewayOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly accessTokens: TokenVerifier<AccessClaims>;
  readonly entryTokens: TokenVerifier<EntryClaims>;
  readonly signature: InternalSignature;
  readonly rateLimits: RateLimits;
  /** Shares the limits of the costly classes between processes. Null: each process counts for itself. */
  readonly redis: Redis | null;
  /** This site's own origins, `https://tickets.example`. None: the host that was asked for. */
  readonly publicOrigins: readonly string[];
  /** Other origins whose pages may call the API with credentials. */
  readonly corsOrigins: readonly string[];
  /** Modules that run elsewhere; no address: nowhere that we know of. Those of this process register their own routes. */
  readonly remotes: readonly { readonly description: ModuleDescription; readonly url: string | null }[];
  readonly remoteTimeoutMs?: number;
  readonly remoteLimits?: Partial<RemoteLimits>;
  /** Folder of the built pages. Null: no pages here. */
  readonly pagesFolder: string | null;
  /** Pages with a content security policy of their own, of all modules. */
  readonly pages?: readonly PageDeclaration[];
  /** In front of pages and calls. None: nobody is asked, and it costs nothing. */
  readonly edge?: EdgeDecision;
  readonly waitingTicketHolder?: WaitingTicketHolder;
  readonly deniedEntries?: EntryDenySet;
  readonly protectedCalls?: ProtectedCalls;
}

const remoteTimeoutDefaultMs = 5_000;
const nothingDenied: EntryDenySet = { has: () => false };
const noTickets: WaitingTicketHolder = () => null;

/**
 * Puts the filters in front of every route with a contract, and forwards to remote roles. Call it before routes are
 * registered, and give `rewriteUrl` to the server it is installed on.
 */
export async function installGateway(app: FastifyInstance, options: GatewayOptions): Promise<void> {
  const { clock, protectedCalls } = options;
  const cors = new Set(options.corsOrigins);
  app.addHook('onRequest', (request, _reply, done) => {
    const { url = '/', headers } = request.raw;
    if (isMalformedPath(url)) return done(platformErrors.fault('MALFORMED_PATH'));
    // What comes from outside never says who it is. Internal calls prove it by their signature, in their own hook.
    if (!url.startsWith('/internal/')) stripInternalHeaders(headers);
    done();
  });
  allowOrigins(app, cors);
  const askEdge = options.edge === undefined ? null : createAskEdge({ ...options, edge: options.edge });
  const limiters = createRateLimiters({ ...options, limits: options.rateLimits });
  app.addHook('onClose', () => limiters.settle());
  const parts: FilterParts = {
    identify: createIdentify(options),
    limiter: limiters.of,
    limits: options.rateLimits,
    entries: createEntries({ entryTokens: options.entryTokens, denied: options.deniedEntries ?? nothingDenied }),
    waitingTicketHolder: options.waitingTicketHolder ?? noTickets,
    askEdge,
    passOf: (headers) => options.edge?.passOf?.(headers) ?? null,
    site: { origins: new Set([...options.publicOrigins, ...cors]), anyHost: options.publicOrigins.length === 0 },
    addressOf: app.addressOf,
  };
  enforceEntry(app);
  // With other origins allowed, every answer names them: that is the hook's to do.
  if (cors.size === 0) app.express.guardBy((contract) => createExpressGuard(contract, parts));
  app.addHook('onRoute', (route) => {
    const contract = route.config?.contract;
    if (contract === undefined) return;
    const existing = route.onRequest === undefined ? [] : [route.onRequest].flat();
    route.onRequest = [createRouteFilter(contract, parts), ...existing];
    if (contract.entry === 'required' && protectedCalls) watchProtectedRoute(route, { protectedCalls, clock });
  });
  const bodies = createCollectedBodies();
  for (const remote of options.remotes) await registerRemote(app, remote, options, bodies);
  const { pagesFolder: folder, pages: declared = [] } = options;
  if (folder !== null) await servePages(app, { folder, declared, askEdge });
}

async function registerRemote(
  app: FastifyInstance,
  { description, url }: GatewayOptions['remotes'][number],
  options: GatewayOptions,
  bodies: CollectedBodies,
): Promise<void> {
  if (url === null) return refuseRoutes(app, description, options.logger);
  const { remoteTimeoutMs: timeoutMs = remoteTimeoutDefaultMs, remoteLimits: limits = {} } = options;
  const remote = createRemote({ ...options, role: description.name, url, timeoutMs, limits });
  app.addHook('onClose', async () => remote.close());
  await app.register(async (forwarding) => {
    // Bodies are passed on as they came; the role that understands them parses and judges them.
    forwarding.removeAllContentTypeParsers();
    forwarding.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    collectBodies(forwarding, bodies);
    for (const contract of Object.values(description.routes)) {
      registerRoute(forwarding, contract, (request, reply) => remote.forward(request, reply), { isElsewhere: true });
    }
  });
}

/** An installation may leave a role out. Its routes exist and say so, instead of looking like typing mistakes. */
function refuseRoutes(app: FastifyInstance, description: ModuleDescription, logger: Logger): void {
  const contracts = Object.values(description.routes);
  if (contracts.length === 0) return;
  logger.warn({ role: description.name }, 'a role runs neither here nor at a configured address; its calls get 503');
  for (const contract of contracts) {
    const handler = async () => {
      throw platformErrors.fault('ROLE_UNAVAILABLE', { detail: `The role ${description.name} does not run here.` });
    };
    registerRoute(app, contract, handler, { isElsewhere: true });
  }
}
