/** Connections to PostgreSQL: the settings that every connection needs, and its timeouts. */
import pg from "pg";
import { OperatorError } from "../../core/errors.ts";

/** Short enough that clients get an answer or a 503 before they give up. */
const DATABASE_CONNECT_MS = 2_000;
const DATABASE_STATEMENT_MS = 5_000;

export type Queryable = Pick<pg.ClientBase, "query">;

/** The server or the role has settings with which the ledger cannot keep its promises. The message says what to change. */
export class UnfitPostgres extends OperatorError {}

const LOCK_CLASS = 0x48_57;
/**
 * Advisory locks: our class, and a number for each use. All belong to a transaction: behind a pooler, the next transaction of a
 * connection may run in another session.
 */
export const LOCKS = {
  migration: [LOCK_CLASS, 1],
  /** Shared by commits; exclusive for a change of the key generations. */
  keys: [LOCK_CLASS, 2],
  attempts: [LOCK_CLASS, 3],
  upkeep: [LOCK_CLASS, 4],
  /** Nodes and moves that start. */
  start: [LOCK_CLASS, 5],
  outbox: [LOCK_CLASS, 7],
  kept: [LOCK_CLASS, 8],
} as const satisfies Record<string, number[]>;

const MIN_VERSION = 140_000;
const INT8 = 20;
const BOOL_ARRAY = 1_000;

/** Parses a boolean array: `{t,f,t}` becomes 1, 0, 1. */
function parseFlags(text: string): Uint8Array {
  const flags = new Uint8Array((text.length - 1) >> 1);
  for (let index = 0; index < flags.length; index++)
    flags[index] = text.charCodeAt(2 * index + 1) === 0x74 ? 1 : 0;
  return flags;
}

/** bigint becomes a number: ours stay below 2^53. */
const types: pg.CustomTypesConfig = {
  // the declared type is a set of overloads by oid, which a function expression cannot have
  getTypeParser: ((oid: number, format?: "text") => {
    if (oid === INT8) return Number;
    if (oid === BOOL_ARRAY) return parseFlags;
    return pg.types.getTypeParser(oid, format);
  }) as typeof pg.types.getTypeParser,
};

/** The `synchronous_commit` that a new connection gets. With `off`, an accepted event could be lost. */
export const CONFIGURED_SYNCHRONOUS_COMMIT =
  "select reset_val from pg_settings where name = 'synchronous_commit'";

/** @throws UnfitPostgres */
export function requireSynchronousCommit(synchronous: string): void {
  if (synchronous === "off")
    throw new UnfitPostgres(
      "synchronous_commit is off for the role, the database or the server at DATABASE_URL, so an accepted event could be lost. " +
        "Set it to on, for example with `alter role <role> set synchronous_commit = on`.",
    );
}

/**
 * Sets and checks a new connection in one round trip. Start-up parameters would not do: poolers do not pass them on.
 * `synchronous_commit` is fixed, so that a later change of the server does not change this connection. A pooler in transaction mode
 * gives these settings to some of its sessions only, so `commit_group` checks those that it relies on.
 * @param statementMs timeout of a statement; 0: none
 * @throws UnfitPostgres
 */
async function prepare(connection: pg.ClientBase, statementMs: number): Promise<void> {
  const results = await connection.query(
    // `read committed`: each statement of a commit sees what was committed before it. `jit`: compiling costs more than it saves
    `set default_transaction_isolation = 'read committed'; set jit = off; set statement_timeout = ${statementMs}; set idle_in_transaction_session_timeout = ${DATABASE_STATEMENT_MS};
     select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
       set_config('synchronous_commit', current_setting('synchronous_commit'), false) as synchronous`,
  );
  // several statements give several results, which pg's types do not say
  const { version, synchronous, encoding } = (results as unknown as pg.QueryResult[]).at(-1)?.rows[0] ?? {};
  if (version < MIN_VERSION)
    throw new UnfitPostgres(
      "The PostgreSQL server at DATABASE_URL is older than version 14. Use PostgreSQL 14 or later.",
    );
  if (encoding !== "UTF8")
    throw new UnfitPostgres(
      `The database at DATABASE_URL has the encoding ${encoding}. Create a database with UTF8: \`createdb --encoding=UTF8 --template=template0\`.`,
    );
  requireSynchronousCommit(synchronous);
}

const toClientConfig = (url: string): pg.ClientConfig => ({
  connectionString: url,
  application_name: "headwater",
  types,
  keepAlive: true,
  connectionTimeoutMillis: DATABASE_CONNECT_MS,
  // a stopped server does not even enforce its own timeout
  query_timeout: DATABASE_STATEMENT_MS + DATABASE_CONNECT_MS,
});

/** Opens one connection without statement timeouts, for migrations and for commands. */
export async function openConnection(url: string): Promise<pg.Client> {
  const client = new pg.Client({ ...toClientConfig(url), query_timeout: 0 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await prepare(client, 0);
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

export function openPool(url: string, max: number): pg.Pool {
  const pool = new pg.Pool({
    ...toClientConfig(url),
    max,
    onConnect: (client) => prepare(client, DATABASE_STATEMENT_MS),
  });
  // the pool replaces idle connections that break
  pool.on("error", () => undefined);
  // a query on a broken connection rejects; without a listener the error event would end the process
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}
