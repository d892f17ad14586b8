import { isGenerated } from '../source/paths.ts';
import type { Rule } from '../source/rule.ts';
import type { SourceTree } from '../source/tree.ts';

/** `src/app/config.ts` between backticks; with `<name>`, `*` or `…` in it, it is a pattern and not a path. */
const namedPath = /`((?:src|test|tools|scripts|web|docs|bench|deploy|edge)\/[\w./-]+)`/g;
const link = /\]\((?!\w+:|#|\/)([^)#\s]+)(?:#[^)\s]*)?\)/g;
/** Made by a build or a run, so a checkout does not hold it. */
const made = /^web\/dist\b/;

/** A paper that names a file which moved sends its reader astray. */
export const papersNameRealFiles: Rule = {
  name: 'papers-name-real-files',
  mend: 'Name the file or folder as it is called now.',
  find: (tree) =>
    [...tree].flatMap(([file, text]) => {
      if (!file.endsWith('.md') || text === null || isGenerated(file)) return [];
      const folder = file.includes('/') ? file.slice(0, file.lastIndexOf('/')) : '';
      return text.split('\n').flatMap((line, index) => {
        const paths = [...line.matchAll(namedPath)].map(([, path = '']) => ({ path, bases: ['', folder] }));
        const links = [...line.matchAll(link)].map(([, path = '']) => ({ path, bases: [folder] }));
        return [...paths, ...links]
          .filter(({ path, bases }) => !made.test(path) && !bases.some((base) => exists(tree, join(base, path))))
          .map(({ path }) => ({ file, line: index + 1, message: `names ${path}, which does not exist` }));
      });
    }),
};

function join(base: string, path: string): string {
  const parts: string[] = [];
  for (const part of `${base}/${path}`.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}

function exists(tree: SourceTree, path: string): boolean {
  return tree.has(path) || [...tree.keys()].some((file) => file.startsWith(`${path}/`));
}
