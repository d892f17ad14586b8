import { realpathSync } from 'node:fs';
import type { Plugin } from 'vite';

/** For a checkout that is shown to Vite through a link (scripts/lib/plain-path.mjs): files are named by the link everywhere. */
export function plainPath(): Plugin[] {
  const link = process.env.URR_PLAIN_ROOT;
  if (!link) return [];
  const real = realpathSync(link);
  return [
    {
      name: 'plain-path',
      enforce: 'pre',
      config: () => ({ resolve: { preserveSymlinks: true } }),
      resolveId: (id) => (id.startsWith(`${real}/`) ? link + id.slice(real.length) : undefined),
    },
  ];
}
