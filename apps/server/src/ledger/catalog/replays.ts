/**
 * Replays of kept events (docs/api/quarantine.md): claims and progress. The kept events themselves are beside the debug history.
 * Every step may run twice.
 */
import { LIMITS } from "@headwater/contract/limits";
import { sql } from "kysely";
import type { OpenReplay, ReplayProgress, ReplayRecord, SavedItemRecord } from "../records.ts";
import { type AuditedChange, writeAudit } from "./audit.ts";
import { type CatalogDb, hasRows, type LeaseClock } from "./database.ts";
import { insertSavedItem } from "./saved-items.ts";
import type { CatalogTables } from "./schema.ts";
import { lockSource } from "./sources.ts";

/** Replays deleted by one call of `expireReplays`. */
const SLICE_REPLAYS = 1_000;

interface ReplayRequest {
  sourceId: string;
  replayId: string;
}

const toRecord = (row: CatalogTables["replays"]): ReplayRecord => {
  const { replayId, sourceId, status, requestedAt, finishedAt } = row;
  const { selection, edits, selected }: Pick<ReplayRecord, "selection" | "edits" | "selected"> = JSON.parse(
    row.plan,
  );
  const progress: ReplayProgress = JSON.parse(row.progress);
  return { replayId, sourceId, status, requestedAt, finishedAt, selection, edits, selected, ...progress };
};

/** The newest first. */
async function replays(db: CatalogDb, { sourceId }: { sourceId: string }): Promise<ReplayRecord[]> {
  const rows = await db
    .selectFrom("replays")
    .selectAll()
    .where("sourceId", "=", sourceId)
    .orderBy("requestedAt", "desc")
    .orderBy("replayId", "desc")
    .limit(LIMITS.maxListedReplays)
    .execute();
  return rows.map(toRecord);
}

async function replay(db: CatalogDb, { sourceId, replayId }: ReplayRequest): Promise<ReplayRecord | null> {
  const row = await db
    .selectFrom("replays")
    .selectAll()
    .where("replayId", "=", replayId)
    .where("sourceId", "=", sourceId)
    .executeTakeFirst();
  return row ? toRecord(row) : null;
}

const isRunning = (db: CatalogDb, sourceId: string): Promise<boolean> => {
  const running = db.selectFrom("replays").select("replayId").where("status", "=", "running");
  return hasRows(running.where("sourceId", "=", sourceId), 1);
};

/** @param started.annotation says on the stats that events were added; left out when the source has too many saved items */
async function createReplay(
  db: CatalogDb,
  started: AuditedChange & { replay: ReplayRecord; upToSeq: number; annotation: SavedItemRecord | null },
): Promise<"created" | "unknown" | "running"> {
  const { upToSeq, annotation, now } = started;
  const { sourceId, replayId, status, requestedAt, finishedAt, ...others } = started.replay;
  const { selection, edits, selected, ...progress } = others;
  const source = await lockSource(db, { sourceId, now });
  if (!source) return "unknown";
  if (await isRunning(db, sourceId)) return "running";
  const texts = { plan: JSON.stringify({ selection, edits, selected }), progress: JSON.stringify(progress) };
  const times = { requestedAt, finishedAt, claimedUntil: 0 };
  await db
    .insertInto("replays")
    .values({ replayId, sourceId, status, ...texts, ...times, afterSeq: 0, upToSeq })
    .execute();
  if (annotation) await insertSavedItem(db, annotation);
  const { organizationId } = source;
  const entry = { organizationId, action: "source.replay_started", target: sourceId, before: null };
  await writeAudit(db, started, { ...entry, after: { replayId, selection, edits, selected } });
  return "created";
}

/** Stops a running replay, or resumes a stopped one. One that is done stays done. */
async function switchReplay(
  db: CatalogDb,
  switched: AuditedChange & ReplayRequest & { to: "stopped" | "running" },
): Promise<ReplayRecord | "unknown" | "running"> {
  const { sourceId, replayId, to, now } = switched;
  const source = await lockSource(db, { sourceId, now });
  const before = await replay(db, { sourceId, replayId });
  if (!source || !before) return "unknown";
  if (before.status === "done" || before.status === to) return before;
  if (to === "running" && (await isRunning(db, sourceId))) return "running";
  await db.updateTable("replays").set({ status: to }).where("replayId", "=", replayId).execute();
  const action = to === "stopped" ? "source.replay_stopped" : "source.replay_resumed";
  const entry = { organizationId: source.organizationId, action, target: sourceId };
  await writeAudit(db, switched, { ...entry, before: null, after: { replayId } });
  return { ...before, status: to };
}

/** Claims the running replay that has waited longest. A claim ends after `leaseMs`. */
async function claimReplay(
  db: CatalogDb,
  { now, leaseMs }: { now: number; leaseMs: number },
  leaseClock: LeaseClock,
): Promise<OpenReplay | null> {
  const time = leaseClock(now);
  const free = db
    .selectFrom("replays")
    .select("replayId")
    .where("status", "=", "running")
    .where("claimedUntil", "<=", time)
    .orderBy("claimedUntil")
    .orderBy("requestedAt")
    .limit(1);
  const claimed = await db
    .updateTable("replays")
    .set({ claimedUntil: sql<number>`${time} + ${leaseMs}` })
    .where("replayId", "in", free)
    .where("claimedUntil", "<=", time)
    .returningAll()
    .executeTakeFirst();
  if (!claimed) return null;
  const { sourceId, replayId, selection, edits } = toRecord(claimed);
  return { sourceId, replayId, selection, edits, afterSeq: claimed.afterSeq, upToSeq: claimed.upToSeq };
}

const addProgress = (before: ReplayProgress, added: ReplayProgress): ReplayProgress => {
  const rejected = { ...before.rejected };
  for (const [code, events] of Object.entries(added.rejected))
    rejected[code] = (rejected[code] ?? 0) + events;
  const accepted = before.accepted + added.accepted;
  return { accepted, duplicates: before.duplicates + added.duplicates, rejected };
};

/** Notes what a slice did, and gives the claim back. A slice that another node has noted meanwhile is not counted twice. */
async function advanceReplay(
  db: CatalogDb,
  step: Pick<OpenReplay, "replayId" | "afterSeq"> & {
    to: number;
    added: ReplayProgress;
    isDone: boolean;
    now: number;
  },
): Promise<void> {
  const { replayId, afterSeq, to, added, isDone, now } = step;
  const row = await db
    .updateTable("replays")
    .set({ claimedUntil: 0, afterSeq: to })
    .where("replayId", "=", replayId)
    .where("afterSeq", "=", afterSeq)
    .returning("progress")
    .executeTakeFirst();
  if (!row) return;
  const progress = JSON.stringify(addProgress(JSON.parse(row.progress), added));
  const finished = isDone ? { status: "done" as const, finishedAt: now } : {};
  await db
    .updateTable("replays")
    .set({ progress, ...finished })
    .where("replayId", "=", replayId)
    .execute();
}

/** Deletes a slice of the replays that were done before that time. @returns false when done */
async function expireReplays(db: CatalogDb, { before }: { before: number }): Promise<boolean> {
  const old = db
    .selectFrom("replays")
    .select("replayId")
    .where("finishedAt", "<", before)
    .limit(SLICE_REPLAYS);
  const { numDeletedRows } = await db
    .deleteFrom("replays")
    .where("replayId", "in", old)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows) === SLICE_REPLAYS;
}

export const replayReads = { replay, replays };
export const replayWrites = { createReplay, switchReplay, claimReplay, advanceReplay, expireReplays };
