import type { SchemaObject } from './openapi-parts.ts';

const depthMax = 8;

/** A JSON Schema in the short notation of a TypeScript type, with its limits in words, for people to read. */
export function shapeOf(schema: SchemaObject, depth = 0): string {
  if (depth > depthMax) return '…';
  if (typeof schema.$ref === 'string') return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  for (const [keyword, mark] of [
    ['anyOf', ' | '],
    ['oneOf', ' | '],
    ['allOf', ' & '],
  ] as const) {
    const members = schema[keyword];
    if (Array.isArray(members)) return [...new Set(members.map((member) => shapeOf(member, depth)))].join(mark);
  }
  if (Array.isArray(schema.type)) return schema.type.join(' | ');
  if (schema.type === 'array') {
    const items = schema.items;
    return `${isSchema(items) ? `(${shapeOf(items, depth)})` : 'unknown'}[]${limitsOf(schema)}`;
  }
  if (isSchema(schema.properties)) return objectShape(schema, schema.properties, depth);
  if (schema.type === 'object') return 'object';
  return `${typeof schema.type === 'string' ? schema.type : 'unknown'}${limitsOf(schema)}`;
}

function objectShape(schema: SchemaObject, properties: SchemaObject, depth: number): string {
  const indent = '  '.repeat(depth + 1);
  const required = Array.isArray(schema.required) ? schema.required : [];
  const lines = Object.entries(properties).map(([name, field]) => {
    const inner = isSchema(field) ? field : {};
    const note = typeof inner.description === 'string' ? `  // ${inner.description}` : '';
    return `${indent}${name}${required.includes(name) ? '' : '?'}: ${shapeOf(inner, depth + 1)}${note}\n`;
  });
  return lines.length === 0 ? '{}' : `{\n${lines.join('')}${'  '.repeat(depth)}}`;
}

const limitWords: Readonly<Record<string, string>> = {
  format: '',
  minLength: 'at least ',
  maxLength: 'at most ',
  minimum: '≥ ',
  maximum: '≤ ',
  minItems: 'at least ',
  maxItems: 'at most ',
};

function limitsOf(schema: SchemaObject): string {
  const limits = Object.entries(limitWords).flatMap(([keyword, words]) =>
    schema[keyword] === undefined ? [] : [`${words}${schema[keyword]}`],
  );
  return limits.length === 0 ? '' : ` (${limits.join(', ')})`;
}

function isSchema(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
