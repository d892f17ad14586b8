/**
 * Sent with every answer, whatever it is and whoever sent it: nothing in it may run, be framed or be taken for something
 * else. Pages say beside that what they do need.
 */
export const strictPolicy = "default-src 'none'; frame-ancestors 'none'";

/** `/docs`: plain pages with one style sheet of this site. No script, no form, no inline style. */
export const docsPolicy =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export const safetyHeaders = { nosniff: 'x-content-type-options', policy: 'content-security-policy' } as const;
