import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Random } from '#platform/random.ts';
import { type SecretKey, secretKeys, type UrrConfig } from './config.ts';

const secretBytes = 32;

/**
 * Secrets that were not given are made once and kept in the data folder, readable by its owner only. Production makes none:
 * `loadConfig` refuses to go on without those of every process, `urr serve` without those of its roles.
 */
export function withSecrets(config: UrrConfig, random: Random): UrrConfig {
  const missing = secretKeys.filter((key) => config[key].length === 0);
  if (missing.length === 0 || config.mode === 'production') return config;
  const path = join(config.dataDir, 'secrets.json');
  const kept = readKept(path);
  const made = missing.filter((key) => kept[key] === undefined);
  for (const key of made) kept[key] = random.bytes(secretBytes).toString('base64url');
  if (made.length > 0) keep(path, kept);
  return { ...config, ...Object.fromEntries(missing.map((key) => [key, [kept[key]]])) };
}

function keep(path: string, secrets: object): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    // Written beside and renamed, so that a crash leaves either the old file or the new one.
    writeFileSync(`${path}.new`, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch (error) {
    const reason = (error as Error).message;
    throw new Error(`the data folder cannot be written (${reason}). Set URR_DATA_DIR to a folder that can be.`, {
      cause: error,
    });
  }
}

function readKept(path: string): Partial<Record<SecretKey, string>> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Partial<Record<SecretKey, string>>;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return {};
    if (code === 'ENOTDIR') throw new Error(`URR_DATA_DIR must be a folder, and ${dirname(path)} is a file`);
    if (code !== undefined) throw new Error(`the secrets in the data folder cannot be read: ${message}`);
    const price = 'everybody is then signed out, and printed tickets no longer open the door';
    throw new Error(`${path} is damaged; delete it to have new secrets made (${price})`, { cause: error });
  }
}
