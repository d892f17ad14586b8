import type { Rule } from '../source/rule.ts';
import { codeRules } from './code.ts';
import { oneDatabaseClock } from './database-clock.ts';
import { fileRules } from './files.ts';
import { namesAreWrittenOnce } from './names.ts';
import { papersNameRealFiles } from './papers.ts';
import { platformKnowsNoBusiness } from './platform-words.ts';

/** What neither the type checker nor the linter can see. */
export const houseRules: readonly Rule[] = [
  ...codeRules,
  oneDatabaseClock,
  ...fileRules,
  namesAreWrittenOnce,
  papersNameRealFiles,
  platformKnowsNoBusiness,
];
