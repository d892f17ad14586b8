/**
 * Sent with every answer, whatever it is and whichever role sent it: nothing in it may run, be framed or be taken for something
 * else. Pages say beside that what they do need.
 */
export const strictPolicy = "default-src 'none'; frame-ancestors 'none'";

/** What a page may load, by directive: `{ 'script-src': ["'self'"] }`. */
export type ContentPolicy = Readonly<Record<string, readonly string[]>>;

const closed: ContentPolicy = {
  'default-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};

/**
 * The policy of a page that needs this and nothing else: a directive that is not named stays closed. A route declares it as
 * `config: { policy: policyOf({ … }) }` and answers with it, unless it refuses: a problem document is always strict.
 */
export function policyOf(needs: ContentPolicy): string {
  const directives = Object.entries({ ...closed, ...needs });
  for (const part of directives.flat(2)) {
    // Anything else would end the directive, or the policy, and begin another one.
    if (!/^[^\s;,]+$/.test(part)) throw new Error(`not a part of a content security policy: ${JSON.stringify(part)}`);
  }
  return directives.map(([directive, sources]) => [directive, ...sources].join(' ')).join('; ');
}

/** The needs of a page that is like others but for these sources, which are allowed in addition. */
export function withMore(needs: ContentPolicy, more: ContentPolicy): ContentPolicy {
  const added = Object.entries(more).map(([directive, sources]) => {
    const before = (needs[directive] ?? []).filter((source) => source !== "'none'");
    return [directive, [...before, ...sources]] as const;
  });
  return { ...needs, ...Object.fromEntries(added) };
}

export const safetyHeaders = { nosniff: 'x-content-type-options', policy: 'content-security-policy' } as const;
