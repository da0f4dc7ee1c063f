/** What a request of ClickHouse's HTTP interface asks: its statement, its data, and what is set for it (clickhouse.com/docs/interfaces/http). */
import { type Exception, exception } from "./exception.ts";

export interface Question {
  queryId: string;
  /** The statement; the data of an insert may follow in it. */
  sql: string;
  database: string | null;
  settings: ReadonlyMap<string, string>;
  /** `{name:Type}` in the statement. */
  parameters: ReadonlyMap<string, string>;
  /** As asked for by the statement, or else by the request. */
  format: string;
  /** It may change nothing: it came with GET. */
  isReadOnly: boolean;
  /** Its answer begins when it has ended: what fails then fails before any of it has left. */
  isWhole: boolean;
  /** It is to be told how far it is, this often; null: not. */
  progressMs: number | null;
}

/** Parameters of the URL that are no settings of the engine, and what may be said by headers instead. */
const OF_THE_INTERFACE = new Set([
  "query",
  "query_id",
  "database",
  "user",
  "password",
  "default_format",
  "compress",
  "decompress",
  "wait_end_of_query",
  "buffer_size",
  "role",
  "quota_key",
  "client_protocol_version",
  "enable_http_compression",
  "http_zlib_compression_level",
  "send_progress_in_http_headers",
  "http_headers_progress_interval_ms",
  "http_response_buffer_size",
  "http_write_exception_in_output_format",
  "cancel_http_readonly_queries_on_client_close",
]);
/** A conversation over several requests would be lost with a restart of the process. */
const NOT_HERE = new Set(["session_id", "session_timeout", "session_check", "async_insert_deduplicate"]);
/** ClickHouse's own way of packing, of which no client here makes use. */
const PACKED = ["compress", "decompress"];
const PROGRESS_MS = 100;
const PARAMETER = "param_";
const NAME = /^[A-Za-z_][A-Za-z0-9_.]*$/;
const OWN_FORMAT = /\bFORMAT\s+([A-Za-z0-9]+)\s*(?:SETTINGS\b[^;]*)?;?\s*$/i;
/** What is inserted of a selection is no data that comes: it is asked beside questions, and shipping does not wait for it. */
const INSERT = /^\s*INSERT\b(?!\s+INTO\s+\w+\s+\([^)]*\)\s+SELECT\b)/i;
const INSERT_FORMAT = /\bFORMAT\s+([A-Za-z0-9]+)\s*$/i;
const quoted = (value: string) => `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
/** A table, perhaps its columns, and the format of the data that the body is. */
const INSERT_DATA = /^(\s*INSERT\s+INTO\s+(?:TABLE\s+)?[\w.`]+\s*(?:\([\w\s.,`]+\)\s*)?)(FORMAT\s+\w+)\s*$/i;

export const isInsert = (sql: string): boolean => INSERT.test(sql);

/** Is the body the data of an insert, and nothing else? */
export const isInsertOfBody = (url: URL): boolean => INSERT_DATA.test(url.searchParams.get("query") ?? "");

/** The data of an insert, in a file. */
export interface DataFile {
  path: string;
  /** As the engine calls it. */
  compression: string;
}

const isFile = (body: Buffer | DataFile): body is DataFile => !Buffer.isBuffer(body);

/** Other data than a file's are text for the engine, which takes the statement and its data as one. */
const TEXT_FORMATS = /^(?:JSON|CSV|TSV|TabSeparated|Values|Lines|LineAsString|NDJSON|RawBLOB)/i;

/** The statement stands in the URL, in the body, or begins there and goes on here. */
function statementOf(fromUrl: string, body: Buffer | DataFile): string {
  if (isFile(body)) {
    const { path, compression } = body;
    return fromUrl.replace(
      INSERT_DATA,
      (_, into, format) => `${into}FROM INFILE ${quoted(path)} COMPRESSION '${compression}' ${format}`,
    );
  }
  if (fromUrl === "") return body.toString("utf8");
  if (body.length === 0) return fromUrl;
  const format = INSERT_FORMAT.exec(fromUrl)?.[1];
  if (format && !TEXT_FORMATS.test(format))
    throw exception(48, "NOT_IMPLEMENTED", `The embedded warehouse takes no data in the format ${format}`);
  return `${fromUrl}\n${body.toString("utf8")}`;
}

/** @throws Exception when the request asks for what is not here */
export function readQuestion(
  method: string,
  url: URL,
  headers: Headers,
  body: Buffer | DataFile,
  newId: () => string,
): Question {
  const settings = new Map<string, string>();
  const parameters = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    if (OF_THE_INTERFACE.has(name)) continue;
    if (NOT_HERE.has(name)) throw exception(48, "NOT_IMPLEMENTED", `The embedded warehouse has no ${name}`);
    const isParameter = name.startsWith(PARAMETER);
    const bare = isParameter ? name.slice(PARAMETER.length) : name;
    if (!NAME.test(bare)) throw exception(115, "UNKNOWN_SETTING", `Unknown setting '${name}'`);
    (isParameter ? parameters : settings).set(bare, value);
  }
  const isOn = (name: string) => /^(?:1|true)$/.test(url.searchParams.get(name) ?? "");
  for (const name of PACKED)
    if (isOn(name)) throw exception(48, "NOT_IMPLEMENTED", `The embedded warehouse has no ${name}`);
  if (headers.get("content-type")?.startsWith("multipart/"))
    throw exception(48, "NOT_IMPLEMENTED", "The embedded warehouse takes no external data");
  const asked = url.searchParams.get("query") ?? "";
  const sql = statementOf(asked, body);
  if (sql.trim() === "") throw exception(62, "SYNTAX_ERROR", "Syntax error: Empty query");
  const ownFormat = isInsert(sql) ? null : OWN_FORMAT.exec(sql)?.[1];
  return {
    queryId: url.searchParams.get("query_id") || newId(),
    sql,
    database: url.searchParams.get("database") ?? headers.get("x-clickhouse-database"),
    settings,
    parameters,
    format:
      ownFormat ??
      url.searchParams.get("default_format") ??
      headers.get("x-clickhouse-format") ??
      "TabSeparated",
    isReadOnly: method === "GET",
    isWhole: isOn("wait_end_of_query"),
    progressMs: isOn("send_progress_in_http_headers")
      ? Number(url.searchParams.get("http_headers_progress_interval_ms") ?? PROGRESS_MS)
      : null,
  };
}

const identifier = (name: string) => `\`${name.replaceAll("\\", "\\\\").replaceAll("`", "\\`")}\``;

/** The label by which a running query is found: its id here is the engine's own affair. */
export const LABEL = "log_comment";

/**
 * What must be said to a new session before the statement.
 * @param defaults settings that the question may have otherwise
 */
export function preludeOf(question: Question, defaults: ReadonlyMap<string, string>): string {
  const { queryId, database, settings, parameters, isReadOnly } = question;
  const set = [
    `${LABEL} = ${quoted(queryId)}`,
    ...[...new Map([...defaults, ...settings])].map(([name, value]) => `${name} = ${quoted(value)}`),
    ...[...parameters].map(([name, value]) => `${PARAMETER}${name} = ${quoted(value)}`),
    ...(isReadOnly ? ["readonly = 2"] : []),
  ];
  return `${database === null ? "" : `USE ${identifier(database)}; `}SET ${set.join(", ")}`;
}

export const progressOf = (queryId: string): string =>
  `SELECT toFloat64(read_rows) AS readRows, toFloat64(read_bytes) AS readBytes, toFloat64(written_rows) AS writtenRows,
    toFloat64(written_bytes) AS writtenBytes, toFloat64(total_rows_approx) AS totalRows, elapsed AS elapsedSeconds
  FROM system.processes WHERE Settings['${LABEL}'] = ${quoted(queryId)}`;

/** Ends the query with that id, wherever it is. */
export const killOf = (queryId: string): string =>
  `KILL QUERY WHERE Settings['${LABEL}'] = ${quoted(queryId)} ASYNC`;

export type { Exception };
