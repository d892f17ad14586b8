import { parseTree } from '../source/parsed.ts';
import { isProduct } from '../source/paths.ts';
import type { Rule } from '../source/rule.ts';

const home = 'src/platform/http/names.ts';
/** Headers and cookies of our own, as the whole of a string. `x-accel-buffering` and the like are other people's names. */
const ownName =
  /^(x-(queue|user|entry|client|internal)-[a-z-]+|idempotency-key|urr-(access|refresh|oidc|device|vwr-token|entry-token|queue-ticket)[a-z-]*)$/;

/** CORS and OpenAPI know what this one file names, so a header that is spelled elsewhere is read but never announced. */
export const namesAreWrittenOnce: Rule = {
  name: 'names-are-written-once',
  mend: `Import it from ${home}.`,
  find: (tree) =>
    [...parseTree(tree).values()]
      .filter(({ path }) => isProduct(path) && path !== home)
      .flatMap(({ path, strings }) =>
        strings
          .filter(({ text }) => ownName.test(text))
          .map(({ text, line }) => ({ file: path, line, message: `spells the name ${text}` })),
      ),
};
