import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { aFolder } from '#test/kit/engines/scratch.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const files = ['package.json', 'package-lock.json', '.npmrc', 'tsconfig.json', 'vitest.config.ts'];
const folders = ['edge', 'scripts', 'src', 'test', 'tools', 'web'];
/** What addresses use in a way of their own, a space, and letters that are not ASCII. */
const oddName = 'a # path? 100%25 우르르';

test('a checkout in a folder with # ? % in its name builds its pages and runs its tests', async () => {
  const checkout = join(await aFolder('odd'), oddName);
  mkdirSync(checkout);
  for (const name of [...files, ...folders])
    cpSync(join(root, name), join(checkout, name), { recursive: true, filter: isSource });
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
  const node = (...args: string[]) => {
    // What this run was given for its own checkout is not for that one.
    const { URR_PLAIN_ROOT, NODE_OPTIONS, URR_TEST_SCRATCH, ...env } = process.env;
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: checkout, env, encoding: 'utf8' });
    return { status, said: stdout + stderr };
  };

  const pages = pathToFileURL(join(checkout, 'scripts/lib/pages.mjs')).href;
  const build = node('-e', `import(${JSON.stringify(pages)}).then(({ ensurePages }) => ensurePages(process.execPath))`);
  expect(build.status, build.said).toBe(0);
  expect(existsSync(join(checkout, 'web/dist/index.html'))).toBe(true);

  const run = node('scripts/test.mjs', 'src/platform/schemas.unit.test.ts');
  expect(run.status, run.said).toBe(0);
  expect(run.said).toMatch(/\n[1-9]\d* passed, 0 failed\n$/);
});

function isSource(path: string): boolean {
  return !path.startsWith(join(root, 'web/dist'));
}
