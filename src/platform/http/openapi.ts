import type { TSchema } from 'typebox';
import { errorSections } from '../error-sections.ts';
import { type ErrorDefinition, platformErrors } from '../errors.ts';
import type { ModuleDescription } from '../module.ts';
import { headersReadBy, type RouteContract } from './contract.ts';
import { answerHeaders } from './names.ts';
import {
  about,
  headerParameter,
  type Method,
  type OpenApiObject,
  type OperationObject,
  otherProblem,
  type ParameterObject,
  problemContent,
  problemRef,
  problemSchema,
  type ResponseObject,
  type ResponseRef,
  retryAfter,
  type SchemaObject,
  securitySchemes,
  statusWords,
} from './openapi-parts.ts';

export interface OpenApiOptions {
  readonly title: string;
  readonly version: string;
  readonly modules: readonly Pick<ModuleDescription, 'name' | 'summary' | 'routes' | 'errors'>[];
}

/** The whole API as OpenAPI 3.1. Depends on the contracts alone and is ordered by path, so that two runs are equal. */
export function buildOpenApi({ title, version, modules }: OpenApiOptions): OpenApiObject {
  const refusals = createRefusals(errorIndex(modules));
  const paths: Record<string, Partial<Record<Method, OperationObject>>> = {};
  const operations = new Set<string>();
  for (const module of modules) {
    for (const contract of Object.values(module.routes)) {
      const path = contract.path.replaceAll(/:(\w+)/g, '{$1}');
      const item = paths[path] ?? {};
      paths[path] = item;
      const method = contract.method.toLowerCase() as Method;
      if (item[method] !== undefined) throw new Error(`two routes answer ${contract.method} ${contract.path}`);
      if (operations.has(contract.operation)) throw new Error(`two routes are called ${contract.operation}`);
      operations.add(contract.operation);
      item[method] = operationOf(module.name, contract, refusals);
    }
  }
  const document: OpenApiObject = {
    openapi: '3.1.0',
    info: { title, version, description: about },
    servers: [{ url: '/' }],
    tags: modules
      .filter((module) => Object.keys(module.routes).length > 0)
      .map(({ name, summary }) => ({ name, description: summary })),
    paths: Object.fromEntries(
      Object.keys(paths)
        .sort()
        .map((path) => [path, orderedByMethod(paths[path] ?? {})]),
    ),
    components: { schemas: { Problem: problemSchema }, responses: refusals.all(), securitySchemes },
  };
  // Schemas come as live objects; a reader gets plain JSON.
  return JSON.parse(JSON.stringify(document)) as OpenApiObject;
}

type ErrorIndex = ReadonlyMap<string, ErrorDefinition>;

function errorIndex(modules: OpenApiOptions['modules']): ErrorIndex {
  return new Map(errorSections(modules).flatMap(({ table }) => Object.entries(table)));
}

function operationOf(tag: string, contract: RouteContract, refusals: Refusals): OperationObject {
  return {
    operationId: contract.operation,
    tags: [tag],
    summary: contract.summary,
    ...(contract.description !== undefined && { description: contract.description }),
    security: securityOf(contract),
    'x-urr-access': contract.access,
    'x-urr-rate': contract.rate,
    parameters: parametersOf(contract),
    ...(contract.body && { requestBody: { required: true, content: json(asSent(contract.body)) } }),
    ...(contract.upload && { requestBody: { required: true, content: files(contract.upload) } }),
    responses: { ...successesOf(contract), ...refusals.of(contract) },
  };
}

function securityOf(contract: RouteContract): OperationObject['security'] {
  if (contract.access === 'public') return [];
  const entry = contract.entry === 'required' ? { entryToken: [] } : {};
  return [
    { accessCookie: [], ...entry },
    { bearer: [], ...entry },
  ];
}

function parametersOf(contract: RouteContract): ParameterObject[] {
  const headers = headersReadBy(contract).map(headerParameter);
  return [...fieldsOf(contract.params, 'path'), ...fieldsOf(contract.query, 'query'), ...headers];
}

/** The server fills a default in before it checks what is required, so the caller may leave such a field out. */
function asSent<Schema>(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
    const { properties, required } = (value ?? {}) as { properties?: Record<string, SchemaObject>; required?: unknown };
    if (!Array.isArray(required) || properties === undefined) return value;
    return { ...(value as object), required: required.filter((name) => properties[name]?.default === undefined) };
  }) as Schema;
}

