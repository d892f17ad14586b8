import type { Ids } from '#platform/ids.ts';
import type { Database } from '#platform/postgres/database.ts';
import type { Metrics } from '#platform/telemetry/metrics.ts';
import type { CheckInVerdict } from '../domain/ticket.ts';
import { checkInScans, type RevokedTickets, revokedTickets, type Scan, type ScanResult } from '../storage/check-in.ts';
import type { TicketCodes } from './ticket-codes.ts';

export interface Doors {
  /** The code as its signature proves it, or null. */
  read: TicketCodes['read'];
  /** A scan that is made now, of a ticket of this event. */
  checkIn(call: {
    eventId: string;
    by: string;
    ticketId: string;
    version: number;
    gate: string | null;
  }): Promise<ScanResult>;
  /** Scans that were made without a network, answered in their order. */
  sync(call: { eventId: string; by: string; scans: readonly OfflineScan[] }): Promise<readonly ScanResult[]>;
  bundle(eventId: string): Promise<RevokedTickets & Pick<TicketCodes, 'publicKeys'>>;
}

export interface OfflineScan {
  readonly scanId: string;
  readonly code: string;
  readonly gate: string | null;
  /** As the scanner's clock had it; whether that is believed is decided with the ticket in hand. Null: it makes no sense. */
  readonly scannedAtMs: number | null;
}

export function createDoors(deps: { database: Database; ids: Ids; metrics: Metrics; codes: TicketCodes }): Doors {
  const { database, ids, codes } = deps;
  const scanned = deps.metrics.counter('urr_ticketing_scans_total', 'Scans of tickets, by what the door said.', [
    'verdict',
  ]);
  const conflicts = deps.metrics.counter(
    'urr_ticketing_scan_conflicts_total',
    'Scans made offline of a ticket that another scan let in, too.',
  );
  return {
    read: (code) => codes.read(code),

    async checkIn({ eventId, by, ticketId, version, gate }) {
      const scan = { scanId: ids.next(), ticketId, version, gate, scannedAtMs: null, refused: null };
      const result = (await checkInScans(database, { eventId, by, isOffline: false, scans: [scan] })).get(scan.scanId);
      if (result === undefined) throw new Error('the database did not answer a scan');
      count(result.verdict);
      return result;
    },

    async sync({ eventId, by, scans }) {
      // A scanner that sends a scan twice in one body gets its one answer twice.
      const once = new Map(scans.map((scan) => [scan.scanId, scan]));
      const asked = await Promise.all([...once.values()].map((scan) => readScan(eventId, scan)));
      const results = await checkInScans(database, { eventId, by, isOffline: true, scans: asked });
      for (const { verdict, conflict } of results.values()) {
        count(verdict);
        if (conflict) conflicts.inc();
      }
      return scans.flatMap(({ scanId }) => results.get(scanId) ?? []);
    },

    bundle: async (eventId) => ({ ...(await revokedTickets(database, eventId)), publicKeys: codes.publicKeys }),
  };

  async function readScan(eventId: string, { scanId, code, gate, scannedAtMs }: OfflineScan): Promise<Scan> {
    const scan = { scanId, gate, scannedAtMs };
    const claims = await codes.read(code);
    if (claims === null) return { ...scan, ticketId: null, version: null, refused: 'invalid' };
    if (claims.eventId !== eventId) return { ...scan, ticketId: null, version: null, refused: 'other_event' };
    return { ...scan, ticketId: claims.ticketId, version: claims.version, refused: null };
  }

  function count(verdict: CheckInVerdict): void {
    scanned.inc({ verdict });
  }
}
