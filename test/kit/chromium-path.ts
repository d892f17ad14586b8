import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The browser of this machine. */
export function chromiumPath(): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
    const path = folders.map((folder) => join(folder, name)).find(existsSync);
    if (path !== undefined) return path;
  }
  throw new Error('no Chromium on PATH: `npm test` installs it, or see docs/guides/engines.md');
}
