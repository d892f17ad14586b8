import { type Content, methods, type OpenApiDocument, type Operation, type Parameter } from './openapi.ts';
import { type JsonSchema, pascalCase, propertyName, schemaType } from './schema-type.ts';

/**
 * Writes the typed client of an OpenAPI document: one TypeScript file with the input and result of every operation and a
 * method for each, over the runtime beside it. The answer depends on the document alone, so a drift check can compare it.
 */
export function generateClient(document: OpenApiDocument): string {
  const operations = operationsOf(document);
  const schemas = Object.entries(document.components?.schemas ?? {});
  return [
    header,
    ...schemas.map(([name, schema]) => `export type ${pascalCase(name)} = ${schemaType(schema)};\n`),
    ...operations.flatMap((operation) => [inputType(operation), resultType(operation)]),
    clientInterface(operations),
    clientFactory(operations),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

const header = `// Generated from docs/reference/openapi.json by \`npm run generate\`. Do not edit.
import { type CallOptions, type ClientOptions, createCaller } from './runtime.ts';
`;

interface NamedOperation {
  readonly name: string;
  readonly typeName: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly parameters: readonly Parameter[];
}

function operationsOf(document: OpenApiDocument): NamedOperation[] {
  const operations: NamedOperation[] = [];
  const seen = new Set<string>();
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of methods) {
      const operation = item[method];
      if (operation === undefined) continue;
      const name = operation.operationId;
      if (name === undefined) throw new Error(`${method.toUpperCase()} ${path} has no operationId`);
      if (!/^[a-z]\w*$/i.test(name)) throw new Error(`operationId ${name} cannot be the name of a method`);
      if (seen.has(name)) throw new Error(`operationId ${name} is used twice`);
      seen.add(name);
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
      operations.push({ name, typeName: pascalCase(name), method: method.toUpperCase(), path, operation, parameters });
    }
  }
  return operations.sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** The parts of a call. A part is optional when the server asks nothing of it; the whole input is when every part is. */
function inputParts({ parameters, operation }: NamedOperation): { name: string; type: string; required: boolean }[] {
  const parts: { name: string; type: string; required: boolean }[] = [];
  const params = parameters.filter((parameter) => parameter.in === 'path');
  const query = parameters.filter((parameter) => parameter.in === 'query');
  if (params.length > 0) parts.push({ name: 'params', type: parametersType(params), required: true });
  if (query.length > 0) {
    parts.push({ name: 'query', type: parametersType(query), required: query.some((one) => one.required === true) });
  }
  const body = jsonSchemaOf(operation.requestBody?.content);
  if (body !== undefined) {
    parts.push({ name: 'body', type: schemaType(body, '  '), required: !mayBeLeftOut(operation, body) });
  }
  return parts;
}

/** A body that may be null may as well not be sent. */
function mayBeLeftOut(operation: Operation, body: JsonSchema): boolean {
  const members = body.anyOf ?? body.oneOf ?? [body];
  return (
    operation.requestBody?.required === false || members.some(({ type }) => type === 'null' || type?.includes('null'))
  );
}

function parametersType(parameters: readonly Parameter[]): string {
  const lines = parameters.map((parameter) => {
    const required = parameter.required === true || parameter.in === 'path';
    const type = schemaType(parameter.schema ?? {}, '    ');
    // The runtime leaves undefined out of the address, so a page may pass a filter that is not set.
    return `    ${propertyName(parameter.name)}${required ? '' : '?'}: ${type}${required ? '' : ' | undefined'};\n`;
  });
  return `{\n${lines.join('')}  }`;
}

function inputType(operation: NamedOperation): string {
  const parts = inputParts(operation);
  if (parts.length === 0) return '';
  const lines = parts.map(({ name, type, required }) => `  ${name}${required ? '' : '?'}: ${type};\n`);
  return `export interface ${operation.typeName}Input {\n${lines.join('')}}\n`;
}

function resultType({ typeName, operation }: NamedOperation): string {
  const types = Object.entries(operation.responses ?? {})
    .filter(([status]) => /^2/.test(status))
    .map(([status, response]) => (status === '204' ? 'undefined' : contentType(response.content)));
  return `export type ${typeName}Result = ${[...new Set(types)].join(' | ') || 'undefined'};\n`;
}

function contentType(content: Content | undefined): string {
  if (content === undefined || Object.keys(content).length === 0) return 'undefined';
  const schema = jsonSchemaOf(content);
  if (schema === undefined) return 'string';
  // A page lets the browser load a file, and does not ask for it through the client.
  return schema.format === 'binary' ? 'unknown' : schemaType(schema);
}

function jsonSchemaOf(content: Content | undefined): JsonSchema | undefined {
  return content?.['application/json']?.schema;
}

function clientInterface(operations: readonly NamedOperation[]): string {
  const lines = operations.map((operation) => {
    const parts = inputParts(operation);
    const optional = parts.every((part) => !part.required);
    const input = parts.length === 0 ? 'input?: undefined' : `input${optional ? '?' : ''}: ${operation.typeName}Input`;
    const summary = operation.operation.summary?.replaceAll('*/', '*\\/') ?? `${operation.method} ${operation.path}`;
    return `  /** ${summary} */\n  ${operation.name}(${input}, options?: CallOptions): Promise<${operation.typeName}Result>;\n`;
  });
  return `export interface Client {\n${lines.join('')}}\n`;
}

function clientFactory(operations: readonly NamedOperation[]): string {
  const lines = operations.map(
    ({ name, method, path }) => `    ${name}: (input, options) => call('${method}', '${path}', input, options),\n`,
  );
  return `export function createClient(options: ClientOptions = {}): Client {
  const call = createCaller(options);
  return {
${lines.join('')}  };
}
`;
}
