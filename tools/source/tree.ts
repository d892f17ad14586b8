import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files of the project by their path from the root, with `/` between folders. What is not text has null. */
export type SourceTree = ReadonlyMap<string, string | null>;

/** What git ignores, plus git itself. Kept here so that a copy without git can be checked too. */
const skipped = new Set(['node_modules', '.git', '.cache', '.urr', 'dist']);
const textBytesMax = 4 * 1024 * 1024;

export function readTree(root: string): SourceTree {
  const tree = new Map<string, string | null>();
  for (const entry of readdirSync(root, { withFileTypes: true }).sort(byName)) {
    walk(root, entry.name, entry.isDirectory(), tree);
  }
  return tree;
}

function walk(root: string, path: string, isFolder: boolean, tree: Map<string, string | null>): void {
  const name = path.slice(path.lastIndexOf('/') + 1);
  // Also where it is a link, or a file as in a second work tree of git.
  if (skipped.has(name)) return;
  if (!isFolder) {
    if (!name.endsWith('.log')) tree.set(path, readText(join(root, path)));
    return;
  }
  for (const entry of readdirSync(join(root, path), { withFileTypes: true }).sort(byName)) {
    walk(root, `${path}/${entry.name}`, entry.isDirectory(), tree);
  }
}

function readText(file: string): string | null {
  const bytes = readFileSync(file);
  return bytes.length > textBytesMax || bytes.includes(0) ? null : bytes.toString('utf8');
}

function byName(one: { name: string }, other: { name: string }): number {
  return one.name < other.name ? -1 : 1;
}
