/** Drills with a ledger on PostgreSQL: a server that stands still, and poolers. */
import { writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { folder, headwater } from "../../apps/server/test/cli/command-line.ts";
import { freezeServer, query, startCluster } from "../../apps/server/test/postgres/cluster.ts";
import { startPooler, whyNoPooler } from "../../apps/server/test/postgres/pooler.ts";
import { until } from "../../apps/server/test/support/until.ts";
import {
  type DrillFigures,
  readReport,
  refusalsOf,
  startTrickled,
  storedIds,
  toFigures,
  waitForAccepted,
} from "./drill.ts";

const REFUSED = 100;
const FROZEN_MS = 20_000;
const FURTHER = 500;

/** A database of its own, and a folder that names it for the reader of the ledger. */
async function openDatabase() {
  const cluster = await startCluster();
  await query(cluster.url(), "create database app");
  const data = folder();
  writeFileSync(data.at("database-url"), cluster.url("app"));
  const close = async () => {
    await cluster.stop();
    data[Symbol.dispose]();
  };
  return { cluster, url: cluster.url("app"), dataDir: data.path, [Symbol.asyncDispose]: close };
}

/** PostgreSQL stands still for 20 s. */
export async function frozenPostgres(): Promise<DrillFigures> {
  await using database = await openDatabase();
  const { cluster, dataDir } = database;
  await using service = await startTrickled(dataDir, { DATABASE_URL: database.url });
  const { child, trickle } = service;
  const thaw = freezeServer(cluster);
  const faultAt = performance.now();
  let mendedAt = faultAt;
  let report = null;
  try {
    await wait(FROZEN_MS);
    await until("events are refused", () => refusalsOf(trickle) >= REFUSED);
    report = await readReport(child);
  } finally {
    mendedAt = performance.now();
    thaw();
  }
  await waitForAccepted(trickle, FURTHER);
  await trickle[Symbol.asyncDispose]();
  await child.end("SIGTERM");
  const slowest = Math.max(...trickle.answers.map(({ sentAt, answeredAt }) => answeredAt - sentAt));
  const note = `frozen for ${FROZEN_MS / 1_000} s; the slowest answer took ${Math.round(slowest)} ms`;
  const stored = storedIds(dataDir);
  return toFigures({ answers: trickle.answers, stored, times: { faultAt, mendedAt }, report, note });
}

/** A pooler in session mode serves; one in transaction mode is refused at the start. */
export async function transactionPooler(): Promise<DrillFigures | string> {
  const missing = whyNoPooler();
  if (missing !== null) return missing;
  await using database = await openDatabase();
  const { url, dataDir } = database;
  const source = await trickleThroughSession(url, dataDir);
  await using pooler = await startPooler(url, { pool_mode: "transaction" });
  const { code, stderr } = await headwater({ DATABASE_URL: pooler.url, PORT: "0" }, "serve");
  const refused = code === 78 && /transaction or statement mode/.test(stderr);
  const note = refused
    ? "transaction mode is refused at the start; acknowledged in session mode"
    : `transaction mode was not refused: ${code} ${stderr}`;
  const { answers, faultAt } = source;
  const figures = toFigures({ answers, stored: storedIds(dataDir), times: { faultAt }, report: null, note });
  return { ...figures, acknowledgedAfterKnown: refused ? 0 : 1 };
}

async function trickleThroughSession(url: string, dataDir: string) {
  await using pooler = await startPooler(url, { pool_mode: "session" });
  await using service = await startTrickled(dataDir, { DATABASE_URL: pooler.url });
  const faultAt = performance.now();
  await waitForAccepted(service.trickle, FURTHER);
  await service.trickle[Symbol.asyncDispose]();
  await service.child.end("SIGTERM");
  return { answers: service.trickle.answers, faultAt };
}
