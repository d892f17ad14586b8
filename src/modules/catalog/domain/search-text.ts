/**
 * Text as it is searched: one form of every character (half-width, full-width and decomposed Hangul become the same),
 * lower case, and nothing but letters and digits, so that "아이 유", "아이유" and "아이·유" find each other.
 */
export function searchText(...parts: readonly (string | null)[]): string {
  return parts
    .filter((part) => part !== null)
    .map(fold)
    .join(' ');
}

export const searchTermsMax = 6;

/** The words of a query, each to be found somewhere. Words beyond the limit are left out rather than refused. */
export function searchTerms(query: string): string[] {
  const terms = query.split(/\s+/).map(fold);
  return [...new Set(terms)].filter((term) => term !== '').slice(0, searchTermsMax);
}

function fold(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}
