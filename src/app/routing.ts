import type { FastifyInstance } from 'fastify';
import { errorSections } from '#platform/error-sections.ts';
import { platformErrors } from '#platform/errors.ts';
import type { RouteContract } from '#platform/http/contract.ts';
import { registerDocs } from '#platform/http/docs-page.ts';
import { registerInternalCalls } from '#platform/http/internal-client.ts';
import { trustInternalSignature } from '#platform/http/internal-signature.ts';
import { buildOpenApi } from '#platform/http/openapi.ts';
import { registerRoutes } from '#platform/http/routes.ts';
import type { InternalCalls, InternalHandlers } from '#platform/internal-call.ts';
import type { Composition } from './compose.ts';
import { moduleDescriptions } from './modules.ts';
import { roleDefinitions } from './roles.ts';

export const openApiFacts = { title: 'urr', version: '1' } as const;

/** Puts the routes of this process's modules, and what guards them, on the server. */
export async function installRoutes(app: FastifyInstance, composition: Composition): Promise<void> {
  const { modules, gateway, signature } = composition;
  if (gateway !== null) await gateway.install(app);
  else trustInternalSignature(app, { signature });
  for (const [role, instance] of modules) {
    const { name, routes, internalCalls } = roleDefinitions[role].description;
    registerRoutes(app, routes, instance.handlers);
    for (const route of instance.express ?? []) app.express.add(route);
    // The module checked its handlers against these very calls.
    registerInternalCalls(app, {
      module: name,
      calls: internalCalls,
      handlers: instance.internal as InternalHandlers<InternalCalls>,
      signature,
    });
  }
  const served =
    gateway === null ? [...modules.keys()].map((role) => roleDefinitions[role].description) : moduleDescriptions;
  refuseOtherMethods(
    app,
    served.flatMap((module) => Object.values(module.routes)),
  );
  registerDocs(app, {
    openapi: buildOpenApi({ ...openApiFacts, modules: moduleDescriptions }),
    errors: errorSections(moduleDescriptions),
  });
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** A known address with a wrong method is 405 with `Allow`, not 404. */
function refuseOtherMethods(app: FastifyInstance, contracts: readonly RouteContract[]): void {
  const byPath = Map.groupBy(contracts, (contract) => contract.path);
  for (const [path, known] of byPath) {
    const allowed = new Set<string>(known.map((contract) => contract.method));
    if (allowed.has('GET')) allowed.add('HEAD');
    const allow = [...allowed].join(', ');
    app.route({
      method: methods.filter((method) => !allowed.has(method)),
      url: path,
      exposeHeadRoute: false,
      handler: (_request, reply) => {
        reply.header('allow', allow);
        throw platformErrors.fault('METHOD_NOT_ALLOWED');
      },
    });
  }
}
