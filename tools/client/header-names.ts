import { answerHeaders, callerHeaders } from '#platform/http/names.ts';

/** The names that the pages share with the server, which they may not import. */
export function renderHeaderNames(): string {
  return `// Generated from src/platform/http/names.ts by \`npm run generate\`. Do not edit.
${constant('callerHeaders', callerHeaders)}
${constant('answerHeaders', answerHeaders)}`;
}

function constant(name: string, names: Readonly<Record<string, string>>): string {
  const lines = Object.entries(names).map(([key, value]) => `  ${key}: '${value}',\n`);
  return `export const ${name} = {\n${lines.join('')}} as const;\n`;
}
