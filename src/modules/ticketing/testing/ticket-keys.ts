import { ticketKeysOf } from '../service/ticket-keys.ts';

/** Keys that every test may know, by a number. */
export function aTicketKey(n: number) {
  const [key] = ticketKeysOf([Buffer.alloc(32, n).toString('base64url')]);
  if (key === undefined) throw new Error('one seed is one key');
  return key;
}
