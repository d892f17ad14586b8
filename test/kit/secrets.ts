/** Secrets of tests. Known to all of them, so that a test can forge what an outsider could not. */
export const testSecrets = {
  URR_ACCESS_TOKEN_SECRET: 'test-access-token-secret-000000000000',
  URR_QUEUE_ENTRY_TOKEN_SECRET: 'test-entry-token-secret-0000000000000',
  URR_VWR_TOKEN_SECRET: 'test-vwr-token-secret-000000000000000',
  URR_TICKET_SECRET: 'test-ticket-secret-000000000000000000',
  URR_INTERNAL_SECRET: 'test-internal-secret-0000000000000000',
} as const;

/** A key, not a text: its length is fixed. */
export const testTicketKeys = { URR_TICKET_SIGNING_KEYS: Buffer.alloc(32, 'ticket').toString('base64url') } as const;
