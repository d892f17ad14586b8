import Fastify from 'fastify';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { errorSections } from '../error-sections.ts';
import { defineErrors } from '../errors.ts';
import { defineRoutes } from './contract.ts';
import { registerDocs } from './docs-page.ts';
import { entryErrors } from './entry.ts';
import { buildOpenApi, type OpenApiOptions } from './openapi.ts';

const routes = defineRoutes({
  show: {
    operation: 'showThing',
    method: 'GET',
    path: '/api/things/:thingId',
    summary: 'One <thing>',
    access: 'public',
    rate: 'read',
    params: Type.Object({ thingId: Type.String({ maxLength: 9 }) }, { additionalProperties: false }),
    query: Type.Object({
      deep: Type.Optional(Type.Boolean({ description: 'With parts.' })),
      limit: Type.Integer({ default: 20 }),
    }),
    responses: { 200: Type.Object({ id: Type.String() }) },
    problems: ['THING_GONE'],
  },
  make: {
    operation: 'makeThing',
    method: 'POST',
    path: '/api/things',
    summary: 'Make one',
    access: ['seller', 'admin'],
    rate: 'write',
    idempotency: 'accepted',
    entry: 'required',
    body: Type.Object({ name: Type.String(), hot: Type.Boolean({ default: false }) }, { additionalProperties: false }),
    responses: { 201: Type.Object({ id: Type.String() }) },
  },
  drop: {
    operation: 'dropThing',
    method: 'DELETE',
    path: '/api/things/:thingId',
    summary: 'Drop it',
    access: 'user',
    rate: 'write',
    params: Type.Object({ thingId: Type.String() }),
    responses: { 204: Type.Null() },
  },
});

const errors = defineErrors({
  ...entryErrors.table,
  THING_GONE: { status: 410, title: 'It is gone', help: 'Take `another` & go on.' },
}).table;
const modules: OpenApiOptions['modules'] = [{ name: 'things', summary: 'Things.', routes, errors }];
const document = () => buildOpenApi({ title: 'urr', version: '1', modules });

