import { isTest } from '../source/paths.ts';
import type { Rule } from '../source/rule.ts';

/** Words that mean nothing but business. `event`, `slot` and `queue` mean something to a bus, a Redis Cluster and a lane as well. */
const businessWord = /seat|ticket|reservation|payment|refund|venue|artist|buyer|seller|vwr|waiting.?room/i;

const comment = /^\s*(\*|\/\*|\/\/|--)/;

/**
 * Of the code in `src/platform` only `http/` speaks of the business: a route's contract says who may call it, and in whose
 * turn. A comment may take its example there.
 */
export const platformKnowsNoBusiness: Rule = {
  name: 'platform-knows-no-business',
  mend: 'Move it to the module whose word it is, or find the word for what it does for every module.',
  find: (tree) =>
    [...tree].flatMap(([file, text]) => {
      if (!/^src\/platform\/(?!http\/).*\.(ts|lua|sql)$/.test(file) || isTest(file) || text === null) return [];
      return `${file}\n${text}`.split('\n').flatMap((content, line) => {
        const word = businessWord.exec(content)?.[0];
        return word === undefined || comment.test(content)
          ? []
          : [{ file, line: Math.max(1, line), message: `speaks of ${word}` }];
      });
    }),
};
