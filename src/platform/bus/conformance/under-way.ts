import type { Database, Queryable } from '#platform/postgres/database.ts';

/** The same database, which says each time when nothing is under way in it any more: no statement and no transaction. */
export function tellsWhenIdle(database: Database, idle: () => void): Database {
  let underWay = 0;
  async function during<T>(work: Promise<T>): Promise<T> {
    underWay += 1;
    try {
      return await work;
    } finally {
      underWay -= 1;
      // What follows from it has begun by then.
      setImmediate(() => {
        if (underWay === 0) idle();
      });
    }
  }
  const watched = (on: Queryable): Queryable['query'] => {
    return (text, values) => during(on.query(text, values));
  };
  return {
    ...database,
    query: watched(database),
    transaction: (work, options) => during(database.transaction(work, options)),
    async session(name) {
      const session = await during(database.session(name));
      return { ...session, query: watched(session) };
    },
  };
}
