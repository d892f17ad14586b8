import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { run, step } from './commands.mjs';
import { cache, exists, replaceFolder, root } from './paths.mjs';
import { plainRoot } from './plain-path.mjs';

const source = join(root, 'web');
/** The pages verify draws by the same code as everybody else. */
const sources = [source, join(root, 'edge', 'draw')];
const output = join(source, 'dist');
const stampFile = join(cache, 'pages.hash');

/** Builds the pages when their sources are not the ones of the last build. */
export async function ensurePages(node) {
  const wanted = await hashSources();
  const stamp = await readFile(stampFile, 'utf8').catch(() => '');
  if (stamp === wanted && (await exists(join(output, 'index.html')))) return;
  await step('building the pages', () => replaceFolder(output, (draft) => build(node, draft)));
  await writeFile(stampFile, wanted);
}

async function build(node, draft) {
  const folder = await mkdtemp(join(tmpdir(), 'urr-pages-'));
  try {
    const plain = await plainRoot(folder);
    const vite = join(plain.path, 'node_modules', 'vite', 'bin', 'vite.js');
    const outDir = join(plain.path, relative(root, draft));
    const what = [join(plain.path, 'web'), '--outDir', outDir, '--emptyOutDir', '--logLevel', 'warn', ...plain.args];
    await run(node, [vite, 'build', ...what], { cwd: root, env: { ...process.env, ...plain.env } });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function hashSources() {
  const hash = createHash('sha256').update(await readFile(join(root, 'package-lock.json')));
  for (const folder of sources)
    for (const path of await filesUnder(folder)) hash.update(path).update(await readFile(path));
  return hash.digest('hex');
}

async function filesUnder(folder) {
  const entries = await readdir(folder, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const files = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (path === output || entry.name === 'node_modules') continue;
    if (entry.isDirectory()) files.push(...(await filesUnder(path)));
    else files.push(path);
  }
  return files;
}
