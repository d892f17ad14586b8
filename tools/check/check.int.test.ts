import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lint } from './lint.ts';
import { checkTypes } from './types.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'urr-check-'));
  write('tsconfig.json', compilerOptions(['src']));
  write('web/tsconfig.json', compilerOptions(['src']));
  write('package.json', '{ "type": "module" }\n');
  // The project's own rules, for code only. There is no git here whose ignore file could be read.
  const json = { formatter: { enabled: false } };
  write('biome.json', JSON.stringify({ ...readJson('biome.json'), $schema: undefined, vcs: { enabled: false }, json }));
  write('src/main.ts', 'export const seats = 1;\n');
  write('web/src/main.tsx', "export const page = 'seats';\n");
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('types', () => {
  it('pass in a sound project', async () => {
    expect((await checkTypes(root)).problems).toEqual([]);
  });

  it('fail for the program and for the pages, all reported together', async () => {
    write('src/main.ts', "export const seats: number = 'one';\nexport const row: string = 1;\n");
    write('web/src/main.tsx', 'export const page: string = 2;\n');
    const texts = (await checkTypes(root)).problems.map((problem) => problem.text);
    expect(texts).toEqual([
      expect.stringContaining('src/main.ts(1,14): error TS2322'),
      expect.stringContaining('src/main.ts(2,14): error TS2322'),
      expect.stringContaining('web/src/main.tsx(1,14): error TS2322'),
    ]);
  });

  it('are the strict ones', async () => {
    write('src/main.ts', 'const rows: string[] = [];\nexport const row: string = rows[0];\nexport enum Grade { A }\n');
    const texts = (await checkTypes(root)).problems.map((problem) => problem.text).join('\n');
    expect(texts).toMatch(/main\.ts\(2,14\).*not assignable/);
    expect(texts).toMatch(/main\.ts\(3,13\).*erasableSyntaxOnly/);
  });
});

describe('lint and format', () => {
  it('pass in a sound project', async () => {
    expect((await lint(root)).problems).toEqual([]);
  });

  it.each([
    ['noExplicitAny', 'export const seats: any = 1;\n'],
    ['noNonNullAssertion', 'export const seat = (seats: string[]) => seats[0]!;\n'],
    ['noUnusedImports', "import { join } from 'node:path';\n\nexport const seats = 1;\n"],
    ['noUnusedVariables', 'const seats = 1;\n'],
    ['noUnusedFunctionParameters', 'export const seats = (row: number) => 1;\n'],
    ['useImportType', "import { Stats } from 'node:fs';\n\nexport type Seats = Stats;\n"],
    ['useNodejsImportProtocol', "export { join } from 'path';\n"],
    ['noFocusedTests', "import { it } from 'vitest';\n\nit.only('sells', () => {});\n"],
    ['noSkippedTests', "import { it } from 'vitest';\n\nit.skip('sells', () => {});\n"],
    ['File content differs from formatting output', 'export const seats = "one"\n'],
  ])('%s fails when broken', async (name, source) => {
    write('src/main.ts', source);
    const { problems } = await lint(root);
    expect(problems.map((problem) => problem.text).join()).toContain(name);
  });
});

describe('npm run check', () => {
  it('reports what every step found, how to mend it, and ends with 1', async () => {
    write('package.json', JSON.stringify({ type: 'module', imports: { '#modules/*': './src/modules/*' } }));
    write('src/main.ts', "import '#modules/seats/hidden.ts';\nexport const seats: number = 'one';\n");
    write('src/modules/seats/hidden.ts', 'export {}\n');
    const child = spawn(process.execPath, [join(project, 'tools/check.ts'), root], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [printed, code] = await Promise.all([
      text(child.stderr),
      new Promise((resolve) => child.once('close', resolve)),
    ]);
    expect(code).toBe(1);
    expect(printed).toContain('src/main.ts(2,14): error TS2322');
    expect(printed).toContain('src/modules/seats/hidden.ts format');
    expect(printed).toContain('src/main.ts:1 imports #modules/seats/hidden.ts: this is inside another module');
    expect(printed).toContain('docs/reference/errors.md is missing');
    expect(printed).toContain('→ Run `npm run generate` and commit what it writes.');
    expect(printed.match(/^✗ .* found\)$/gm)).toHaveLength(4);
  });
});

function write(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

function readJson(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(project, path), 'utf8')) as Record<string, unknown>;
}

/** The project's own strictness, without the types of Node, which are not installed here. */
function compilerOptions(include: string[]): string {
  const options = readJson('tsconfig.json').compilerOptions as Record<string, unknown>;
  return JSON.stringify({ compilerOptions: { ...options, types: [] }, include });
}
