import { isoTime } from '#platform/clock.ts';
import type { Fault } from '#platform/errors.ts';
import type { CheckInVerdict } from '../domain/ticket.ts';
import { ticketingErrors } from '../errors.ts';
import type { ScanResult } from '../storage/check-in.ts';

/** What the one at the gate reads. Each says what to do with the person in front of them. */
const advice: Readonly<Record<Exclude<CheckInVerdict, 'admitted' | 'used' | 'invalid'>, string>> = {
  void: 'The ticket was cancelled, or the event is. Send the holder to the box office.',
  replaced: 'The ticket was sold on and has a newer code. Ask the holder to open the ticket in their account.',
  listed: 'The ticket is offered for sale. Ask the holder to end the listing and to open the ticket again.',
  other_event:
    'The ticket is of another event, or of one that is not yours. Ask the holder for the ticket of this event.',
  unknown:
    'The code is genuine, but there is no such ticket here. Ask the holder to open the ticket again, then the box office.',
};

export function refusedTicket(
  verdict: Exclude<CheckInVerdict, 'admitted' | 'invalid'>,
  first: Pick<ScanResult, 'checkedInAtMs' | 'gate'> = { checkedInAtMs: null, gate: null },
): Fault {
  if (verdict !== 'used')
    return ticketingErrors.fault('TICKET_NOT_VALID', { detail: advice[verdict], extensions: { reason: verdict } });
  const checkedInAt = first.checkedInAtMs === null ? null : isoTime(first.checkedInAtMs);
  const where = first.gate === null ? '' : ` at ${first.gate}`;
  return ticketingErrors.fault('TICKET_NOT_VALID', {
    detail: `It was let in ${checkedInAt}${where}. If that was not this person, send them to the box office.`,
    extensions: { reason: verdict, checkedInAt, gate: first.gate },
  });
}
