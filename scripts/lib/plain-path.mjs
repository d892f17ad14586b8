import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './paths.mjs';

/**
 * Vite takes `#` and `?` in a path for parts of an address, and vitest decodes `%`. A checkout in such a folder is shown to
 * them through a link, and Node is told not to look behind it (with tools/plain-path.ts, which tells Vite the same).
 * @param {string} folder for the link
 * @returns {Promise<{ path: string, args: string[], env: Record<string, string> }>} the root, and what Vite's commands need for it
 */
export async function plainRoot(folder) {
  if (!/[#?%]/.test(root)) return { path: root, args: [], env: {} };
  const path = join(folder, 'root');
  await symlink(root, path);
  const options = [process.env.NODE_OPTIONS, '--preserve-symlinks', '--preserve-symlinks-main'];
  return {
    path,
    args: ['--configLoader', 'native'],
    env: { NODE_OPTIONS: options.filter(Boolean).join(' '), URR_PLAIN_ROOT: path },
  };
}
