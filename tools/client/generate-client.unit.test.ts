import { describe, expect, test } from 'vitest';
import { generateClient } from './generate-client.ts';
import type { OpenApiDocument, Operation } from './openapi.ts';

describe('the generated client', () => {
  test('has an input, a result and a method for each operation', () => {
    const client = generateClient(
      aDocument('/api/events/{eventId}', 'get', {
        operationId: 'getEvent',
        summary: 'One event',
        parameters: [{ name: 'eventId', in: 'path', required: true, schema: { type: 'string' } }],
        responses: {
          200: { content: { 'application/json': { schema: anObject({ id: { type: 'string' } }) } } },
          404: { content: { 'application/problem+json': { schema: anObject({ code: { type: 'string' } }) } } },
        },
      }),
    );
    expect(client).toContain('export interface GetEventInput {\n  params: {\n    eventId: string;\n  };\n}');
    expect(client).toContain('export type GetEventResult = {\n  id: string;\n};');
    expect(client).toContain(
      '/** One event */\n  getEvent(input: GetEventInput, options?: CallOptions): Promise<GetEventResult>;',
    );
    expect(client).toContain(`getEvent: (input, options) => call('GET', '/api/events/{eventId}', input, options),`);
  });

  test('lets the input be left out when the server asks nothing of it', () => {
    const client = generateClient(
      aDocument('/api/events', 'get', {
        operationId: 'listEvents',
        parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer' } }],
        responses: {},
      }),
    );
    expect(client).toContain('query?: {\n    limit?: number | undefined;\n  };');
    expect(client).toContain('listEvents(input?: ListEventsInput,');
  });

  test('asks for the query when one of its parameters is required', () => {
    const client = generateClient(
      aDocument('/api/search', 'get', {
        operationId: 'search',
        parameters: [{ name: 'q', in: 'query', required: true, schema: { type: 'string' } }],
      }),
    );
    expect(client).toContain('query: {\n    q: string;\n  };');
    expect(client).toContain('search(input: SearchInput,');
  });

  test('unites the answers of several statuses and knows those without a body', () => {
    const client = generateClient(
      aDocument('/api/things', 'post', {
        operationId: 'makeThing',
        requestBody: { content: { 'application/json': { schema: anObject({ name: { type: 'string' } }) } } },
        responses: {
          200: { content: { 'application/json': { schema: { const: 'old' } } } },
          201: { content: { 'application/json': { schema: { const: 'new' } } } },
          204: {},
        },
      }),
    );
    expect(client).toContain('export type MakeThingResult = "old" | "new" | undefined;');
    expect(client).toContain('body: {\n    name: string;\n  };');
  });

  test('takes a file as one, and leaves it to the browser to load one', () => {
    const file = { schema: { type: 'string', format: 'binary' } };
    const content = { 'application/json': file, 'text/csv': file };
    const client = generateClient(
      aDocument('/api/files', 'post', {
        operationId: 'turnFile',
        requestBody: { required: true, content },
        responses: { 200: { content } },
      }),
    );
    expect(client).toContain('body: Blob;');
    expect(client).toContain('export type TurnFileResult = unknown;');
  });

  test('lets a body be left out that may be null', () => {
    const schema = { anyOf: [anObject({ token: { type: 'string' } }), { type: 'null' }] };
    const client = generateClient(
      aDocument('/api/refresh', 'post', {
        operationId: 'refresh',
        requestBody: { required: true, content: { 'application/json': { schema } } },
      }),
    );
    expect(client).toContain('body?: {\n    token: string;\n  } | null;');
    expect(client).toContain('refresh(input?: RefreshInput,');
  });

  test('is the same whatever the order of the paths', () => {
    const one = aDocument('/a', 'get', { operationId: 'a' }).paths;
    const two = aDocument('/b', 'get', { operationId: 'b' }).paths;
    expect(generateClient({ openapi: '3.1.0', paths: { ...one, ...two } })).toBe(
      generateClient({ openapi: '3.1.0', paths: { ...two, ...one } }),
    );
  });

  test('is refused when two operations share a name, or one has none', () => {
    const twice = {
      openapi: '3.1.0',
      paths: { '/a': { get: { operationId: 'a' } }, '/b': { get: { operationId: 'a' } } },
    };
    expect(() => generateClient(twice)).toThrow('operationId a is used twice');
    expect(() => generateClient(aDocument('/a', 'put', {}))).toThrow('PUT /a has no operationId');
  });
});

function aDocument(path: string, method: 'get' | 'post' | 'put', operation: Operation): OpenApiDocument {
  return { openapi: '3.1.0', paths: { [path]: { [method]: operation } } };
}

function anObject(properties: Record<string, { type: string }>) {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
