import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { platformErrors } from '../errors.ts';
import { createCollectedBodies } from './collected-bodies.ts';
import {
  PreparedJson,
  type RouteContract,
  type RouteContracts,
  type RouteHandler,
  type RouteHandlers,
} from './contract.ts';
import { takeFileBodies } from './file-body.ts';
import type { Identity } from './identity.ts';
import { answerHeaders, callerHeaders } from './names.ts';
import { largeBodyValidatorCompiler } from './validation.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the handler by the gateway's filters or by the internal signature. */
    user: Identity | null;
  }
  interface FastifyContextConfig {
    contract?: RouteContract;
    /** The contract is kept by another process, to which the gateway forwards. */
    isElsewhere?: boolean;
  }
}

const jsonType = 'application/json; charset=utf-8';

/** Binds handlers to their contracts: validation, access, status and serialization come from the contract. */
export function registerRoutes<Contracts extends RouteContracts>(
  app: FastifyInstance,
  contracts: Contracts,
  handlers: RouteHandlers<Contracts>,
): void {
  const bodies = createCollectedBodies();
  for (const [name, contract] of Object.entries(contracts)) {
    // The mapped type guarantees that the handler of this name was written for this contract.
    const handler = handlers[name as keyof Contracts] as RouteHandler<RouteContract> | undefined;
    if (handler === undefined) throw new Error(`no handler for ${contract.operation}`);
    const bound = bind(contract, handler);
    const { upload } = contract;
    if (upload === undefined) registerRoute(app, contract, bound);
    else
      app.register(async (scope) => {
        takeFileBodies(scope, { mediaTypes: upload, bodies });
        registerRoute(scope, contract, bound);
      });
  }
}

/** Also used by the gateway, with a forwarding handler, for roles that run elsewhere. */
export function registerRoute(
  app: FastifyInstance,
  contract: RouteContract,
  handler: RouteHandlerMethod,
  { isElsewhere = false }: { isElsewhere?: boolean } = {},
): void {
  app.route({
    method: contract.method,
    url: contract.path,
    config: { contract, isElsewhere },
    ...(contract.bodyLimit !== undefined && {
      bodyLimit: contract.bodyLimit,
      validatorCompiler: largeBodyValidatorCompiler,
    }),
    ...(!isElsewhere && {
      schema: {
        ...(contract.params && { params: contract.params }),
        ...(contract.query && { querystring: contract.query }),
        ...(contract.body && { body: contract.body }),
        response: contract.responses,
      },
    }),
    ...(contract.access !== 'public' && {
      onRequest: (request, _reply, done) => done(accessProblem(contract, request.user)),
    }),
    handler,
  });
}

/** Runs behind the gateway's own filters, and again in the role's process: no route relies on its neighbour. */
function accessProblem(contract: RouteContract, user: Identity | null): Error | undefined {
  if (contract.access === 'public') return undefined;
  if (user === null) return platformErrors.fault('UNAUTHENTICATED');
  if (contract.access === 'user' || contract.access.includes(user.role)) return undefined;
  return platformErrors.fault('FORBIDDEN', { detail: `This needs the role ${contract.access.join(' or ')}.` });
}

function bind(contract: RouteContract, handler: RouteHandler<RouteContract>): RouteHandlerMethod {
  const status = Number(Object.keys(contract.responses)[0] ?? 200);
  return (request: FastifyRequest, reply: FastifyReply) => {
    if (status !== 200) reply.code(status);
    const result = handler(request as never, reply);
    if (result instanceof PreparedJson) return sendPrepared(result, request, reply);
    return result.then((body) => {
      if (body instanceof PreparedJson) return sendPrepared(body, request, reply);
      // 204 and friends: Fastify takes undefined as "not answered yet" from a promise. A handler that has answered by
      // itself returned `reply`, which is a promise of nothing.
      return body === undefined && !reply.sent ? reply.send() : body;
    });
  };
}

function sendPrepared(prepared: PreparedJson, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (prepared.compressed !== undefined) addVary(reply, 'accept-encoding');
  if (prepared.etag !== undefined) {
    reply.header(answerHeaders.etag, prepared.etag);
    if (request.headers[callerHeaders.ifNoneMatch] === prepared.etag) return reply.code(304).send();
  }
  reply.header(callerHeaders.contentType, jsonType);
  const smaller = prepared.compressed?.for(request.headers['accept-encoding']) ?? null;
  if (smaller === null) return reply.send(prepared.body);
  return reply.header('content-encoding', smaller.encoding).send(smaller.body);
}

/** Beside what is said already, as for callers of other origins. */
function addVary(reply: FastifyReply, header: string): void {
  const said = reply.getHeader('vary');
  reply.header('vary', said === undefined ? header : `${String(said)}, ${header}`);
}
