import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchRoot } from './scratch.ts';

/** What `npm test` reads at its end: processes that should be gone by then, each with a mark to recognise it by. */
export function record(engine: { pid: number; name: string; dir: string }): void {
  const folder = join(scratchRoot(), 'pids');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${engine.pid}.json`), JSON.stringify(engine));
}

export function forget(pid: number): void {
  rmSync(join(scratchRoot(), 'pids', `${pid}.json`), { force: true });
}
