import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type { Queryable } from './database.ts';

/**
 * A Kysely that runs on the given pool or transaction, so that its queries get the same error mapping, timeouts and
 * metrics as all others. Transactions are begun on the Database, never through Kysely.
 */
export function kyselyOn<Tables>(queryable: Pick<Queryable, 'query'>): Kysely<Tables> {
  const connection: DatabaseConnection = {
    async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
      const { rows, rowCount } = await queryable.query<Row>(query.sql, query.parameters);
      return { rows, numAffectedRows: BigInt(rowCount) };
    },
    // biome-ignore lint/correctness/useYield: streaming is not offered, and saying so is the whole body.
    async *streamQuery() {
      throw new Error('streaming is not supported; page with a keyset instead');
    },
  };
  const refuse = async () => {
    throw new Error('begin transactions with database.transaction()');
  };
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    releaseConnection: async () => {},
    destroy: async () => {},
  };
  const dialect: Dialect = {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
  return new Kysely<Tables>({ dialect });
}
