import type { ErrorSection } from '#platform/error-sections.ts';
import { notice } from './generated-file.ts';
import { code, table } from './markdown.ts';

/** docs/reference/errors.md */
export function renderErrors(sections: readonly ErrorSection[]): string {
  const parts = sections.map(({ name, summary, table: errors }) => {
    const rows = Object.entries(errors)
      .sort(([one, a], [other, b]) => a.status - b.status || (one < other ? -1 : 1))
      .map(([name, { status, title, help, retryAfterSeconds }]) => [
        code(name),
        String(status),
        title,
        help,
        retryAfterSeconds === undefined ? '' : `${retryAfterSeconds} s`,
      ]);
    return `## ${name}\n\n${summary}\n\n${table(['code', 'status', 'title', 'what to do', 'Retry-After'], rows)}\n`;
  });
  return `${notice}

# Errors

Every refusal is a problem document (RFC 9457, \`application/problem+json\`) with a stable \`code\`:

\`\`\`json
{ "type": "/docs/errors#NOT_FOUND", "title": "Not found", "status": 404, "code": "NOT_FOUND", "requestId": "…" }
\`\`\`

${parts.join('\n')}`;
}
