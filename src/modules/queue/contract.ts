import { queueAdminContracts, queueContracts } from './routes/contracts.ts';

/** What others may know of the queue: its routes, internal calls and topics. */
export const queueRoutes = { ...queueContracts, ...queueAdminContracts };

export { queueInternalCalls } from './internal-calls.ts';
export { queueEntry, queueEntryHot, queueEvents } from './topics.ts';

/** Claims of the tier-1 token, `typ` vwr+jwt. `sub` is the event, `uid` the visitor, `pos` the number in `era`. */
export interface VwrClaims {
  readonly sub: string;
  readonly uid: string;
  readonly pos: number;
  readonly era: number;
  readonly tier: 1;
  readonly jti: string;
}

/** What the queue asks tier 1. Answered from memory: it stands in the way of every entry. */
export interface Rooms {
  isOn(eventId: string): boolean;
  /** Nobody has confirmed its room for so long that, as it was set, entry is free; also if the store knows no better than that it is on. */
  failsOpen(eventId: string): boolean;
}
