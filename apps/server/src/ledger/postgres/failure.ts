/** What PostgreSQL and the way to it can fail with, as the port says it. */
import pg from "pg";
import { StorageError } from "../ledger.ts";
import { UnfitPostgres } from "./connections.ts";

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const DISK_FULL = "53100";
const INSUFFICIENT_PRIVILEGE = "42501";
const LOCK_NOT_AVAILABLE = "55P03";
const DEADLOCK_DETECTED = "40P01";
/**
 * Classes of what the server, the way to it or its keeper is to blame for: connections (08), a state in which it only
 * reads (25), who may come in (28, 3D), serialization (40), resources (53), locks (55), an operator (57), its system
 * (58) and its inside (XX). Any other, such as a constraint or a wrong statement, is a bug of ours.
 */
const TROUBLES = ["08", "25", "28", "3D", "40", "53", "55", "57", "58", "XX"];
/** Of Node's own, and of pg, which has no class for what it says itself. */
const BROKEN = /^(?:E[A-Z]+|SELF_SIGNED|DEPTH_ZERO|CERT_|ERR_)/;
const SAID_BY_PG = /connection|timeout|terminated|not queryable|pool after/i;

/** `lock_timeout` has passed. */
export const isLockTimeout = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE;

export const isDeadlock = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === DEADLOCK_DETECTED;

/** A bug of ours stays what it is. */
export function storageErrorOf(error: unknown): unknown {
  if (error instanceof StorageError || error instanceof UnfitPostgres || !(error instanceof Error))
    return error;
  const { code } = error as { code?: string };
  if (error instanceof pg.DatabaseError) {
    const isTrouble = TROUBLES.includes(code?.slice(0, 2) ?? "") || code === INSUFFICIENT_PRIVILEGE;
    return isTrouble ? new StorageError(error.message, code === DISK_FULL, error) : error;
  }
  const isBroken = (code !== undefined && BROKEN.test(code)) || SAID_BY_PG.test(error.message);
  return isBroken || error instanceof AggregateError
    ? new StorageError(`PostgreSQL cannot be reached (${code ?? error.message})`, false, error)
    : error;
}

/** The same of what a service meets that has started: a server that became unfit is waited for, as any other trouble is. */
export function servingErrorOf(error: unknown): unknown {
  return error instanceof UnfitPostgres
    ? new StorageError(error.message, false, error)
    : storageErrorOf(error);
}
