import { boundaryRules } from '../boundaries/index.ts';
import { houseRules } from '../rules/index.ts';
import { findAll } from '../source/rule.ts';
import { readTree } from '../source/tree.ts';
import { type Outcome, step } from './step.ts';

/** Who may know whom, and the rules of the project. */
export function checkSource(root: string): Promise<Outcome> {
  return step('boundaries and house rules', () =>
    findAll([...boundaryRules, ...houseRules], readTree(root)).map(({ rule, file, line, message, mend }) => ({
      text: `${file}${line === undefined ? '' : `:${line}`} ${message} (${rule})`,
      mend,
    })),
  );
}
