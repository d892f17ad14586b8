import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Engine } from './engine.ts';
import { createEngine } from './engine-process.ts';
import { freePort } from './ports.ts';

export interface NginxEngine extends Engine {
  readonly url: string;
}

const shipped = fileURLToPath(new URL('../../../deploy/nginx/urr.conf', import.meta.url));

/** nginx as it is shipped to stand in front of urr, with the three lines changed that everybody has to change. */
export async function startNginx({ dir, upstream }: { dir: string; upstream: string }): Promise<NginxEngine> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const changes = [
    ['/var/cache/nginx/urr', join(dir, 'cache')],
    ['127.0.0.1:3000', new URL(upstream).host],
    ['listen 8080', `listen 127.0.0.1:${port}`],
  ] as const;
  let site = await readFile(shipped, 'utf8');
  for (const [from, to] of changes) {
    if (!site.includes(from)) throw new Error(`${shipped} does not say ${from}`);
    site = site.replace(from, to);
  }
  await mkdir(join(dir, 'temp'), { recursive: true });
  await writeFile(join(dir, 'urr.conf'), site);
  await writeFile(join(dir, 'nginx.conf'), mainConfig(dir));
  const engine = await createEngine({
    name: 'nginx',
    command: 'nginx',
    args: ['-p', dir, '-c', join(dir, 'nginx.conf')],
    dir,
    ready: () => fetch(`${url}/vwr/status/nobody`),
  });
  return { ...engine, url };
}

/** One process in the foreground, which writes nowhere but here. */
function mainConfig(dir: string): string {
  const temps = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `  ${kind}_temp_path ${join(dir, 'temp', kind)};`,
  );
  return `daemon off;
master_process off;
pid ${join(dir, 'nginx.pid')};
error_log stderr warn;
events { worker_connections 8192; }
http {
  access_log off;
${temps.join('\n')}
  include ${join(dir, 'urr.conf')};
}
`;
}
