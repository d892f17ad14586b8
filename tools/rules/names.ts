import { parseTree } from '../source/parsed.ts';
import { isGenerated, isProduct, isTest } from '../source/paths.ts';
import type { Rule } from '../source/rule.ts';

const home = 'src/platform/http/names.ts';
/** What runs without urr has a copy, which a test compares. */
const edgeHome = 'edge/names.ts';
/** The pages have a copy, which is generated. Tests and benchmarks spell names out, as outsiders do. */
const mayName = (path: string): boolean => path === home || path === edgeHome || isGenerated(path) || isTest(path);
const isChecked = (path: string): boolean => isProduct(path) || /^(web\/src|edge)\//.test(path);

/** A word that looks like a header of our own, in any case. What follows a slash is a media type. */
const headerLike = /(?<![\w/-])x-[a-z0-9-]+/gi;
/** `urr-…` names files, groups and locks as well, but not where requests are answered. */
const cookieLike = /(?<![\w/-])urr-[a-z0-9-]+/gi;
const answersRequests = (path: string): boolean => /^(src\/(modules|platform\/http)|edge)\//.test(path);
/** Of proxies, of browsers, and of OpenAPI. */
const foreign = new Set([
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-accel-buffering',
  'x-content-type-options',
  'x-urr-access',
  'x-urr-rate',
]);

/**
 * CORS, OpenAPI and the removal of headers from outside know what this one file names: a header that is spelled elsewhere
 * is read but never announced, or believed but never removed.
 */
export const namesAreWrittenOnce: Rule = {
  name: 'names-are-written-once',
  mend: `Import it from ${home} (pages: web/src/api/names.generated.ts; edge: ${edgeHome}); add a new one there.`,
  find(tree) {
    const sources = parseTree(tree);
    const known = new Set(sources.get(home)?.strings.map(({ text }) => text));
    return [...sources.values()]
      .filter(({ path }) => isChecked(path) && !mayName(path))
      .flatMap(({ path, strings }) =>
        strings.flatMap(({ text, line }) =>
          namesIn(text, path)
            .concat(known.has(text.toLowerCase()) ? [text] : [])
            .slice(0, 1)
            .map((name) => ({ file: path, line, message: `spells the name ${name}` })),
        ),
      );
  },
};

function namesIn(text: string, path: string): string[] {
  const cookies = answersRequests(path) ? (text.match(cookieLike) ?? []) : [];
  const headers = (text.match(headerLike) ?? []).filter((name) => !foreign.has(name.toLowerCase()));
  return [...headers, ...cookies];
}
