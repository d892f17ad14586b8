import type { Queryable } from '#platform/postgres/database.ts';

/** Adds all counts in one statement. Events that do not exist (any more) are passed over. */
export async function addViews(on: Queryable, counts: ReadonlyMap<string, number>): Promise<void> {
  await on.query(
    `INSERT INTO catalog.event_views AS known (event_id, views)
     SELECT e.id, c.count
       FROM unnest($1::uuid[], $2::bigint[]) AS c (event_id, count)
       JOIN catalog.events e ON e.id = c.event_id
      ORDER BY e.id
     ON CONFLICT (event_id) DO UPDATE SET views = known.views + excluded.views`,
    [[...counts.keys()], [...counts.values()]],
  );
}
