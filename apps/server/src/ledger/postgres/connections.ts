/** Connections to PostgreSQL: what each must be like before anything is promised on it, and how long it may take. */

import pg from "pg";
import { SERVER_LIMITS } from "../../core/limits.ts";

export type Connection = Pick<pg.ClientBase, "query">;

/** The server or the role is set up in a way that the ledger's promises cannot be kept with; the sentence says how to mend it. */
export class UnfitPostgres extends Error {
  override readonly name = "UnfitPostgres";
}

const CLASS = 0x48_57;
/** Advisory locks: a class of our own, and what for. */
export const LOCKS = {
  migration: [CLASS, 1],
  keys: [CLASS, 2],
  attempts: [CLASS, 3],
  upkeep: [CLASS, 4],
  admission: [CLASS, 5],
  move: [CLASS, 6],
  outbox: [CLASS, 7],
} as const satisfies Record<string, number[]>;

const OLDEST_VERSION = 140_000;
const INT8 = 20;
const BOOL_ARRAY = 1_000;

/** `{t,f,t}` as 1, 0, 1. */
function flagsOf(text: string): Uint8Array {
  const flags = new Uint8Array((text.length - 1) >> 1);
  for (let index = 0; index < flags.length; index++)
    flags[index] = text.charCodeAt(2 * index + 1) === 0x74 ? 1 : 0;
  return flags;
}

/** Our numbers stay below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text") => {
    if (oid === INT8) return Number;
    if (oid === BOOL_ARRAY) return flagsOf;
    return pg.types.getTypeParser(oid, format);
  }) as typeof pg.types.getTypeParser,
};

/** As a new connection would have it, whatever this one was given; `off` is what nothing can be promised with. */
export const SYNCHRONOUS = "select reset_val from pg_settings where name = 'synchronous_commit'";

/** @throws UnfitPostgres */
export function checkSynchronous(synchronous: string): void {
  if (synchronous === "off")
    throw new UnfitPostgres(
      "synchronous_commit is off for the role, the database or the server of DATABASE_URL, so an accepted event could be lost; " +
        "set it on, for example with `alter role … set synchronous_commit = on`.",
    );
}

/**
 * Sets and checks what a connection must be like, in one round trip. What would be said at its start a pooler in session
 * mode does not pass on. `synchronous_commit` stays as it is, whatever becomes of the server's meanwhile.
 * @param statementMs 0: a statement may take its time
 * @throws UnfitPostgres
 */
async function prepare(connection: pg.ClientBase, statementMs: number): Promise<void> {
  const results = await connection.query(
    // each statement of a commit sees what ended before it; and compiling one costs more than running it
    `set default_transaction_isolation = 'read committed'; set jit = off; set statement_timeout = ${statementMs}; set idle_in_transaction_session_timeout = ${SERVER_LIMITS.databaseStatementMs};
     select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
       set_config('synchronous_commit', current_setting('synchronous_commit'), false) as synchronous`,
  );
  const { version, synchronous, encoding } = (results as unknown as pg.QueryResult[]).at(-1)!.rows[0];
  if (version < OLDEST_VERSION)
    throw new UnfitPostgres("DATABASE_URL names a PostgreSQL older than 14; use 14 or later.");
  if (encoding !== "UTF8")
    throw new UnfitPostgres(
      `The database of DATABASE_URL has the encoding ${encoding}; create one with \`createdb --encoding=UTF8 --template=template0\`.`,
    );
  checkSynchronous(synchronous);
}

export const connectionOf = (url: string): pg.ClientConfig => ({
  connectionString: url,
  application_name: "headwater",
  types,
  keepAlive: true,
  connectionTimeoutMillis: SERVER_LIMITS.databaseConnectMs,
  // a server that was stopped answers not even with a timeout
  query_timeout: SERVER_LIMITS.databaseStatementMs + SERVER_LIMITS.databaseConnectMs,
});

/** One connection that may take its time, for what is done to the schema and for what one command does. */
export async function connectAlone(url: string): Promise<pg.Client> {
  const client = new pg.Client({ ...connectionOf(url), query_timeout: 0 });
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
    ...connectionOf(url),
    max,
    onConnect: (client) => prepare(client, SERVER_LIMITS.databaseStatementMs),
  });
  // an idle connection that breaks is removed by the pool; whoever needs one gets a new one, or its error
  pool.on("error", () => undefined);
  // one that breaks at work tells whoever uses it, and would end the process if nobody listened here
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}
