import { seatIdsOf } from '#test/kit/ticketing/seat-ids.ts';
import type { BenchReport } from './report.ts';
import { measureHolds, measureStanding } from './ticketing/holds.ts';
import { hotSeatShape, measureHotSeat } from './ticketing/hot-seat.ts';
import { measureCheck, measurePicks } from './ticketing/picks-and-ledger.ts';
import { measureSeatMap } from './ticketing/seat-map.ts';
import { benchSize as size } from './ticketing/size.ts';
import { aTicketingStage } from './ticketing/stage.ts';
import { measureStampede, stampedeShape } from './ticketing/stampede.ts';
import { createSeatStock } from './ticketing/stock.ts';

/** More seats than a run can hold. */
const hall = { sections: 75, rows: size.rows, seats: 20 };
const mapShape = { ...hall, sections: 50 };
const standing = [100_000];
/** One for each run: an area has no more places. */
const fields = 8;
const stampedes = 4;
/** Those that are tried for the bare route; the first is the program's own. */
const barePools = [20, 8];

/** What holds, refusals and reads of the map cost at ticketing's own listener, against servers that do the least. */
export async function run(report: BenchReport): Promise<void> {
  const { stage, made } = await aTicketingStage(async (shows) => ({
    halls: await shows.onSale(hall, size.events),
    mapHall: (await shows.onSale(mapShape, 1))[0] ?? '',
    bareHalls: await shows.onSale(hall, size.bareEvents),
    fields: await shows.onSale({ sections: 0, standing }, fields),
    hotSeat: (await shows.onSale(hotSeatShape, 1))[0] ?? '',
    stampedes: await shows.onSale(stampedeShape, stampedes),
  }));
  try {
    const { halls, mapHall } = made;
    const stock = createSeatStock(halls, seatIdsOf(hall));
    const bareStock = createSeatStock(made.bareHalls, seatIdsOf(hall));
    const parts = { holds: report.wants('holds'), lone: report.wants('lone') };
    if (parts.holds || parts.lone) {
      const bares = [];
      for (const poolMax of barePools)
        bares.push({ ...(await stage.startBare({ kind: 'unchecked', poolMax, shape: hall, refusal: '' })), poolMax });
      await measureHolds({ stage, size, report, stock, bareStock, bares, parts });
      for (const bare of bares) await bare.stop();
    }
    if (report.wants('standing')) await measureStanding({ stage, size, report, stock, eventIds: made.fields });
    if (report.wants('hot-seat')) await measureHotSeat({ stage, size, report, eventId: made.hotSeat });
    if (report.wants('stampede')) await measureStampede({ stage, report, eventIds: made.stampedes });
    if (report.wants('map')) {
      await measureSeatMap({ stage, size, report, eventId: mapHall, seatIds: seatIdsOf(mapShape) });
      await measurePicks({ stage, report, eventId: mapHall });
    }
    await measureCheck({ stage, report, eventIds: [...halls, mapHall, ...made.fields, ...made.stampedes] });
  } finally {
    await stage.stop();
  }
  report.note(
    `${size.seconds} s a run, ${size.mapSeconds} for the map, 128 connections by wrk on the same cores, each request of another buyer with a slot, signed as the gateway signs. ` +
      'The role ticketing has a process of its own; PostgreSQL has its ordinary settings, fsync included, and Redis keeps nothing on disk. Any other status than the expected one ends the benchmark. The ledgers of the events with holds and places were checked at the end.',
  );
  report.note(
    'The bare routes have the program’s own server (settings, request ids, metrics, sampled logs, check of internal signatures). The unchecked one calls one function that writes buyer, seat, reservation, ledger, outbox and idempotency key as ticketing does, into the same tables and with the same values, but its outbox has no relay.',
  );
  report.note(
    'Three phases: a lock in Redis that is waited for, SELECT … FOR UPDATE, an update that names the version, each refusal through all of them up to the state; where anyone who meets the lock is refused at once, most refusals are one Redis round trip. The source is bench/ticketing/three-phases.ts.',
  );
  report.note(
    'µs per read: the CPU time with 1,000 readers less that with 10, per read, each reader once a second, ten holds a second going on; queries are all statements of the process, its jobs included.',
  );
}
