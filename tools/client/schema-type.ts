/** The part of JSON Schema that route schemas use. What is not understood becomes `unknown`, never a wrong type. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly required?: readonly string[];
  readonly items?: JsonSchema | readonly JsonSchema[] | boolean;
  readonly prefixItems?: readonly JsonSchema[];
  readonly description?: string;
  readonly format?: string;
}

/** The TypeScript type of the values that a schema accepts, as text. */
export function schemaType(schema: JsonSchema, indent = ''): string {
  if (schema.$ref !== undefined) return typeNameOfRef(schema.$ref);
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map(literal));
  if (schema.anyOf !== undefined) return union(schema.anyOf.map((member) => schemaType(member, indent)));
  if (schema.oneOf !== undefined) return union(schema.oneOf.map((member) => schemaType(member, indent)));
  if (schema.allOf !== undefined) return schema.allOf.map((member) => grouped(schemaType(member, indent))).join(' & ');
  if (schema.not !== undefined && Object.keys(schema.not).length === 0) return 'never';
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => schemaType({ ...schema, type }, indent)));

  switch (schema.type) {
    case 'string':
      return schema.format === 'binary' ? 'Blob' : 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array':
      return arrayType(schema, indent);
    case 'object':
      return objectType(schema, indent);
    default:
      return schema.properties === undefined ? 'unknown' : objectType(schema, indent);
  }
}

function typeNameOfRef(ref: string): string {
  return pascalCase(decodeURIComponent(ref.slice(ref.lastIndexOf('/') + 1)));
}

export function pascalCase(text: string): string {
  const name = text.replaceAll(/[^A-Za-z0-9]+(.)?/g, (_, next: string | undefined) => (next ?? '').toUpperCase());
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

/** A property name as it may stand in a type or an object literal. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

function objectType(schema: JsonSchema, indent: string): string {
  const required = new Set(schema.required ?? []);
  const inner = `${indent}  `;
  const lines = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const mark = required.has(name) ? '' : '?';
    return `${comment(property, inner)}${inner}${propertyName(name)}${mark}: ${schemaType(property, inner)};\n`;
  });
  const record = recordType(schema, indent);
  if (lines.length === 0)
    return record ?? (schema.additionalProperties === false ? 'Record<string, never>' : 'Record<string, unknown>');
  const object = `{\n${lines.join('')}${indent}}`;
  return record === undefined ? object : `${object} & ${record}`;
}

/** A map: `patternProperties`, or `additionalProperties` with a schema of their own. */
function recordType(schema: JsonSchema, indent: string): string | undefined {
  const values = Object.values(schema.patternProperties ?? {}).map((value) => schemaType(value, indent));
  if (typeof schema.additionalProperties === 'object') values.push(schemaType(schema.additionalProperties, indent));
  return values.length === 0 ? undefined : `Record<string, ${union(values)}>`;
}

function arrayType(schema: JsonSchema, indent: string): string {
  const tuple =
    schema.prefixItems ?? (Array.isArray(schema.items) ? (schema.items as readonly JsonSchema[]) : undefined);
  if (tuple !== undefined) return `[${tuple.map((item) => schemaType(item, indent)).join(', ')}]`;
  if (typeof schema.items !== 'object') return 'unknown[]';
  return `${grouped(schemaType(schema.items as JsonSchema, indent))}[]`;
}

function union(types: readonly string[]): string {
  const members = [...new Set(types)];
  if (members.includes('unknown')) return 'unknown';
  return members.length === 0 ? 'never' : members.join(' | ');
}

/** Puts brackets round a union so that `[]` or `&` binds to all of it. Unions inside braces are bound already. */
function grouped(type: string): string {
  let depth = 0;
  for (const letter of type) {
    if ('{[<('.includes(letter)) depth += 1;
    else if ('}]>)'.includes(letter)) depth -= 1;
    else if (depth === 0 && (letter === '|' || letter === '&')) return `(${type})`;
  }
  return type;
}

function literal(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'unknown' : JSON.stringify(value);
}

function comment(schema: JsonSchema, indent: string): string {
  if (schema.description === undefined) return '';
  return `${indent}/** ${schema.description.replaceAll('*/', '*\\/').replaceAll(/\s+/g, ' ').trim()} */\n`;
}
