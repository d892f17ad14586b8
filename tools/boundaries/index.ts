import type { Rule } from '../source/rule.ts';
import { boundaries } from './boundaries.ts';
import { boundaryRule } from './boundary.ts';
import { noCycles } from './cycles.ts';
import { noDeadExports, noDeadFiles } from './dead-code.ts';
import { farImportsAreNamed } from './houses.ts';
import { packagesAreDeclared } from './packages.ts';

/** Who may know whom. */
export const boundaryRules: readonly Rule[] = [
  ...boundaries.map(boundaryRule),
  packagesAreDeclared,
  farImportsAreNamed,
  noCycles,
  noDeadFiles,
  noDeadExports,
];
