import { assert } from '#platform/assert.ts';
import { isoTime } from '#platform/clock.ts';
import type { RouteHandlers } from '#platform/http/contract.ts';
import { ticketingErrors } from '../errors.ts';
import type { EventBooks } from '../ports.ts';
import type { Doors } from '../service/doors.ts';
import { eventOfStaff, isStaffOf } from '../service/staff.ts';
import type { ScanResult } from '../storage/check-in.ts';
import { refusedTicket } from './refusals.ts';
import type { staffContracts } from './staff-contracts.ts';

type DoorRoutes = Pick<typeof staffContracts, 'checkIn' | 'getCheckInBundle' | 'syncCheckIns'>;

/** The years in which a scanner's clock could mean something. */
const clockMinMs = Date.UTC(2000, 0);
const clockMaxMs = Date.UTC(2200, 0);

export function createCheckInHandlers({
  doors,
  books,
}: {
  doors: Doors;
  books: EventBooks;
}): RouteHandlers<DoorRoutes> {
  return {
    async checkIn({ user, body }) {
      if (body.eventId !== undefined) await eventOfStaff(books, user, body.eventId);
      const claims = await doors.read(body.code);
      if (claims === null) throw ticketingErrors.fault('CODE_INVALID');
      const { eventId, ticketId, version } = claims;
      if (body.eventId !== undefined && body.eventId !== eventId) throw refusedTicket('other_event');
      const book = await books.get(eventId);
      // Another seller learns no more than that it is not a ticket of theirs.
      if (book === null || !isStaffOf(user, book)) throw refusedTicket('other_event');
      const gate = body.gate ?? null;
      const result = await doors.checkIn({ eventId, by: user.userId, ticketId, version, gate });
      return admitted(eventId, result);
    },

    async getCheckInBundle({ user, params }) {
      const { facts } = await eventOfStaff(books, user, params.eventId);
      const { madeAtMs, publicKeys, count, entries } = await doors.bundle(params.eventId);
      const { eventId, title, startsAt, doorsAt } = facts;
      return {
        ...{ eventId, title, startsAt, doorsAt },
        madeAt: isoTime(madeAtMs),
        keys: [...publicKeys],
        revoked: { count, entries: entries.toString('base64') },
      };
    },

    async syncCheckIns({ user, params, body }) {
      await eventOfStaff(books, user, params.eventId);
      const scans = body.scans.map(({ scanId, code, gate = null, scannedAt }) => ({
        ...{ scanId, code, gate },
        scannedAtMs: clockReading(scannedAt),
      }));
      const results = await doors.sync({ eventId: params.eventId, by: user.userId, scans });
      return {
        results: results.map(({ scanId, verdict, ticketId, conflict, checkedInAtMs, gate }) => ({
          ...{ scanId, verdict, ticketId, conflict, gate },
          checkedInAt: checkedInAtMs === null ? null : isoTime(checkedInAtMs),
        })),
      };
    },
  };
}

function admitted(eventId: string, result: ScanResult) {
  if (result.verdict === 'invalid') throw ticketingErrors.fault('CODE_INVALID');
  if (result.verdict !== 'admitted') throw refusedTicket(result.verdict, result);
  const { ticketId, checkedInAtMs, reservationNumber, seatId, areaId, gate } = result;
  assert(ticketId !== null && checkedInAtMs !== null && reservationNumber !== null, 'who was let in has a ticket');
  return { ticketId, eventId, reservationNumber, seatId, areaId, gate, checkedInAt: isoTime(checkedInAtMs) };
}

/** A leap second is a time by its form and none to a computer; the year 9999 is a clock that was never set. */
function clockReading(text: string): number | null {
  const ms = Date.parse(text);
  return ms >= clockMinMs && ms <= clockMaxMs ? ms : null;
}
