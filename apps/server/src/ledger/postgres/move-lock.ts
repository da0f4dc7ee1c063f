/** A database is used either by any number of nodes or by one unfinished move, never by both. */

import { randomBytes } from "node:crypto";
import type pg from "pg";
import { HEADWATER } from "../../core/command-name.ts";
import { readMark, writeMark } from "../sqlite/folder-mark.ts";
import { LOCKS, UnfitPostgres } from "./connections.ts";

const REGISTER = `insert into nodes values ($1, clock_timestamp())
  returning pg_snapshot_xmin(pg_current_snapshot())::text as oldest`;

/** A ledger cannot move to this database. The message says what to do instead. */
export class TargetInUse extends Error {
  override readonly name = "TargetInUse";
}

/** Nodes and moves start one at a time, so that each sees the others. */
async function withStartLock<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query("begin");
  try {
    await client.query("select pg_advisory_xact_lock($1, $2)", [...LOCKS.start]);
    const value = await work();
    await client.query("commit");
    return value;
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  }
}

/**
 * Registers a node that starts.
 * @returns the oldest transaction that had not ended then
 * @throws UnfitPostgres when a move to this database is not finished
 */
export const registerNode = (client: pg.Client, nodeId: string): Promise<string> =>
  withStartLock(client, async () => {
    const unfinished = await client.query("select from moves where finished_at is null");
    if (unfinished.rowCount !== 0)
      throw new UnfitPostgres(
        `The move of an embedded ledger to the database at DATABASE_URL is not finished. Run \`${HEADWATER} move --to …\` ` +
          "again with the DATA_DIR of that ledger, and start the service when it has finished.",
      );
    await client.query("update moves set served_at = ledger_now() where served_at is null");
    const { rows } = await client.query<{ oldest: string }>(REGISTER, [nodeId]);
    return rows.map(({ oldest }) => oldest).join();
  });

interface MoveEnds {
  dataDir: string;
  target: pg.Client;
}

const USE_EMPTY_DATABASE =
  "Use an empty database, made with `createdb --encoding=UTF8 --template=template0`.";

/** Why this ledger cannot move to that database; null: it can start or continue. */
async function findObstacle({ dataDir, target }: MoveEnds): Promise<string | null> {
  const mark = readMark(dataDir, "move");
  const [move] = (await target.query("select * from moves")).rows;
  const { rows } = await target.query(`select (select count(*) from organizations) as workspaces,
    (select count(*) from nodes where seen_at > clock_timestamp() - interval '10 s') as nodes`);
  const { workspaces, nodes } = rows[0];
  if (move && move.move_id !== mark?.moveId)
    return `Another ledger moved to that database, or is moving there. ${USE_EMPTY_DATABASE}`;
  if (!move && workspaces > 0) return `That database already contains a ledger. ${USE_EMPTY_DATABASE}`;
  if (move?.served_at)
    return "This ledger has already moved to that database, and a service has used it since. Start the service with DATABASE_URL set to it.";
  if (mark?.isFinished && !move?.finished_at)
    return "This ledger has already moved to another database. Set DATABASE_URL to that database.";
  return nodes > 0 ? "A service is using that database. Stop it first." : null;
}

/**
 * Marks ledger and database with the same id, so that no other ledger can move to the database. A marked ledger cannot be served.
 * An older copy of the ledger has no such mark, so it cannot continue this move.
 * @throws TargetInUse
 */
export async function beginMove(parts: MoveEnds): Promise<void> {
  const { dataDir, target } = parts;
  await withStartLock(target, async () => {
    const obstacle = await findObstacle(parts);
    if (obstacle) throw new TargetInUse(obstacle);
    const mark = readMark(dataDir, "move") ?? { moveId: randomBytes(16).toString("hex"), isFinished: false };
    writeMark(dataDir, "move", mark);
    await target.query("insert into moves (move_id) select $1 where not exists (select from moves)", [
      mark.moveId,
    ]);
  });
}

/** Call it when everything was copied. */
export async function finishMove({ dataDir, target }: MoveEnds): Promise<void> {
  await target.query("update moves set finished_at = ledger_now()");
  const mark = readMark(dataDir, "move");
  if (mark) writeMark(dataDir, "move", { ...mark, isFinished: true });
}
