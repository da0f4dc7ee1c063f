/** SQL on one connection: statements are prepared on first use, and rows get the type that the caller names. */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { inTransaction } from "./transaction.ts";

export interface Statements {
  all<Row>(sql: string, ...parameters: SQLInputValue[]): Row[];
  get<Row>(sql: string, ...parameters: SQLInputValue[]): Row | undefined;
  /** Row by row, for results that may be large. */
  each<Row>(sql: string, ...parameters: SQLInputValue[]): Iterable<Row>;
  /** Returns the number of rows that changed. */
  run(sql: string, ...parameters: SQLInputValue[]): number;
  /** All or nothing: see `inTransaction`. */
  transaction<T>(work: () => T): T;
}

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

export function createStatements(database: DatabaseSync): Statements {
  const prepared = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    const known = prepared.get(sql);
    if (known) return known;
    const statement = database.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  };
  // SQLite does not know the columns of a statement: the caller names the type of its rows beside the SQL
  const rowsOf = <Row>(sql: string) => prepare(sql) as unknown as RowStatement<Row>;
  return {
    all: <Row>(sql: string, ...parameters: SQLInputValue[]) => rowsOf<Row>(sql).all(...parameters),
    get: <Row>(sql: string, ...parameters: SQLInputValue[]) => rowsOf<Row>(sql).get(...parameters),
    each: <Row>(sql: string, ...parameters: SQLInputValue[]) => rowsOf<Row>(sql).iterate(...parameters),
    run: (sql, ...parameters) => Number(prepare(sql).run(...parameters).changes),
    transaction: (work) => inTransaction(database, work),
  };
}