function fieldsOf(schema: TSchema | undefined, place: 'path' | 'query'): ParameterObject[] {
  // Path and query schemas are always objects: Fastify hands them over as one.
  const { properties = {}, required = [] } = asSent(schema ?? {}) as {
    properties?: Record<string, SchemaObject>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, field]) => ({
    name,
    in: place,
    // What has a default may be left out.
    required: place === 'path' || (required.includes(name) && field.default === undefined),
    ...(typeof field.description === 'string' && { description: field.description }),
    schema: field,
  }));
}

function successesOf(contract: RouteContract): Record<string, ResponseObject> {
  return Object.fromEntries(
    Object.entries(contract.responses).map(([status, schema]) => {
      const description = (schema as SchemaObject).description;
      const answer: ResponseObject = {
        description: typeof description === 'string' ? description : (statusWords[status] ?? 'Done.'),
        ...(hasBody(status, schema) && { content: contract.download ? files(contract.download) : json(schema) }),
      };
      return [status, answer];
    }),
  );
}

function hasBody(status: string, schema: TSchema): boolean {
  const type = (schema as SchemaObject).type;
  return status !== '204' && !status.startsWith('3') && type !== 'null' && type !== 'undefined' && type !== 'void';
}

interface Refusals {
  of(contract: RouteContract): Record<string, ResponseRef>;
  all(): Record<string, ResponseObject>;
}

/** Refusals grouped by status: the declared ones and those that follow from the form of the route. */
function createRefusals(errors: ErrorIndex): Refusals {
  const known = new Map<string, ResponseObject>([['OTHER', otherProblem]]);
  return {
    of(contract) {
      const codes = new Set([...impliedProblems(contract), ...(contract.problems ?? [])]);
      const byStatus = Map.groupBy([...codes].sort(), (code) => {
        const definition = errors.get(code);
        if (definition === undefined) throw new Error(`${contract.operation} names the unknown problem ${code}`);
        return definition.status;
      });
      const refs: Record<string, ResponseRef> = {};
      for (const [status, group] of byStatus) {
        const name = group.join('.');
        known.set(name, refusal(group, errors));
        refs[status] = { $ref: `#/components/responses/${name}` };
      }
      return { ...refs, default: { $ref: '#/components/responses/OTHER' } };
    },
    all: () => Object.fromEntries([...known].sort(([one], [other]) => (one < other ? -1 : 1))),
  };
}

function refusal(codes: readonly string[], errors: ErrorIndex): ResponseObject {
  const waits = codes.some((code) => errors.get(code)?.retryAfterSeconds !== undefined);
  return {
    description: codes.map((code) => `\`${code}\`: ${errors.get(code)?.title}.`).join(' '),
    ...(waits && { headers: { [answerHeaders.retryAfter]: retryAfter } }),
    content: problemContent({ allOf: [problemRef, { properties: { code: { enum: codes } } }] }),
  };
}

function impliedProblems(contract: RouteContract): string[] {
  const codes = ['MALFORMED_PATH', 'RATE_LIMITED', ...awayCodes];
  if (contract.params || contract.query || contract.body) codes.push('VALIDATION_FAILED');
  if (contract.body) codes.push('BODY_TOO_COMPLEX');
  if (contract.body || contract.upload) codes.push('MALFORMED_BODY', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  if (contract.access !== 'public') codes.push('UNAUTHENTICATED');
  if (Array.isArray(contract.access)) codes.push('FORBIDDEN');
  if (contract.method !== 'GET') codes.push('CROSS_SITE_REFUSED');
  if (contract.params) codes.push('NOT_FOUND');
  if (contract.entry === 'required') codes.push('ENTRY_TOKEN_REQUIRED');
  if (contract.tier1 !== undefined) codes.push('WAITING_ROOM_REQUIRED');
  if (contract.idempotency === 'accepted') codes.push('IDEMPOTENCY_IN_FLIGHT', 'IDEMPOTENCY_MISMATCH');
  return codes;
}

const awayCodes = Object.entries(platformErrors.table)
  .filter(([, definition]) => definition.status === 503)
  .map(([code]) => code);

const methodOrder: readonly Method[] = ['get', 'post', 'put', 'patch', 'delete'];

function orderedByMethod(item: Partial<Record<Method, OperationObject>>): Partial<Record<Method, OperationObject>> {
  return Object.fromEntries(
    methodOrder.flatMap((method) => (item[method] === undefined ? [] : [[method, item[method]]])),
  );
}

function json(schema: TSchema): NonNullable<ResponseObject['content']> {
  return { 'application/json': { schema: schema as SchemaObject } };
}

function files(mediaTypes: readonly string[]): NonNullable<ResponseObject['content']> {
  return Object.fromEntries(mediaTypes.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]));
}
