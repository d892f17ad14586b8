import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Plugin } from 'vite';

/**
 * The waiting page: one file with its style and script inside, which a CDN can keep and any web server can send. Its
 * policy stands in the file itself, by the hashes of the two, so that nothing else in it could ever run.
 */
export function waitingPage(): Plugin {
  let root = '';
  let outDir = '';
  return {
    name: 'waiting-page',
    apply: 'build',
    configResolved(config) {
      root = config.root;
      outDir = config.build.outDir.startsWith('/') ? config.build.outDir : join(config.root, config.build.outDir);
    },
    async writeBundle() {
      await mkdir(join(outDir, 'vwr'), { recursive: true });
      await writeFile(join(outDir, 'vwr', 'index.html'), await makeWaitingPage(root));
    },
  };
}

async function makeWaitingPage(root: string): Promise<string> {
  const folder = join(root, 'src/vwr');
  const result = await build({
    root,
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      copyPublicDir: false,
      cssMinify: true,
      rolldownOptions: {
        input: { page: join(folder, 'page.ts') },
        output: { format: 'es', codeSplitting: false },
      },
    },
  });
  const outputs = [result].flat().flatMap((one) => ('output' in one ? one.output : []));
  const script = outputs.flatMap((one) => (one.type === 'chunk' && one.name === 'page' ? [one.code.trim()] : []))[0];
  const style = outputs.flatMap((one) =>
    one.type === 'asset' && one.fileName.endsWith('.css') ? [`${one.source}`.trim()] : [],
  )[0];
  if (script === undefined || style === undefined) throw new Error('the waiting page was not built');
  if (/<\/script|<!--/i.test(script)) throw new Error('the script of the waiting page would end its own element');
  const html = (await readFile(join(folder, 'page.html'), 'utf8')).replaceAll(/>\s*\n\s*</g, '><').trim();
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "img-src 'self' https:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return [
    ['content="made by the build"', `content="${policy}"`],
    ['<link rel="stylesheet" href="page.css">', `<style>${style}</style>`],
    ['<script src="page.ts"></script>', `<script>${script}</script>`],
  ].reduce((page, [place = '', text = '']) => {
    if (!page.includes(place)) throw new Error(`the waiting page has no ${place}`);
    // By a function: a replacement text with `$&` in it would be read.
    return page.replace(place, () => text);
  }, html);
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
