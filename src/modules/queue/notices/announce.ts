import type { Clock } from '#platform/clock.ts';
import type { AdmissionNotices } from '../deps.ts';
import type { Slot } from '../ports.ts';
import type { EntryTokens } from '../service/entry-tokens.ts';

/** Tells of slots that were just given. Costs nothing where nobody wants to know. */
export type Announce = (eventId: string, slots: readonly Slot[]) => void;

export function createAnnounce(deps: {
  entryTokens: EntryTokens;
  clock: Clock;
  notices?: AdmissionNotices | undefined;
}): Announce {
  const { entryTokens, clock, notices } = deps;
  if (notices === undefined) return () => undefined;
  return (eventId, slots) => {
    for (const slot of slots) {
      const { token } = entryTokens.of(eventId, slot);
      notices.admitted({ eventId, userId: slot.userId, entryToken: token, atMs: clock.now() });
    }
  };
}
