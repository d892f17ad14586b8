import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const guardFile = new URL('../../scripts/lib/guard.mjs', import.meta.url);

const checkouts: string[] = [];

afterEach(() => {
  for (const folder of checkouts.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A fresh checkout without packages, on a machine whose npm does what `npm` says. */
function runWith(npm: string): { status: number | null; stderr: string; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'urr-checkout-'));
  checkouts.push(folder);
  for (const name of ['scripts', 'package.json', 'package-lock.json', '.npmrc']) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  const cli = join(folder, 'npm-cli.js');
  writeFileSync(cli, npm);
  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'scripts', 'urr.mjs'), 'config'], {
    env: { ...process.env, npm_execpath: cli },
    encoding: 'utf8',
  });
  return { status, stderr, folder };
}

describe('setting up', () => {
  it('does not take packages for whole that npm only warned about', () => {
    const { status, stderr, folder } = runWith(
      `import { mkdirSync } from 'node:fs'; mkdirSync('node_modules'); console.error('npm warn tar TAR_ENTRY_ERROR ENOSPC: no space left on device, write');`,
    );
    expect(status).toBe(1);
    expect(stderr).toContain('The disk is full');
    expect(stderr).not.toContain('    at ');
    expect(existsSync(join(folder, 'node_modules'))).toBe(false);
    expect(readdirSync(join(folder, '.cache'))).toEqual([]);
  });

  it('says what to do about what the machine does not allow', async () => {
    const { explain } = (await import(guardFile.href)) as { explain: (error: unknown) => string };
    const failed = (message: string, facts = {}) => explain(Object.assign(new Error(message), facts));
    expect(failed('spawn npm ENOENT', { code: 'ENOENT', syscall: 'spawn npm' })).toContain('npm is not on the PATH');
    expect(failed("EROFS: read-only file system, mkdir '.cache'")).toContain('may not write there');
    expect(failed('npm ci failed (1):\nnpm error code EAI_AGAIN')).toContain('The network did not answer');
    expect(failed('The fetched Node does not run')).toBe('The fetched Node does not run');
  });

  it('shows the place of a mistake of its own', async () => {
    const { explain } = (await import(guardFile.href)) as { explain: (error: unknown) => string };
    expect(explain(new TypeError('x is not a function'))).toMatch(/TypeError: x is not a function\n\s+at /);
  });
});
