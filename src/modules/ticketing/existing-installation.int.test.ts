import { expect, test } from 'vitest';
import { demoShows } from '#app/demo/shows.ts';
import { type RoleName, roleNames } from '#app/roles.ts';
import { startTestApp } from '#test/kit/app.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { startKafka } from '#test/kit/engines/kafka.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually } from '#test/kit/faults.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';

/** A new consumer group begins with the first message, so nobody has to do anything for events from before. */
async function getsSeats(env: {
  readonly URR_DATABASE_URL: string;
  readonly URR_KAFKA_BROKERS?: string;
}): Promise<void> {
  const before: RoleName[] = roleNames.filter((role) => role !== 'ticketing');
  const elsewhere = { URR_TICKETING_URL: 'http://127.0.0.1:1' };
  const old = await startTestApp({ roles: before, env: { ...env, ...elsewhere }, demo: true });
  const shows = demoShows.filter(({ status }) => status !== 'ended');
  const count = 'SELECT count(*) AS events FROM ticketing.events';
  expect((await old.urr.engines.database?.query(count))?.rows).toEqual([{ events: 0 }]);
  await old.stop();

  const { urr, url } = await startTestApp({ env });
  const seats = async (eventId: string) => {
    const { rows } = (await urr.engines.database?.query<{ seats: number; places: number }>(
      `SELECT (SELECT count(*) FROM ticketing.seats WHERE event_id = $1) AS seats,
         (SELECT coalesce(sum(places_left), 0) FROM ticketing.shards JOIN ticketing.ticket_types USING (ticket_type_id)
          WHERE event_id = $1) AS places`,
      [eventId],
    )) ?? { rows: [] };
    return rows[0];
  };
  for (const { id } of shows) {
    const drawn = (await (await fetch(`${url}/api/events/${id}`)).json()) as {
      seatCount: number;
      standingCapacity: number;
    };
    await eventually(
      async () => expect(await seats(id)).toEqual({ seats: drawn.seatCount, places: drawn.standingCapacity }),
      {
        withinMs: 60_000,
        what: `the seats of ${id}`,
      },
    );
  }
  expect((await checkLedger(env.URR_DATABASE_URL)).events).toBeGreaterThanOrEqual(shows.length);
}

test('events from before ticketing get their seats when it starts', async () => {
  await getsSeats({ URR_DATABASE_URL: (await aDatabase()).url });
});

describeWith('kafka', 'on Kafka', () => {
  // A broker of its own: on a shared one, other tests have read these topics as the same groups.
  test('events from before ticketing get their seats when it starts', async () => {
    const kafka = await startKafka({ dir: await aFolder('kafka') });
    atEnd(() => kafka.stop());
    await getsSeats({ URR_DATABASE_URL: (await aDatabase()).url, URR_KAFKA_BROKERS: kafka.brokers });
  });
});
