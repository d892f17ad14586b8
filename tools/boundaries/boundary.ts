import type { Rule } from '../source/rule.ts';
import { type Edge, importGraph } from './graph.ts';

export interface Boundary {
  readonly name: string;
  /** The files that the rule binds. */
  readonly from: (path: string) => boolean;
  /** Whether this file may import that target (a path, `npm:<package>` or `node:<name>`). */
  readonly allows: (from: string, to: string, edge: Edge) => boolean;
  readonly message: string;
  readonly mend: string;
}

export function boundaryRule(boundary: Boundary): Rule {
  return {
    name: boundary.name,
    mend: boundary.mend,
    find: (tree) =>
      [...importGraph(tree).edges]
        .filter(([path]) => boundary.from(path))
        .flatMap(([path, edges]) =>
          edges
            // A target that does not exist is for the type check to report.
            .filter((edge) => !edge.to.startsWith('missing:') && !boundary.allows(path, edge.to, edge))
            .map((edge) => ({
              file: path,
              line: edge.line,
              message: `imports ${edge.specifier}: ${boundary.message}`,
            })),
        ),
  };
}
