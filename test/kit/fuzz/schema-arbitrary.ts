import fc, { type Arbitrary } from 'fast-check';
import type { SchemaObject } from '#platform/http/openapi-parts.ts';

/** Values that exist, by the name of the field: with them a call gets past the first look-up. */
export type KnownValues = Readonly<Record<string, readonly string[]>>;

const arrayLengthMax = 4;
const textLengthMax = 60;

/** Values that fit a JSON Schema, the way our contracts write them. A keyword that it does not know is an error. */
export function schemaArbitrary(schema: SchemaObject, known: KnownValues = {}, name = ''): Arbitrary<unknown> {
  refuseUnknown(schema);
  const { enum: words, anyOf, type } = schema;
  if (Array.isArray(words)) return fc.constantFrom(...words);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map((one) => schemaArbitrary(one, known, name)));
  if (Array.isArray(type))
    return fc.oneof(...type.map((one) => schemaArbitrary({ ...schema, type: one }, known, name)));
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return integer(schema, known, name);
    case 'number':
      return fc.oneof(integer(schema, known, name), fraction(schema));
    case 'string':
      return text(schema, known[name] ?? []);
    case 'array':
      return array(schema, known, name);
    case 'object':
      return object(schema, known);
    default:
      throw new Error(`cannot make values for ${JSON.stringify(schema)}`);
  }
}

const understood = new Set([
  ...['type', 'enum', 'const', 'anyOf', 'properties', 'required', 'additionalProperties', 'items', 'maxItems'],
  ...['minItems', 'minLength', 'maxLength', 'pattern', 'format', 'minimum', 'maximum', 'default', 'description'],
]);

function refuseUnknown(schema: SchemaObject): void {
  const unknown = Object.keys(schema).filter((keyword) => !understood.has(keyword));
  if (unknown.length > 0) throw new Error(`the fuzzer does not know ${unknown.join(', ')}`);
}

function integer(schema: SchemaObject, known: KnownValues, name: string): Arbitrary<number> {
  const min = numberOf(schema.minimum, -1_000);
  const max = numberOf(schema.maximum, 1_000);
  const any = fc.integer({ min, max });
  const likely = known[name]?.map(Number) ?? [];
  return likely.length === 0 ? any : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...likely) }, any);
}

function fraction(schema: SchemaObject): Arbitrary<number> {
  return fc.double({
    min: numberOf(schema.minimum, -1_000),
    max: numberOf(schema.maximum, 1_000),
    noNaN: true,
  });
}

function text(schema: SchemaObject, known: readonly string[]): Arbitrary<string> {
  const made = schema.format === 'date-time' ? time : shaped(schema);
  return known.length === 0 ? made : fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...known) }, made);
}

const time = fc
  .date({ min: new Date('2000-01-01T00:00:00Z'), max: new Date('2099-12-31T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString());

/** One of these is accepted by every pattern that the contracts use; a new pattern may need a new sample. */
const samples = [
  'a',
  'Abcdefgh1',
  '00000000-0000-7000-8000-000000000000',
  'https://pictures.test/a.png',
  'somebody@example.test',
  'A-1-1',
  '4242424242424242',
  '12/29',
  '#7a1020',
];

function shaped(schema: SchemaObject): Arbitrary<string> {
  const minLength = numberOf(schema.minLength, 0);
  const maxLength = Math.max(minLength, Math.min(numberOf(schema.maxLength, textLengthMax), textLengthMax));
  const pattern = typeof schema.pattern === 'string' ? new RegExp(schema.pattern, 'u') : undefined;
  const fits = (value: string) =>
    [...value].length >= minLength && [...value].length <= maxLength && (pattern?.test(value) ?? true);
  const fallback = samples.find(fits);
  if (fallback === undefined) throw new Error(`no sample text fits ${JSON.stringify(schema)}`);
  const candidates = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'abcXYZ019 가나다é'), minLength, maxLength }),
    fc.string({ unit: 'grapheme', minLength, maxLength }),
    fc.uuid(),
    fc.emailAddress(),
    fc.webUrl(),
    fc.constantFrom(...samples),
  );
  return candidates.map((value) => (fits(value) ? value : fallback));
}

function array(schema: SchemaObject, known: KnownValues, name: string): Arbitrary<unknown[]> {
  const minLength = numberOf(schema.minItems, 0);
  const maxLength = Math.max(minLength, Math.min(numberOf(schema.maxItems, arrayLengthMax), arrayLengthMax));
  return fc.array(schemaArbitrary(schema.items as SchemaObject, known, name), { minLength, maxLength });
}

function object(schema: SchemaObject, known: KnownValues): Arbitrary<Record<string, unknown>> {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, SchemaObject>;
    required?: string[];
  };
  const fields = Object.entries(properties).map(([name, field]) => [name, schemaArbitrary(field, known, name)]);
  return fc.record(Object.fromEntries(fields), { requiredKeys: required });
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
