import type { FastifyInstance } from 'fastify';
import type { ErrorSection } from '../error-sections.ts';
import { policyOf } from './answer-policy.ts';
import { shapeOf } from './docs-shape.ts';
import { registerDocsViewer } from './docs-viewer.ts';
import type { OpenApiObject, OperationObject, ResponseObject, ResponseRef } from './openapi-parts.ts';

export interface DocsOptions {
  readonly openapi: OpenApiObject;
  readonly errors: readonly ErrorSection[];
}

/**
 * The API for people at `/docs`, every error code at `/docs/errors`, and for programs `/docs/openapi.json`. The API is at
 * `/docs/plain` once more: written once at start, without any script, for readers and browsers that take none.
 */
export function registerDocs(app: FastifyInstance, { openapi, errors }: DocsOptions): void {
  registerDocsViewer(app, { title: escapeHtml(openapi.info.title) });
  const files = [
    { url: '/docs/plain', type: html, body: page(openapi.info.title, operationsPage(openapi)) },
    { url: '/docs/errors', type: html, body: page(`${openapi.info.title}: errors`, errorsPage(errors)) },
    { url: '/docs/docs.css', type: 'text/css; charset=utf-8', body: stylesheet },
    { url: '/docs/openapi.json', type: 'application/json; charset=utf-8', body: JSON.stringify(openapi) },
  ];
  for (const { url, type, body } of files) {
    app.get(url, { config: { policy: docsPolicy } }, (_request, reply) =>
      reply.type(type).header('cache-control', 'public, max-age=60').send(body),
    );
  }
}

/** One style sheet of this site. No script, no form, no inline style. */
const docsPolicy = policyOf({ 'style-src': ["'self'"] });
const html = 'text/html; charset=utf-8';

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="/docs/docs.css">
</head>
<body>
<nav><a href="/docs">Try it</a> <a href="/docs/plain">Operations</a> <a href="/docs/errors">Errors</a> <a href="/docs/openapi.json">openapi.json</a></nav>
<main>
${body}
</main>
</body>
</html>
`;
}

function operationsPage(openapi: OpenApiObject): string {
  const { info, tags, paths } = openapi;
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const sections = tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    return `<h2 id="${escapeHtml(name)}">${escapeHtml(name)}</h2>\n<p>${escapeHtml(description)}</p>\n${own.map((one) => operationHtml(openapi, one)).join('\n')}`;
  });
  return `<h1>${escapeHtml(info.title)} <small>${escapeHtml(info.version)}</small></h1>\n<p>${prose(info.description)}</p>\n${sections.join('\n')}`;
}

function operationHtml(
  openapi: OpenApiObject,
  {
    path,
    method,
    operation,
  }: {
    path: string;
    method: string;
    operation: OperationObject;
  },
): string {
  const parameters = operation.parameters.map(
    (one) =>
      `<tr><td><code>${escapeHtml(one.name)}</code></td><td>${one.in}${one.required ? ', required' : ''}</td>` +
      `<td><code>${escapeHtml(shapeOf(one.schema))}</code></td><td>${prose(one.description ?? '')}</td></tr>`,
  );
  const body = operation.requestBody?.content?.['application/json'];
  const responses = Object.entries(operation.responses).map(([status, response]) =>
    responseHtml(status, resolve(openapi, response)),
  );
  return `<details id="${escapeHtml(operation.operationId)}">
<summary><b class="${method.toLowerCase()}">${method}</b> <code>${escapeHtml(path)}</code> ${escapeHtml(operation.summary)}</summary>
<p><code>${escapeHtml(operation.operationId)}</code> · ${escapeHtml(accessWords(operation))} · rate class ${escapeHtml(operation['x-urr-rate'])}</p>
${operation.description === undefined ? '' : `<p>${prose(operation.description)}</p>`}
${parameters.length === 0 ? '' : tableHtml(`Parameters of ${operation.operationId}`, parameters)}
${body === undefined ? '' : `<h3>Body</h3>\n<pre>${escapeHtml(shapeOf(body.schema))}</pre>`}
<h3>Answers</h3>
${responses.join('\n')}
</details>`;
}

function resolve({ components }: OpenApiObject, response: ResponseObject | ResponseRef): ResponseObject {
  if (!('$ref' in response)) return response;
  const name = response.$ref.slice(response.$ref.lastIndexOf('/') + 1);
  return components.responses[name] ?? { description: name };
}

function responseHtml(status: string, { description, content }: ResponseObject): string {
  const schema = content?.['application/json']?.schema;
  return `<p><b>${escapeHtml(status)}</b> ${prose(description)}</p>${schema === undefined ? '' : `\n<pre>${escapeHtml(shapeOf(schema))}</pre>`}`;
}

function accessWords({ 'x-urr-access': access }: OperationObject): string {
  if (access === 'public') return 'anyone';
  if (access === 'user') return 'anyone who is signed in';
  return `only ${access.join(', ')}`;
}

function errorsPage(sections: readonly ErrorSection[]): string {
  const tables = sections.map(({ name, summary, table }) => {
    const rows = Object.entries(table).map(
      ([code, { status, title, help }]) =>
        `<tr id="${escapeHtml(code)}"><td><code>${escapeHtml(code)}</code></td><td>${status}</td><td>${escapeHtml(title)}</td><td>${prose(help)}</td></tr>`,
    );
    const head = '<tr><th>code</th><th>status</th><th>title</th><th>what to do</th></tr>';
    return `<h2>${escapeHtml(name)}</h2>\n<p>${escapeHtml(summary)}</p>\n${tableHtml(`Errors of ${name}`, [head, ...rows])}`;
  });
  return `<h1>Errors</h1>\n<p>The <code>code</code> of a problem document, and what it asks of the caller.</p>\n${tables.join('\n')}`;
}

/** Scrolls by itself where the screen is too narrow for it, by the keyboard as well. */
function tableHtml(label: string, rows: readonly string[]): string {
  return `<div class="wide" role="region" aria-label="${escapeHtml(label)}" tabindex="0"><table>\n${rows.join('\n')}\n</table></div>`;
}

/** Escaped, with `code` between backticks. */
function prose(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

const stylesheet = `:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 0 auto; padding: 1rem; }
nav a { display: inline-block; margin-right: 1rem; }
code, pre { font: 0.875em/1.5 ui-monospace, monospace; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: 0.75rem; border: 1px solid #8884; border-radius: 0.375rem; }
p, h2, summary { overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
.wide table { min-width: 36rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.375rem 0.5rem; border-bottom: 1px solid #8884; }
tr:target { background: #fd08; }
details { border: 1px solid #8884; border-radius: 0.375rem; margin: 0.5rem 0; padding: 0.5rem 0.75rem; }
summary { cursor: pointer; }
summary b { display: inline-block; min-width: 4.5rem; }
`;