describe('buildOpenApi', () => {
  it('tells of files in and out by their media types', () => {
    const { body: _, ...make } = routes.make;
    const files = defineRoutes({ make: { ...make, upload: ['text/csv'], download: ['text/csv', 'image/png'] } });
    const { paths } = buildOpenApi({
      title: 'urr',
      version: '1',
      modules: [{ name: 'f', summary: '', routes: files, errors }],
    });
    const file = { schema: { type: 'string', format: 'binary' } };
    expect(paths['/api/things']?.post).toMatchObject({
      requestBody: { required: true, content: { 'text/csv': file } },
      responses: { 201: { content: { 'text/csv': file, 'image/png': file } }, 415: {} },
    });
  });

  it('writes paths in braces, ordered, with the operation named by its contract', () => {
    const { paths } = document();
    expect(Object.keys(paths)).toEqual(['/api/things', '/api/things/{thingId}']);
    expect(Object.keys(paths['/api/things/{thingId}'] ?? {})).toEqual(['get', 'delete']);
    expect(paths['/api/things']?.post).toMatchObject({ operationId: 'makeThing', tags: ['things'] });
  });

  it('turns params and query into parameters', () => {
    expect(document().paths['/api/things/{thingId}']?.get?.parameters).toEqual([
      { name: 'thingId', in: 'path', required: true, schema: { type: 'string', maxLength: 9 } },
      {
        name: 'deep',
        in: 'query',
        required: false,
        description: 'With parts.',
        schema: { type: 'boolean', description: 'With parts.' },
      },
      { name: 'limit', in: 'query', required: false, schema: { type: 'integer', default: 20 } },
    ]);
  });

  it('does not ask the caller for what has a default', () => {
    const body = document().paths['/api/things']?.post?.requestBody?.content?.['application/json']?.schema;
    expect(body).toMatchObject({ required: ['name'], properties: { hot: { default: false } } });
  });

  it('names the token and the headers that a call needs', () => {
    const { paths } = document();
    expect(paths['/api/things/{thingId}']?.get?.security).toEqual([]);
    expect(paths['/api/things']?.post?.security).toEqual([
      { accessCookie: [], entryToken: [] },
      { bearer: [], entryToken: [] },
    ]);
    expect(paths['/api/things']?.post?.parameters.map(({ name }) => name)).toEqual(['idempotency-key']);
  });

  it('groups the refusals by status, with Retry-After where one has to wait', () => {
    const responses = document().paths['/api/things']?.post?.responses ?? {};
    expect(Object.keys(responses)).toEqual('201 400 401 403 409 413 415 422 429 503 default'.split(' '));
    const { components } = document();
    expect(responses['429']).toEqual({ $ref: '#/components/responses/RATE_LIMITED' });
    expect(components.responses.RATE_LIMITED?.headers).toHaveProperty('retry-after');
    expect(components.responses.UNAUTHENTICATED?.headers).toBeUndefined();
    expect(
      components.responses['CROSS_SITE_REFUSED.ENTRY_TOKEN_REQUIRED.FORBIDDEN']?.content?.['application/problem+json']
        ?.schema,
    ).toMatchObject({
      allOf: [
        { $ref: '#/components/schemas/Problem' },
        { properties: { code: { enum: ['CROSS_SITE_REFUSED', 'ENTRY_TOKEN_REQUIRED', 'FORBIDDEN'] } } },
      ],
    });
    expect(components.responses.THING_GONE?.description).toBe('`THING_GONE`: It is gone.');
  });

  it('gives 204 no content', () => {
    expect(document().paths['/api/things/{thingId}']?.delete?.responses['204']).not.toHaveProperty('content');
  });

  it('is the same on every run and is plain JSON', () => {
    expect(JSON.stringify(document())).toBe(JSON.stringify(document()));
  });

  it('refuses two routes of one name or one address, and problems that nobody declared', () => {
    const twice = (change: object) => () =>
      buildOpenApi({
        title: '',
        version: '',
        modules: [
          { name: 'things', summary: '', errors, routes: { a: routes.make, b: { ...routes.make, ...change } } },
        ],
      });
    expect(twice({ path: '/x' })).toThrow('two routes are called makeThing');
    expect(twice({ operation: 'other' })).toThrow('two routes answer POST /api/things');
    expect(twice({ operation: 'other', path: '/x', problems: ['NOPE'] })).toThrow(
      'other names the unknown problem NOPE',
    );
  });

  it('refuses one code in two tables', () => {
    const table = { NOT_FOUND: { status: 404, title: '', help: '' } };
    expect(() => errorSections([{ name: 'things', summary: '', errors: table }])).toThrow(
      'the error code NOT_FOUND is declared by both platform and things',
    );
  });
});

describe('registerDocs', () => {
  it('serves the viewer from this process alone, and its files for good', async () => {
    const app = Fastify();
    registerDocs(app, { openapi: document(), errors: errorSections(modules) });
    const viewer = await app.inject('/docs');
    const addresses = [...viewer.body.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, address = '']) => address);
    expect(addresses).toContain('/docs/plain');
    for (const address of addresses) expect([address, (await app.inject(address)).statusCode]).toEqual([address, 200]);
    const bundle = addresses.find((address) => address.endsWith('bundle.js')) ?? '';
    expect((await app.inject(bundle)).headers['cache-control']).toContain('immutable');
    await app.close();
  });

  it('serves pages for people, without script, and the document for programs', async () => {
    const app = Fastify();
    registerDocs(app, { openapi: document(), errors: errorSections(modules) });
    const operations = await app.inject('/docs/plain');
    expect(operations.body).toContain('One &lt;thing&gt;');
    expect(operations.body).toContain('only seller, admin');
    expect(operations.body).not.toMatch(/<script|style=|undefined/);
    const refusals = await app.inject('/docs/errors');
    expect(refusals.body).toContain('<tr id="THING_GONE"><td><code>THING_GONE</code></td><td>410</td>');
    expect(refusals.body).toContain('Take <code>another</code> &amp; go on.');
    expect((await app.inject('/docs/openapi.json')).json()).toEqual(document());
    expect((await app.inject('/docs/docs.css')).headers['content-type']).toBe('text/css; charset=utf-8');
    await app.close();
  });
});
