import type { SourceTree } from './tree.ts';

/** Something the project promises about its files. Each has a test that breaks it. */
export interface Rule {
  readonly name: string;
  /** How to mend it, in one sentence. */
  readonly mend: string;
  find(tree: SourceTree): readonly Place[];
}

export interface Place {
  readonly file: string;
  readonly line?: number;
  readonly message: string;
}

export interface Finding extends Place {
  readonly rule: string;
  readonly mend: string;
}

export function findAll(rules: readonly Rule[], tree: SourceTree): Finding[] {
  return rules.flatMap((rule) => rule.find(tree).map((place) => ({ ...place, rule: rule.name, mend: rule.mend })));
}
