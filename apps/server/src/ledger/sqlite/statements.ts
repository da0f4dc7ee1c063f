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

export function createStatements(database: DatabaseSync): Statements {
  const prepared = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    const known = prepared.get(sql);
    if (known) return known;
    const statement = database.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  };
  // SQLite does not know the type of a row: the columns of the statement and `Row` stand side by side in the caller
  return {
    all: <Row>(sql: string, ...parameters: SQLInputValue[]) => prepare(sql).all(...parameters) as Row[],
    get: <Row>(sql: string, ...parameters: SQLInputValue[]) =>
      prepare(sql).get(...parameters) as Row | undefined,
    each: <Row>(sql: string, ...parameters: SQLInputValue[]) =>
      prepare(sql).iterate(...parameters) as Iterable<Row>,
    run: (sql, ...parameters) => Number(prepare(sql).run(...parameters).changes),
    transaction: (work) => inTransaction(database, work),
  };
}
