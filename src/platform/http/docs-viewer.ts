import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { FastifyInstance } from 'fastify';
import { policyOf } from './answer-policy.ts';

/**
 * Swagger UI at `/docs`, where each operation can be tried with the cookies of the browser. All of it comes from this
 * process. It adds 12 MB and two packages to the installation; RapiDoc would add 156 MB in 149, Scalar 243 MB in 352.
 */
export function registerDocsViewer(app: FastifyInstance, { title }: { title: string }): void {
  const files = [
    { url: '/docs', type: 'text/html; charset=utf-8', cache: brief, body: page(title) },
    { url: '/docs/viewer.js', type: script, cache: brief, body: start },
    { url: `${folder}/swagger-ui.css`, type: 'text/css; charset=utf-8', cache: forGood, body: asset('swagger-ui.css') },
    { url: `${folder}/swagger-ui-bundle.js`, type: script, cache: forGood, body: asset('swagger-ui-bundle.js') },
  ];
  for (const { url, type, cache, body } of files) {
    app.get(url, { config: { policy: viewerPolicy } }, (_request, reply) =>
      reply.type(type).header('cache-control', cache).send(body),
    );
  }
}

/** The viewer and what it calls are of this site. Its pictures are written into its style sheet. */
const viewerPolicy = policyOf({
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'img-src': ["'self'", 'data:'],
  'connect-src': ["'self'"],
});

const require = createRequire(import.meta.url);
const { version } = require('swagger-ui-dist/package.json') as { version: string };
/** Named after the version, so that browsers may keep what is in it. */
const folder = `/docs/swagger-ui-${version}`;
const script = 'text/javascript; charset=utf-8';
const brief = 'public, max-age=60';
const forGood = 'public, max-age=31536000, immutable';

function asset(name: string): Buffer {
  return readFileSync(require.resolve(`swagger-ui-dist/${name}`));
}

function page(title: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}: the API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${folder}/swagger-ui.css">
<script src="${folder}/swagger-ui-bundle.js" defer></script>
<script src="/docs/viewer.js" defer></script>
</head>
<body>
<nav class="swagger-ui"><div class="wrapper"><p>
<a href="/docs/plain">The same as a plain page</a> · <a href="/docs/errors">Errors</a> · <a href="/docs/openapi.json">openapi.json</a>
</p></div></nav>
<main id="api"><noscript>This page needs scripts. <a href="/docs/plain">The plain one</a> does not.</noscript></main>
</body>
</html>
`;
}

/** `validatorUrl`: by itself the viewer sends the document to a server of its makers. */
const start = `SwaggerUIBundle({
  url: '/docs/openapi.json',
  dom_id: '#api',
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  filter: true,
  defaultModelsExpandDepth: -1,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;
