import { expect, test } from 'vitest';
import { type JsonSchema, pascalCase, schemaType } from './schema-type.ts';

const cases: readonly (readonly [what: string, schema: JsonSchema, type: string])[] = [
  ['a string', { type: 'string' }, 'string'],
  ['an integer', { type: 'integer' }, 'number'],
  ['a literal', { const: 'on_sale', type: 'string' }, '"on_sale"'],
  ['an enumeration', { enum: ['a', 1, null] }, '"a" | 1 | null'],
  ['a union', { anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string | null'],
  ['a list of types', { type: ['string', 'null'] }, 'string | null'],
  ['an array of a union', { type: 'array', items: { enum: ['a', 'b'] } }, '("a" | "b")[]'],
  [
    'an array of objects',
    { type: 'array', items: { type: 'object', properties: { a: { enum: [1, 2] } } } },
    '{\n  a?: 1 | 2;\n}[]',
  ],
  ['a tuple', { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] }, '[string, number]'],
  ['an intersection', { allOf: [{ $ref: '#/components/schemas/Thing' }, { enum: ['a', 'b'] }] }, 'Thing & ("a" | "b")'],
  ['a map', { type: 'object', patternProperties: { '^.*$': { type: 'number' } } }, 'Record<string, number>'],
  ['a map beside its names', { type: 'object', additionalProperties: { type: 'boolean' } }, 'Record<string, boolean>'],
  ['an empty object', { type: 'object', properties: {}, additionalProperties: false }, 'Record<string, never>'],
  ['nothing known', {}, 'unknown'],
  ['nothing allowed', { not: {} }, 'never'],
  [
    'an odd name',
    { type: 'object', properties: { 'x-y': { type: 'string' } }, required: ['x-y'] },
    '{\n  "x-y": string;\n}',
  ],
];

test.each(cases)('%s becomes its type', (_, schema, type) => {
  expect(schemaType(schema)).toBe(type);
});

test('a description becomes a comment that cannot end early', () => {
  const schema: JsonSchema = { type: 'object', properties: { at: { type: 'string', description: 'When */ it\nwas' } } };
  expect(schemaType(schema)).toBe('{\n  /** When *\\/ it was */\n  at?: string;\n}');
});

test('names of operations become names of types', () => {
  expect(pascalCase('listEvents')).toBe('ListEvents');
  expect(pascalCase('seller.list-events')).toBe('SellerListEvents');
});
