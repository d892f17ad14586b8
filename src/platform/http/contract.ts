import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { type CompressedBodies, compressedSizeMin, createCompressedBodies } from './compressed-bodies.ts';
import type { EntrySlot, Identity, Role } from './identity.ts';
import { type CallerHeader, callerHeaders } from './names.ts';

/**
 * A route as data: what it is called, who may call it, what goes in and out. The gateway reads contracts to filter and
 * to forward (also to roles that run elsewhere), the server to validate, the generator to write OpenAPI and the clients.
 * The handler is bound to it separately, so a process can know a route without running it.
 */
export interface RouteContract {
  /** Unique verb phrase: the OpenAPI operationId and the method name of the generated client. */
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Fastify notation: `/api/events/:eventId`. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  readonly rate: RateClass;
  /** The route takes an `Idempotency-Key` header. */
  readonly idempotency?: 'accepted';
  /**
   * Tier 2: the caller holds a slot of the event that is named as `eventId`, in the path or in the body. The handler finds it
   * as `request.entry`.
   */
  readonly entry?: 'required';
  /** Where nobody is signed in, a waiting ticket of the event named by `:eventId` says whom the call is of: calls are counted by it. */
  readonly waitingTicket?: 'accepted';
  /** Tier 1: while the room of the event named by this path parameter is on, the call needs to have passed it. */
  readonly tier1?: { readonly eventParam: string };
  /** Headers that the handler reads beside those that follow from the fields above. */
  readonly headers?: readonly CallerHeader[];
  readonly params?: TSchema;
  readonly query?: TSchema;
  readonly body?: TSchema;
  /** Instead of `body`: it is a file of one of these media types, and the handler gets its bytes. */
  readonly upload?: readonly string[];
  /** Successful answers by status. The first is sent when the handler sets none. */
  readonly responses: Readonly<Record<number, TSchema>>;
  /** The successful answer is a file of one of these media types, which the handler sends by itself. */
  readonly download?: readonly string[];
  /** Codes beyond the ones that every route may answer. */
  readonly problems?: readonly string[];
  /** Bytes; the server's default otherwise. */
  readonly bodyLimit?: number;
}

/** `public`: anyone, with the identity when there is one. `user`: somebody signed in. Else one of these roles. */
export type Access = 'public' | 'user' | readonly Role[];

/** Token buckets per class. `read`, `poll`, `watch`, `assign` and `webhook` are counted in this process only, the others are shared when Redis is there. */
export type RateClass =
  | 'read'
  | 'poll'
  | 'watch'
  | 'write'
  | 'login'
  | 'assign'
  | 'check'
  | 'enter'
  | 'reserve'
  | 'confirm'
  | 'webhook'
  | 'export';

type StaticOr<Schema, Otherwise> = Schema extends TSchema ? Static<Schema> : Otherwise;

export type RouteRequest<Contract extends RouteContract> = Omit<
  FastifyRequest<{
    Params: StaticOr<Contract['params'], Record<string, never>>;
    Querystring: StaticOr<Contract['query'], Record<string, never>>;
    Body: Contract['upload'] extends readonly string[] ? Buffer : StaticOr<Contract['body'], undefined>;
  }>,
  'user'
> & {
  readonly user: Contract['access'] extends 'public' ? Identity | null : Identity;
} & (Contract['entry'] extends 'required' ? { readonly entry: EntrySlot } : unknown);

export type RouteResult<Contract extends RouteContract> = StaticOr<
  Contract['responses'][keyof Contract['responses']],
  never
>;

/**
 * Returns the body. A handler that serves prepared JSON returns it as such; one that took the reply over returns `reply`.
 */
export type RouteHandler<Contract extends RouteContract> = (
  request: RouteRequest<Contract>,
  reply: FastifyReply,
) => Promise<RouteResult<Contract> | PreparedJson | FastifyReply> | PreparedJson;

/**
 * JSON that was serialized before, with its content type and, if given, an ETag. As text where it is short and ASCII: Node
 * sends that in one piece with the headers, but bytes as a second piece. As bytes where it is sent many times and would
 * have to be encoded each time, which costs more than the second piece from some kilobytes on.
 */
export class PreparedJson {
  readonly body: string | Buffer;
  readonly etag: string | undefined;
  /** Of what is the same for everybody and sent many times. */
  readonly compressed: CompressedBodies | undefined;
  constructor(body: string | Buffer, etag?: string, compressed?: CompressedBodies) {
    this.body = body;
    this.etag = etag;
    this.compressed = compressed;
  }

  isSame({ body, etag }: PreparedJson): boolean {
    if (this.etag !== etag) return false;
    return typeof body === 'string' || typeof this.body === 'string' ? this.body === body : this.body.equals(body);
  }
}

/** JSON for everybody, with a tag; also compressed, where that is worth it. */
export function publicJson(body: Buffer, etag: string): PreparedJson {
  return new PreparedJson(body, etag, body.length < compressedSizeMin ? undefined : createCompressedBodies(body));
}

export type RouteContracts = Readonly<Record<string, RouteContract>>;
export type RouteHandlers<Contracts extends RouteContracts> = {
  readonly [Name in keyof Contracts]: RouteHandler<Contracts[Name]>;
};

/** The headers by which a caller changes what the route does. Pages of other origins must be allowed to send each of them. */
export function headersReadBy({ idempotency, waitingTicket, headers = [] }: RouteContract): readonly CallerHeader[] {
  const implied = [
    ...(idempotency === 'accepted' ? [callerHeaders.idempotencyKey] : []),
    ...(waitingTicket === 'accepted' ? [callerHeaders.waitingTicket] : []),
  ];
  return [...new Set([...implied, ...headers])];
}

export function defineRoutes<const Contracts extends RouteContracts>(contracts: Contracts): Contracts {
  return contracts;
}

/** Handlers of any contracts, as the server takes them. */
export type BoundHandlers = Readonly<Record<string, RouteHandler<RouteContract>>>;

/** Checks each handler against its own contract, then forgets which it was: a running module is a uniform thing. */
export function bindHandlers<Contracts extends RouteContracts>(
  _contracts: Contracts,
  handlers: RouteHandlers<Contracts>,
): BoundHandlers {
  // `registerRoutes` hands a handler only requests that were validated against the contract of the same name.
  return handlers as unknown as BoundHandlers;
}
