/**
 * Names of cookies and headers that the decision reads. The same stand in `src/platform/http/names.ts`, which this code cannot
 * import, because it runs where there is no urr; a test compares the two.
 */
export const edgeCookies = {
  vwrToken: 'urr-vwr-token',
  /** The rest of such a name is the id of a room. */
  vwrTokenOf: 'urr-vwr-token-',
  entryTokenOf: 'urr-entry-token-',
  waitingTicketOf: 'urr-queue-ticket-',
} as const;

export const edgeHeaders = {
  contentType: 'content-type',
  entryToken: 'x-queue-entry-token',
  waitingTicket: 'x-queue-ticket',
} as const;
