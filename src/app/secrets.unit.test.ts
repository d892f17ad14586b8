import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemRandom } from '#platform/random.ts';
import { testSecrets } from '#test/kit/secrets.ts';
import { loadConfig, secretKeys } from './config.ts';
import { withSecrets } from './secrets.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'urr-secrets-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function secretsIn(dataDir: string, env: Readonly<Record<string, string>> = {}) {
  const config = withSecrets(loadConfig({ ...env, URR_DATA_DIR: dataDir }).config, systemRandom);
  return Object.fromEntries(secretKeys.map((key) => [key, config[key]]));
}

describe('secrets that were not given', () => {
  it('are made once, all different, and kept for their owner only', () => {
    const dataDir = join(folder, 'new', 'data');
    const made = secretsIn(dataDir);
    expect(new Set(Object.values(made).flat()).size).toBe(secretKeys.length);
    expect(secretsIn(dataDir)).toEqual(made);
    expect(statSync(join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600);
  });

  it('leave given ones alone, and those are not written down', () => {
    const given = 'g'.repeat(32);
    const made = secretsIn(folder, { URR_TICKET_SECRET: given });
    expect(made.ticketSecrets).toEqual([given]);
    expect(readFileSync(join(folder, 'secrets.json'), 'utf8')).not.toContain(given);
  });

  it('are not made in production: a key that only one role needs is missing there, and nothing is written', () => {
    const all = { ...testSecrets, URR_MODE: 'production' };
    expect(secretsIn(folder, all).ticketSigningKeys).toEqual([]);
    expect(existsSync(join(folder, 'secrets.json'))).toBe(false);
  });

  it('say what to do when the file is damaged or the folder is none', () => {
    writeFileSync(join(folder, 'secrets.json'), '{');
    expect(() => secretsIn(folder)).toThrow(/secrets\.json is damaged; delete it/);
    expect(() => secretsIn(join(folder, 'secrets.json'))).toThrow(/URR_DATA_DIR must be a folder/);
    expect(() => secretsIn(join(folder, 'secrets.json', 'below'))).toThrow(/URR_DATA_DIR must be a folder/);
  });
});
