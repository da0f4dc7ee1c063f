/**
 * Refuses a connection pooler that does not give each connection a session of its own. Listening for changes, advisory locks,
 * prepared statements and settings belong to a session: without one, a revoked token would still be valid on other nodes.
 */
import type pg from "pg";
import { openConnection, type Queryable, UnfitPostgres } from "./connections.ts";

const SHARED_SESSIONS =
  "DATABASE_URL leads to a pooler in transaction or statement mode, in which a connection has no session of its own. Set its " +
  "`pool_mode` to session, or set DATABASE_URL to the address of PostgreSQL itself.";

/** PgBouncer's answer to `begin` in statement mode. */
const isStatementMode = (error: unknown): boolean =>
  error instanceof Error && /statement pooling/i.test(error.message);

/** Begins a transaction. @returns the id of the server's process, which is that of the session */
async function beginOn(connection: Queryable): Promise<number> {
  await connection.query("begin");
  const { rows } = await connection.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]?.pid ?? 0;
}

/**
 * Whether both connections keep their session from one transaction to the next. Both hold a transaction at the same time, three
 * times: a pooler that hands out the session that was released last, or first, swaps them.
 */
async function keepSessions(one: Queryable, other: Queryable): Promise<boolean> {
  const [ofOne, ofOther] = [new Set<number>(), new Set<number>()];
  const beginOne = async () => void ofOne.add(await beginOn(one));
  const beginOther = async () => void ofOther.add(await beginOn(other));
  const rounds = [
    [beginOne, beginOther],
    [beginOne, beginOther],
    [beginOther, beginOne],
  ];
  for (const round of rounds) {
    for (const begin of round) await begin();
    await one.query("commit");
    await other.query("commit");
  }
  return ofOne.size === 1 && ofOther.size === 1;
}

/** @throws UnfitPostgres */
async function requireSessions(one: Queryable, other: Queryable): Promise<void> {
  const areKept = await keepSessions(one, other).catch((error: unknown) => {
    if (isStatementMode(error)) return false;
    throw error;
  });
  if (!areKept) throw new UnfitPostgres(SHARED_SESSIONS);
}

/** @throws UnfitPostgres */
export async function refuseSharedSessions(url: string): Promise<void> {
  const connections: pg.Client[] = [];
  try {
    const one = await openConnection(url);
    connections.push(one);
    const other = await openConnection(url);
    connections.push(other);
    await requireSessions(one, other);
  } catch (error) {
    throw isStatementMode(error) ? new UnfitPostgres(SHARED_SESSIONS) : error;
  } finally {
    await Promise.all(connections.map((connection) => connection.end().catch(() => undefined)));
  }
}

/** The same check for a service that runs: a pooler may have been restarted in another mode. @throws UnfitPostgres */
export async function refuseSharedSessionsOf(pool: pg.Pool): Promise<void> {
  const clients: pg.PoolClient[] = [];
  let failed = true;
  try {
    const one = await pool.connect();
    clients.push(one);
    const other = await pool.connect();
    clients.push(other);
    await requireSessions(one, other);
    failed = false;
  } finally {
    for (const client of clients) client.release(failed);
  }
}
