/** SQL on one connection: statements are prepared on first use, and rows get the type that the caller names. */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

/** The methods of a part of the ledger as its thread runs them: without promises. */
export type Synchronous<Part> = {
  [Name in keyof Part]: Part[Name] extends (...argument: infer Argument) => Promise<infer Result>
    ? (...argument: Argument) => Result
    : never;
};

/** A prepared statement whose rows have a known type. */
interface RowStatement<Row> {
  all(...parameters: SQLInputValue[]): Row[];
  get(...parameters: SQLInputValue[]): Row | undefined;
  iterate(...parameters: SQLInputValue[]): Iterable<Row>;
}

export class Statements {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  all<Row>(sql: string, ...parameters: SQLInputValue[]): Row[] {
    return this.#rowsOf<Row>(sql).all(...parameters);
  }

  get<Row>(sql: string, ...parameters: SQLInputValue[]): Row | undefined {
    return this.#rowsOf<Row>(sql).get(...parameters);
  }

  /** Row by row, for results that may be large. */
  each<Row>(sql: string, ...parameters: SQLInputValue[]): Iterable<Row> {
    return this.#rowsOf<Row>(sql).iterate(...parameters);
  }

  /** Returns the number of rows that changed. */
  run(sql: string, ...parameters: SQLInputValue[]): number {
    return Number(this.#prepare(sql).run(...parameters).changes);
  }

  transaction<T>(work: () => T): T {
    return inTransaction(this.#database, work);
  }

  /** The same for work that waits. Nothing else may use the connection meanwhile. */
  async asyncTransaction<T>(work: () => Promise<T>): Promise<T> {
    this.#database.exec("begin immediate");
    try {
      const result = await work();
      this.#database.exec("commit");
      return result;
    } catch (error) {
      // a full disk has ended the transaction already
      if (this.#database.isTransaction) this.#database.exec("rollback");
      throw error;
    }
  }

  #prepare(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }

  #rowsOf<Row>(sql: string): RowStatement<Row> {
    // SQLite does not know the columns of a statement: the caller names the type of its rows beside the SQL
    return this.#prepare(sql) as unknown as RowStatement<Row>;
  }
}

/** Runs `work` in one transaction that may write from its start. It is rolled back when `work` throws. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec("begin immediate");
  try {
    const result = work();
    database.exec("commit");
    return result;
  } catch (error) {
    // a full disk has ended the transaction already
    if (database.isTransaction) database.exec("rollback");
    throw error;
  }
}

/**
 * Until it is disposed, what is deleted is overwritten with zeros, in the `-wal` too, as an erasure needs. Ordinary deletions are
 * overwritten only where no further page has to be written.
 */
export function overwriteDeleted(database: DatabaseSync): Disposable {
  database.exec("pragma secure_delete = on");
  return {
    [Symbol.dispose]() {
      database.exec("pragma secure_delete = fast");
      // while another process reads, a later checkpoint empties the -wal
      database.exec("pragma busy_timeout = 0; pragma wal_checkpoint(truncate); pragma busy_timeout = 5000");
    },
  };
}
