import { expect, test } from 'vitest';
import { migrationSets } from '#app/migrations.ts';
import { isFault } from '#platform/errors.ts';
import { migrate } from '#platform/postgres/migrate.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aClock } from '#test/kit/clock.ts';
import { startPostgres } from '#test/kit/engines/postgres.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually } from '#test/kit/faults.ts';
import { aHold } from '../testing/a-hold.ts';
import { aSale } from '../testing/a-sale.ts';
import { aSeatMapDesk, rowsOf, shownBy } from '../testing/seat-map-desk.ts';

const engine = await startPostgres({ dir: await aFolder('seat-maps') });
atEnd(() => engine.stop());
const database = createDatabase({ url: engine.url, poolMax: 4, connectTimeoutMs: 20_000, statementTimeoutMs: 60_000 });
atEnd(() => database.close());
await migrate(database, migrationSets);

test.each(['stop', 'kill'] as const)(
  'after a %s of PostgreSQL the map is read again, and nothing is missing',
  async (how) => {
    const sale = await aSale(database, { seats: 10, ticketTypes: [{ capacity: 50 }] });
    const clock = aClock(Date.now());
    const desk = aSeatMapDesk(database, { clock });
    const map = await desk.open(sale.eventId);
    await aHold(database, sale, { seatNos: [1], places: [2] });
    const isAsTheRows = async () =>
      expect(shownBy(await desk.open(sale.eventId))).toEqual(await rowsOf(database, sale.eventId));
    await desk.readUntil(isAsTheRows);
    const before = { version: map.version(), shown: shownBy(map) };

    await engine[how]();
    await desk.read();
    // For a while what was known is shown; then nobody is told what may be long gone.
    expect(shownBy(await desk.open(sale.eventId))).toEqual(before.shown);
    const isTooOld = async () => {
      clock.advance(30_001);
      await desk.read();
      await expect(desk.open(sale.eventId)).rejects.toSatisfy(
        (error) => isFault(error) && error.code === 'DATABASE_UNAVAILABLE',
      );
    };
    // The backend of a killed server may still answer for a moment.
    await eventually(isTooOld, { withinMs: 60_000, what: 'the map to be too old' });

    await engine.restart();
    await eventually(() => aHold(database, sale, { seatNos: [2, 3] }), {
      withinMs: 60_000,
      what: 'the server to be back',
    });
    await desk.readUntil(isAsTheRows);
    expect(map.version()).toBeGreaterThan(before.version);
    expect(map.changesSince(before.version)).toMatchObject({ resync: true });
  },
);
