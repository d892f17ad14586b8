import { describe, test } from 'vitest';
import { describeWith } from '#test/kit/engines/needs.ts';
import { sellToACrowd } from '#test/kit/ticketing/crowd.ts';
import { aHouseOfTwo, anEmbeddedHouse } from '#test/kit/ticketing/house.ts';

const users = 2_000;
/** A guard against hanging, for a slow machine that plays all of them and two restarts. */
const hangGuard = { timeout: 900_000 };

describe('a crowd at one embedded process', () => {
  test('each of a thousand seats is sold once or free, though the process is killed twice', hangGuard, async () => {
    await sellToACrowd(await anEmbeddedHouse(), { users });
  });
});

describeWith(['redis', 'kafka'], 'a crowd at two processes on PostgreSQL, Redis and Kafka', () => {
  test('each of a thousand seats is sold once or free, though each process is killed once', hangGuard, async () => {
    await sellToACrowd(await aHouseOfTwo(), { users });
  });
});
