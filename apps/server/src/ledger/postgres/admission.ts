/** Who may work with a database: any number of nodes, or one move into it that is not finished; never both. */
import { randomBytes } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type pg from "pg";
import { markMoved, markMoving, moveMarkOf } from "../sqlite/move-mark.ts";
import { LOCKS, UnfitPostgres } from "./connections.ts";

/** The sentence says what to do instead. */
export class TargetInUse extends Error {
  override readonly name = "TargetInUse";
}

/** Nodes and moves come in one at a time, so that none overlooks another. */
async function oneAtATime(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query("begin");
  try {
    await client.query("select pg_advisory_xact_lock($1, $2)", [...LOCKS.admission]);
    await work();
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  }
}

/** @throws UnfitPostgres when a move into that database has begun and has not ended */
export const admitNode = (client: pg.Client, nodeId: string): Promise<void> =>
  oneAtATime(client, async () => {
    const unfinished = await client.query("select from moves where finished_at is null");
    if (unfinished.rowCount !== 0)
      throw new UnfitPostgres(
        "The move of an embedded ledger into the database of DATABASE_URL is not finished. Run `headwater move --to …` " +
          "again with the DATA_DIR that it comes from, and start when it has ended.",
      );
    await client.query("update moves set served_at = ledger_now() where served_at is null");
    await client.query("insert into nodes values ($1, clock_timestamp())", [nodeId]);
  });

interface Parts {
  ledger: DatabaseSync;
  target: pg.Client;
  now: number;
}

const OWN =
  "Give this one an empty database of its own, made with `createdb --encoding=UTF8 --template=template0`.";

/** Why this ledger cannot move into that database; null: it can, or goes on. */
async function obstacleOf({ ledger, target }: Parts): Promise<string | null> {
  const mark = moveMarkOf(ledger);
  const [move] = (await target.query("select * from moves")).rows;
  const { rows } = await target.query(`select (select count(*) from organizations) as workspaces,
    (select count(*) from nodes where seen_at > clock_timestamp() - interval '10 s') as nodes`);
  const { workspaces, nodes } = rows[0];
  if (move && move.move_id !== mark?.moveId)
    return `Another ledger moved into that database, or is on its way there. ${OWN}`;
  if (!move && workspaces > 0) return `That database holds a ledger already. ${OWN}`;
  if (move?.served_at)
    return "This ledger has moved to that database, which has been served from since: nothing is left to do. Start the service with DATABASE_URL set to it.";
  if (mark?.isFinished && !move?.finished_at)
    return "This ledger has moved to another database already. Set DATABASE_URL to that one.";
  return nodes > 0 ? "A service works with that database. Stop it first." : null;
}

/**
 * Takes the database for this move, until its connection ends, and marks both sides with one id: the ledger is not served
 * from while it is on its way, and a copy of it that was is another ledger.
 * @throws TargetInUse
 */
export async function admitMove(parts: Parts): Promise<void> {
  const { ledger, target, now } = parts;
  const { rows } = await target.query("select pg_try_advisory_lock($1, $2) as mine", [...LOCKS.move]);
  if (!rows[0].mine)
    throw new TargetInUse("Another `headwater move` works with that database. Wait until it has ended.");
  await oneAtATime(target, async () => {
    const obstacle = await obstacleOf(parts);
    if (obstacle) throw new TargetInUse(obstacle);
    const moveId = moveMarkOf(ledger)?.moveId ?? randomBytes(16).toString("hex");
    markMoving(ledger, moveId, now);
    await target.query(
      "insert into moves (moved_at, move_id) select ledger_now(), $1 where not exists (select from moves)",
      [moveId],
    );
  });
}

/** Everything is there. Keys that came along are kept from now on for as long as any other. */
export async function finishMove({ ledger, target, now }: Parts): Promise<void> {
  await target.query("update moves set moved_at = ledger_now(), finished_at = ledger_now()");
  markMoved(ledger, now);
}
