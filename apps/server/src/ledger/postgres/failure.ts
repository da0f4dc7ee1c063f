/** Turns errors of PostgreSQL and of its connections into StorageError. */
import pg from "pg";
import { OperatorError } from "../../core/errors.ts";
import { StorageError } from "../ledger.ts";
import { UnfitPostgres } from "./connections.ts";

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const DISK_FULL = "53100";
const INSUFFICIENT_PRIVILEGE = "42501";
const LOCK_NOT_AVAILABLE = "55P03";
const DEADLOCK_DETECTED = "40P01";
/** The role, its password, the database or its rights are wrong. The server does not mend that by itself. */
const REFUSED = ["28000", "28P01", "3D000", INSUFFICIENT_PRIVILEGE];
/** PgBouncer's answer to `begin` in statement mode. */
const STATEMENT_POOLING = /statement pooling/i;
/**
 * Error classes that the server, the network or the operator causes: connection (08), transaction state, such as read-only
 * (25), authentication (28), unknown database (3D), rollback (40), resources (53), locks (55), operator intervention (57),
 * system error (58) and internal error (XX). Any other class, such as a syntax error, is a bug of ours.
 */
const STORAGE_CLASSES = ["08", "25", "28", "3D", "40", "53", "55", "57", "58", "XX"];
/** Error codes of Node and OpenSSL for broken connections. */
const CONNECTION_CODE = /^(?:E[A-Z]+|SELF_SIGNED|DEPTH_ZERO|CERT_|ERR_)/;
/** Messages of pg, whose own errors have neither a class nor a code. */
const PG_CONNECTION_MESSAGE = /connection|timeout|terminated|not queryable|pool after/i;

/** Whether `lock_timeout` has passed. */
export const isLockTimeout = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE;

export const isDeadlock = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === DEADLOCK_DETECTED;

/** @returns a StorageError. A bug of ours and an OperatorError, which tells the operator what to fix, are returned unchanged. */
export function toStorageError(error: unknown): unknown {
  if (error instanceof StorageError || error instanceof OperatorError || !(error instanceof Error))
    return error;
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  if (error instanceof pg.DatabaseError) {
    const isStorage = STORAGE_CLASSES.includes(code?.slice(0, 2) ?? "") || code === INSUFFICIENT_PRIVILEGE;
    if (!isStorage) return error;
    const kind = code === DISK_FULL ? "full" : "failed";
    const needsOperator = REFUSED.includes(code ?? "") || STATEMENT_POOLING.test(error.message);
    return new StorageError(error.message, kind, error, needsOperator);
  }
  const isConnection =
    (code !== undefined && CONNECTION_CODE.test(code)) || PG_CONNECTION_MESSAGE.test(error.message);
  return isConnection || error instanceof AggregateError
    ? new StorageError(`PostgreSQL cannot be reached (${code ?? error.message})`, "failed", error)
    : error;
}

/** Also makes UnfitPostgres a StorageError: a running service waits until PostgreSQL can be used again. */
export const toServingError = (error: unknown): unknown =>
  error instanceof UnfitPostgres ? new StorageError(error.message, "failed", error) : toStorageError(error);
