/**
 * Reads a request of the official client: the statement, its parameters and settings. Other parameters of the URL go to the
 * engine as settings, and the engine rejects those that it does not know (clickhouse.com/docs/interfaces/http).
 */
import { exception } from "./exception.ts";
import type { DataFile } from "./inbox.ts";

export interface EngineRequest {
  queryId: string;
  statement: string;
  /** Null: the default database. */
  database: string | null;
  settings: ReadonlyMap<string, string>;
  /** Values of `{name:Type}` in the statement. */
  parameters: ReadonlyMap<string, string>;
  /** The answer's format, from the FORMAT clause. */
  format: string;
  /** Whether the answer starts only when the query has ended, so that an error comes before any row. */
  isWhole: boolean;
}

const OWN_PARAMETERS = new Set(["query", "query_id", "database", "wait_end_of_query"]);
const PARAMETER_PREFIX = "param_";
const NAME = /^[A-Za-z_][A-Za-z0-9_.]*$/;
const FORMAT_CLAUSE = /\bFORMAT\s+([A-Za-z0-9]+)\s*(?:SETTINGS\b[^;]*)?;?\s*$/i;
/** A table, perhaps its columns, and the format of the data in the body. */
const INSERT_OF_BODY =
  /^(\s*INSERT\s+INTO\s+(?:TABLE\s+)?[\w.`]+\s*(?:\([\w\s.,`]+\)\s*)?)(FORMAT\s+\w+)\s*$/i;
/** `INSERT … SELECT` counts as a read: it takes as long as a query, and shipping must not wait for it. */
const INSERT = /^\s*INSERT\b(?!\s+INTO\s+\w+\s+\([^)]*\)\s+SELECT\b)/i;
const quote = (value: string) => `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
const quoteName = (name: string) => `\`${name.replaceAll("\\", "\\\\").replaceAll("`", "\\`")}\``;

export const isInsert = (statement: string): boolean => INSERT.test(statement);

/** The insert whose data is the request's body; null when the body is a statement. The client puts only such an insert in the URL. */
export const insertOf = (url: URL): string | null => url.searchParams.get("query");

/** @throws ClickHouseException when the statement is not `INSERT INTO table FORMAT format` */
export function insertFromFile(statement: string, { path, compression }: DataFile): string {
  const [, into, format] = INSERT_OF_BODY.exec(statement) ?? [];
  if (into === undefined)
    throw exception(
      48,
      "NOT_IMPLEMENTED",
      "The embedded warehouse takes data only for INSERT INTO table FORMAT format",
    );
  return `${into}FROM INFILE ${quote(path)} COMPRESSION '${compression}' ${format}`;
}

/** The statement, with a file that takes its answer. */
export const intoFile = (statement: string, path: string): string =>
  statement.replace(FORMAT_CLAUSE, (format) => `INTO OUTFILE ${quote(path)} APPEND ${format}`);

/** @throws ClickHouseException when a parameter's name is invalid */
export function readRequest(url: URL, statement: string, queryId: string): EngineRequest {
  const settings = new Map<string, string>();
  const parameters = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    if (OWN_PARAMETERS.has(name)) continue;
    const isParameter = name.startsWith(PARAMETER_PREFIX);
    const bareName = isParameter ? name.slice(PARAMETER_PREFIX.length) : name;
    if (!NAME.test(bareName)) throw exception(115, "UNKNOWN_SETTING", `Unknown setting '${name}'`);
    (isParameter ? parameters : settings).set(bareName, value);
  }
  if (statement.trim() === "") throw exception(62, "SYNTAX_ERROR", "Syntax error: Empty query");
  const format = isInsert(statement) ? undefined : FORMAT_CLAUSE.exec(statement)?.[1];
  return {
    queryId: url.searchParams.get("query_id") || queryId,
    statement,
    database: url.searchParams.get("database"),
    settings,
    parameters,
    format: format ?? "TabSeparated",
    isWhole: url.searchParams.get("wait_end_of_query") === "1",
  };
}

/** A setting that holds our query id, because the engine does not let us choose its own id. */
const QUERY_LABEL = "log_comment";

/**
 * The statement that prepares a new session for a request.
 * @param defaults settings that the request may override
 */
export function prepareSession(request: EngineRequest, defaults: ReadonlyMap<string, string>): string {
  const { queryId, database, settings, parameters } = request;
  const assignments = [
    `${QUERY_LABEL} = ${quote(queryId)}`,
    ...[...new Map([...defaults, ...settings])].map(([name, value]) => `${name} = ${quote(value)}`),
    ...[...parameters].map(([name, value]) => `${PARAMETER_PREFIX}${name} = ${quote(value)}`),
  ];
  return `${database === null ? "" : `USE ${quoteName(database)}; `}SET ${assignments.join(", ")}`;
}

/** Kills the query with this id. It does not wait: `SYNC` can wait forever. */
export const killQuery = (queryId: string): string =>
  `KILL QUERY WHERE Settings['${QUERY_LABEL}'] = ${quote(queryId)} ASYNC`;
