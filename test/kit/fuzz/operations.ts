import { moduleDescriptions } from '#app/modules.ts';
import { openApiFacts } from '#app/routing.ts';
import { callerHeaders } from '#platform/http/names.ts';
import { buildOpenApi } from '#platform/http/openapi.ts';
import type { OperationObject, ResponseObject, ResponseRef, SchemaObject } from '#platform/http/openapi-parts.ts';
import { bodySchemas } from './bodies.ts';

/** One operation of the document, with what a fuzzer needs of it at hand. */
export interface FuzzOperation {
  readonly id: string;
  readonly method: string;
  /** `/api/events/{eventId}` */
  readonly path: string;
  readonly rate: OperationObject['x-urr-rate'];
  readonly params: SchemaObject;
  readonly query: SchemaObject;
  readonly body: SchemaObject | undefined;
  readonly takesIdempotencyKey: boolean;
  /** Null: the answer of this status has no body. */
  readonly answers: ReadonlyMap<number, SchemaObject | null>;
  /** Media types of an answer that is a file; empty: it is JSON. */
  readonly downloads: readonly string[];
  /** Codes that may be refused with, by status. */
  readonly refusals: ReadonlyMap<number, readonly string[]>;
}

export function fuzzOperations(): FuzzOperation[] {
  const document = buildOpenApi({ ...openApiFacts, modules: moduleDescriptions });
  const resolve = (response: ResponseObject | ResponseRef): ResponseObject => {
    if (!('$ref' in response)) return response;
    const found = document.components.responses[response.$ref.slice('#/components/responses/'.length)];
    if (found === undefined) throw new Error(`${response.$ref} leads nowhere`);
    return found;
  };
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      const responses = Object.entries(operation.responses)
        .filter(([status]) => status !== 'default')
        .map(([status, response]) => [Number(status), resolve(response)] as const);
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        rate: operation['x-urr-rate'],
        params: parametersIn(operation, 'path'),
        query: parametersIn(operation, 'query'),
        body: bodyOf(operation),
        takesIdempotencyKey: operation.parameters.some(({ name }) => name === callerHeaders.idempotencyKey),
        answers: new Map(
          responses
            .filter(([status]) => status < 400)
            .map(([status, { content }]) => [status, content?.['application/json']?.schema ?? null]),
        ),
        downloads: responses.flatMap(([, { content = {} }]) =>
          Object.keys(content).filter((type) => isFile(content[type]?.schema)),
        ),
        refusals: new Map(
          responses.filter(([status]) => status >= 400).map(([status, response]) => [status, codesOf(response)]),
        ),
      };
    }),
  );
}

function bodyOf({ operationId, requestBody }: OperationObject): SchemaObject | undefined {
  const schema = requestBody?.content?.['application/json']?.schema;
  const understood = bodySchemas[operationId];
  if (isFile(schema) && understood === undefined) throw new Error(`the fuzzer has no file for ${operationId}`);
  return understood ?? schema;
}

function isFile(schema: SchemaObject | undefined): boolean {
  return schema?.format === 'binary';
}

function parametersIn(operation: OperationObject, place: 'path' | 'query'): SchemaObject {
  const own = operation.parameters.filter((parameter) => parameter.in === place);
  return {
    type: 'object',
    properties: Object.fromEntries(own.map(({ name, schema }) => [name, schema])),
    required: own.filter(({ required }) => required).map(({ name }) => name),
  };
}

function codesOf(response: ResponseObject): readonly string[] {
  const schema = response.content?.['application/problem+json']?.schema as
    | { allOf?: [unknown, { properties: { code: { enum: string[] } } }] }
    | undefined;
  return schema?.allOf?.[1].properties.code.enum ?? [];
}
