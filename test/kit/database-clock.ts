import type { Queryable } from '#platform/postgres/database.ts';

/** Makes `urr.now()` of this database stand still at the given time, for every connection. */
export async function setDatabaseClock(database: Queryable, at: Date): Promise<void> {
  await database.query(
    `CREATE OR REPLACE FUNCTION urr.now() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
       AS $$ SELECT '${at.toISOString()}'::timestamptz $$`,
  );
}

/** Lets `urr.now()` tell the time again, for databases that other tests go on with. */
export async function releaseDatabaseClock(database: Queryable): Promise<void> {
  await database.query(
    `CREATE OR REPLACE FUNCTION urr.now() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
       AS 'SELECT pg_catalog.clock_timestamp()'`,
  );
}

/** Lets `urr.now()` run on, so much later than it is. For expiry in the middle of a sale that goes on. */
export async function putDatabaseClockForward(database: Queryable, byMs: number): Promise<void> {
  await database.query(
    `CREATE OR REPLACE FUNCTION urr.now() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
       AS $$ SELECT pg_catalog.clock_timestamp() + interval '${Math.trunc(byMs)} milliseconds' $$`,
  );
}
