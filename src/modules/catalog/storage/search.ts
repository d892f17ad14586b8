import { type RawBuilder, sql } from 'kysely';
import { searchTerms } from '../domain/search-text.ts';

/**
 * Every word of the query occurs in one of the columns. A plain LIKE over the folded text: it finds Korean in the
 * middle of a word on every PostgreSQL, which pg_trgm does only where it may be installed and the locale knows Hangul.
 * A catalogue has thousands of rows, not millions, and the number of words and their length are bounded.
 */
export function matchesSearch(query: string, columns: readonly string[]): RawBuilder<boolean> {
  const terms = searchTerms(query);
  // Only punctuation was asked for: that is nowhere, rather than everywhere.
  if (terms.length === 0) return sql`false`;
  return sql`${sql.join(
    terms.map((term) => {
      // Folding left letters and digits only, so there is no `%` or `_` to escape.
      const pattern = `%${term}%`;
      return sql`(${sql.join(
        columns.map((column) => sql`${sql.ref(column)} LIKE ${pattern}`),
        sql` OR `,
      )})`;
    }),
    sql` AND `,
  )}`;
}
