import { code } from './markdown.ts';

/** The part of JSON Schema that contracts use. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly format?: string;
  readonly pattern?: string;
  readonly description?: string;
}

/** One row per field of an object, with those inside it below: `phases[].opensAt`. */
export function fieldsOf(schema: object, path = ''): string[][] {
  // Schemas come as plain JSON; anyone who reads them names the part that is used.
  const { properties = {}, required = [] } = schema as Schema;
  return Object.entries(properties).flatMap(([name, field]) => {
    const here = `${path}${name}`;
    const rows = [[code(required.includes(name) ? here : `${here}?`), formOf(field)]];
    if (field.properties) return [...rows, ...fieldsOf(field, `${here}.`)];
    if (field.items?.properties) return [...rows, ...fieldsOf(field.items, `${here}[].`)];
    return rows;
  });
}

function formOf(schema: Schema): string {
  const note = schema.description ? ` (${schema.description})` : '';
  return `${nameOf(schema)}${note}`;
}

function nameOf(schema: Schema): string {
  if (schema.anyOf) return schema.anyOf.map(nameOf).join(' or ');
  if (schema.const !== undefined) return code(String(schema.const));
  if (schema.enum) return schema.enum.map((value) => code(String(value))).join(', ');
  const types = [schema.type ?? 'anything'].flat().map((type) => wordFor(type, schema));
  return types.join(' or ');
}

function wordFor(type: string, { items, format, pattern }: Schema): string {
  if (type === 'array') return items ? `list of ${items.properties ? 'objects' : nameOf(items)}` : 'list';
  if (type !== 'string') return type;
  if (format === 'date-time') return 'time';
  return pattern?.startsWith('^[0-9a-f]{8}-') ? 'UUID' : 'string';
}
