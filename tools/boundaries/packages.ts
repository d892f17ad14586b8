import { isProduct } from '../source/paths.ts';
import type { Rule } from '../source/rule.ts';
import { importGraph } from './graph.ts';

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Every package is asked for by name in package.json, and the program does not need those of development. */
export const packagesAreDeclared: Rule = {
  name: 'packages-are-declared',
  mend: 'Add the package to package.json: to `dependencies` if src/ needs it, else to `devDependencies`.',
  find(tree) {
    const manifest = JSON.parse(tree.get('package.json') ?? '{}') as Manifest;
    const runtime = new Set(Object.keys(manifest.dependencies ?? {}));
    const all = new Set([...runtime, ...Object.keys(manifest.devDependencies ?? {})]);
    return [...importGraph(tree).edges].flatMap(([file, edges]) =>
      edges
        .filter(({ to }) => to.startsWith('npm:') && !(isProduct(file) ? runtime : all).has(to.slice('npm:'.length)))
        .map(({ specifier, line }) => ({
          file,
          line,
          message: `imports ${specifier}, which package.json does not list`,
        })),
    );
  },
};
