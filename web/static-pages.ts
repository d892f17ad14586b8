import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Plugin } from 'vite';

/** Folders under `web/src` that become one file each: the waiting page, and the page that verifies a draw. */
const pages = ['vwr', 'fairness'] as const;

/**
 * Pages that are one file each, with their style and script inside, which a CDN can keep and any web server can send. Their
 * policy stands in the file itself, by the hashes of the two, so that nothing else in it could ever run.
 */
export function staticPages(): Plugin {
  let root = '';
  let outDir = '';
  return {
    name: 'static-pages',
    apply: 'build',
    configResolved(config) {
      root = config.root;
      outDir = config.build.outDir.startsWith('/') ? config.build.outDir : join(config.root, config.build.outDir);
    },
    async writeBundle() {
      for (const page of pages) {
        await mkdir(join(outDir, page), { recursive: true });
        await writeFile(join(outDir, page, 'index.html'), await makePage(root, page));
      }
    },
  };
}

async function makePage(root: string, page: string): Promise<string> {
  const folder = join(root, 'src', page);
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
  if (script === undefined || style === undefined) throw new Error(`the page ${page} was not built`);
  if (/<\/script|<!--/i.test(script)) throw new Error(`the script of the page ${page} would end its own element`);
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
  ].reduce((text, [place = '', replacement = '']) => {
    if (!text.includes(place)) throw new Error(`the page ${page} has no ${place}`);
    // By a function: a replacement text with `$&` in it would be read.
    return text.replace(place, () => replacement);
  }, html);
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
