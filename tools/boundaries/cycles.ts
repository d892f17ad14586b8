import type { Rule } from '../source/rule.ts';
import { type ImportGraph, importGraph } from './graph.ts';

export const noCycles: Rule = {
  name: 'no-cycles',
  mend: 'Move what both need into a file of its own, or hand one to the other as a parameter.',
  find: (tree) =>
    cyclesOf(importGraph(tree)).map((files) => ({
      file: files[0] ?? '',
      message: `imports itself in a circle: ${[...files, files[0]].join(' → ')}`,
    })),
};

/** One circle for each knot of files, found by going down until a file on the way comes up again. */
function cyclesOf({ edges }: ImportGraph): string[][] {
  const cycles: string[][] = [];
  const done = new Set<string>();
  const way: string[] = [];
  const visit = (file: string): void => {
    if (done.has(file)) return;
    const at = way.indexOf(file);
    if (at >= 0) {
      cycles.push(way.slice(at));
      return;
    }
    way.push(file);
    for (const { to } of edges.get(file) ?? []) if (edges.has(to)) visit(to);
    way.pop();
    done.add(file);
  };
  for (const file of edges.keys()) visit(file);
  return cycles;
}
