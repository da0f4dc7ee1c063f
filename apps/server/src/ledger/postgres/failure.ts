/** What PostgreSQL and the way to it can fail with, as the port says it. */
import pg from "pg";
import { StorageError } from "../ledger.ts";
import { UnfitPostgres } from "./connections.ts";

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: disk_full. */
const DISK_FULL = "53100";
/** Of Node's own, and of pg, which has no class for what it says itself. */
const BROKEN = /^(?:E[A-Z]+|SELF_SIGNED|DEPTH_ZERO|CERT_|ERR_)/;
const SAID_BY_PG = /connection|timeout|terminated|not queryable|pool after/i;

/** A bug of ours stays what it is. */
export function storageErrorOf(error: unknown): unknown {
  if (error instanceof StorageError || error instanceof UnfitPostgres || !(error instanceof Error))
    return error;
  const { code } = error as { code?: string };
  if (error instanceof pg.DatabaseError) return new StorageError(error.message, code === DISK_FULL, error);
  const isBroken = (code !== undefined && BROKEN.test(code)) || SAID_BY_PG.test(error.message);
  return isBroken || error instanceof AggregateError
    ? new StorageError(`PostgreSQL cannot be reached (${code ?? error.message})`, false, error)
    : error;
}
