import pg from 'pg';

/** What pg's own query does with its connection, as far as it is used here. The types of pg leave it out. */
interface Connection {
  readonly submittedNamedStatements: Record<string, string>;
  parse(statement: { name: string; text: string; types: readonly number[] }): void;
  bind(portal: { portal: string; statement: string; values: readonly unknown[] }): void;
  execute(portal: { portal: string }): void;
}
interface DriverQuery {
  name: string | undefined;
  prepare(connection: Connection): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
  handleError(error: Error, connection: Connection): void;
}
const DriverQuery = pg.Query as unknown as new (
  config: pg.QueryConfig & { queryMode: 'extended' },
  callback: (error: Error | undefined, result: pg.QueryResult) => void,
) => DriverQuery;

/**
 * The first statement of a transaction, which brings BEGIN and its settings along. A transaction of one statement then takes two
 * round trips instead of three, and each of them costs both processes more than a row does.
 *
 * The statements before it travel in the extended protocol too, with one Sync behind them all: when one fails, the rest is not run,
 * and the connection says that it is in a transaction that failed.
 */
class FirstStatement extends DriverQuery {
  readonly #before: readonly string[];
  readonly #ownName: string | undefined;
  readonly #onBegun: () => void;
  #answersBefore = 0;

  constructor(
    options: { before: readonly string[]; onBegun: () => void },
    config: pg.QueryConfig,
    callback: (error: Error | undefined, result: pg.QueryResult) => void,
  ) {
    super({ ...config, queryMode: 'extended' }, callback);
    this.#before = options.before;
    this.#onBegun = options.onBegun;
    this.#ownName = config.name;
  }

  /** The driver has checked the statement by now, and writes what is sent here in one piece. */
  override prepare(connection: Connection): void {
    for (const text of this.#before) {
      connection.parse({ name: '', text, types: [] });
      connection.bind({ portal: '', statement: '', values: [] });
      connection.execute({ portal: '' });
    }
    super.prepare(connection);
    // At every answer to a Parse the driver notes that the server knows the statement of this name.
    this.name = undefined;
  }

  override handleCommandComplete(message: unknown, connection: Connection): void {
    if (this.#answersBefore === this.#before.length) {
      super.handleCommandComplete(message, connection);
      return;
    }
    if (this.#answersBefore === 0) this.#onBegun();
    this.#answersBefore += 1;
    if (this.#answersBefore === this.#before.length) this.name = this.#ownName;
  }

  override handleError(error: Error, connection: Connection): void {
    if (this.#ownName !== undefined) delete connection.submittedNamedStatements[this.#ownName];
    super.handleError(error, connection);
  }
}

/** `before` begins with BEGIN. `onBegun`: it was done. When the statement fails without that, there is no transaction. */
export function runFirstStatement(
  client: pg.ClientBase,
  before: readonly string[],
  statement: pg.QueryConfig,
  onBegun: () => void,
): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    const query = new FirstStatement({ before, onBegun }, statement, (error, result) => {
      if (error === undefined || error === null) resolve(result);
      else reject(error);
    });
    // It is a pg.Query, whatever was said of its type above.
    client.query(query as unknown as pg.Submittable);
  });
}
