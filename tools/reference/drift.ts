import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GeneratedFile } from './generated-file.ts';

/** The files that differ from what they should be, with the first line that does. */
export function findDrift(root: string, files: readonly GeneratedFile[]): { path: string; message: string }[] {
  return files.flatMap(({ path, text }) => {
    const present = readOrNull(join(root, path));
    if (present === text) return [];
    if (present === null) return [{ path, message: 'is missing' }];
    const [before, after] = [present.split('\n'), text.split('\n')];
    const line = after.findIndex((content, index) => content !== before[index]);
    return [{ path, message: `differs from its sources at line ${line < 0 ? after.length : line + 1}` }];
  });
}

export function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
