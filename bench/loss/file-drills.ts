/** Drills with the files of a ledger: removed, damaged, on a full disk, restored, under a wrong clock. */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { folder, headwater } from "../../apps/server/test/cli/command-line.ts";
import { ask } from "../../apps/server/test/faults/child.ts";
import { damageTable } from "../../apps/server/test/faults/damage.ts";
import { restoreUntil } from "../../apps/server/test/faults/killed-restore.ts";
import { emptyVolume, fillVolume, openVolume, whyNoVolume } from "../../apps/server/test/faults/volume.ts";
import { until } from "../../apps/server/test/support/until.ts";
import { ORGANIZATION_ID } from "../../apps/server/test/support/world.ts";
import {
  countLoss,
  type DrillFigures,
  readReport,
  refusalsOf,
  startTrickled,
  storedIds,
  toFigures,
  waitForAccepted,
} from "./drill.ts";

const REFUSED = 100;
const VOLUME_MB = 64;
const MOMENTS = 10;
/** Longer than the minute after which deletions by age are due. */
const JUMP_MS = 75_000;
const FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";

/** DATA_DIR is deleted under a service that runs. */
export async function removedFolder(): Promise<DrillFigures> {
  using data = folder();
  const dataDir = data.at("data");
  await using service = await startTrickled(dataDir);
  const { child, trickle } = service;
  const faultAt = performance.now();
  rmSync(dataDir, { recursive: true });
  await until("events are refused", () => refusalsOf(trickle) >= REFUSED);
  const report = await readReport(child);
  await trickle[Symbol.asyncDispose]();
  const note = existsSync(dataDir) ? "DATA_DIR was created again" : "";
  return toFigures({ answers: trickle.answers, stored: [], times: { faultAt }, report, note });
}

/** A page of the ledger is overwritten, and a request reads it. */
export async function damagedLedger(): Promise<DrillFigures> {
  using data = folder();
  const before = await startTrickled(data.path);
  await before.trickle[Symbol.asyncDispose]();
  // the next process has read no page of the table
  await before.child.end("SIGTERM");
  await using service = await startTrickled(data.path, {}, before.source);
  const { child, trickle } = service;
  damageTable(data.at("ledger.sqlite"), "audit");
  const faultAt = performance.now();
  await ask(child.url, `/api/audit?organizationId=${ORGANIZATION_ID}`);
  await until("events are refused", () => refusalsOf(trickle) >= REFUSED);
  const report = await readReport(child);
  await trickle[Symbol.asyncDispose]();
  await child.end("SIGTERM");
  const answers = [...before.trickle.answers, ...trickle.answers];
  return toFigures({ answers, stored: storedIds(data.path), times: { faultAt }, report });
}

/** The debug history is damaged between two runs. */
export async function damagedAttempts(): Promise<DrillFigures> {
  using data = folder();
  const before = await startTrickled(data.path);
  await before.trickle[Symbol.asyncDispose]();
  await before.child.end("SIGTERM");
  damageTable(data.at("attempts.sqlite"), "attempts");
  const faultAt = performance.now();
  await using service = await startTrickled(data.path, {}, before.source);
  const { child, trickle } = service;
  await until("the damage is reported", () => child.logged().includes("was damaged and is now"));
  await waitForAccepted(trickle, REFUSED);
  await trickle[Symbol.asyncDispose]();
  const report = await readReport(child);
  await child.end("SIGTERM");
  const answers = [...before.trickle.answers, ...trickle.answers];
  const note = "a warning names the file; nothing but the debug history is affected";
  return toFigures({ answers, stored: storedIds(data.path), times: { faultAt }, report, note });
}

/** The disk is full for a while. */
export async function fullDisk(): Promise<DrillFigures | string> {
  const missing = whyNoVolume("tmpfs");
  if (missing !== null) return missing;
  using volume = openVolume("tmpfs", VOLUME_MB);
  const dataDir = join(volume.path, "data");
  await using service = await startTrickled(dataDir);
  const { child, trickle } = service;
  fillVolume(volume);
  const faultAt = performance.now();
  await until("events are refused", () => {
    // for a while the ledger still finds space in its own files
    fillVolume(volume);
    return refusalsOf(trickle) >= REFUSED;
  });
  const report = await readReport(child);
  const mendedAt = performance.now();
  emptyVolume(volume);
  await waitForAccepted(trickle, REFUSED);
  const backMs = Math.round(performance.now() - mendedAt);
  await trickle[Symbol.asyncDispose]();
  await child.end("SIGTERM");
  const note = `accepting again, ${REFUSED} events after ${backMs} ms`;
  const stored = storedIds(dataDir);
  return toFigures({ answers: trickle.answers, stored, times: { faultAt, mendedAt }, report, note });
}

/** The service's clock is 40 days ahead for more than a minute; events are kept for 30 days. */
export async function clockAhead(): Promise<DrillFigures | string> {
  if (!existsSync(FAKETIME)) return "libfaketime is not installed (`apt-get install faketime`)";
  using data = folder();
  const offset = data.at("offset");
  writeFileSync(offset, "+0\n");
  await using service = await startTrickled(data.at("data"), {
    RETENTION_DAYS: "30",
    LD_PRELOAD: FAKETIME,
    FAKETIME_TIMESTAMP_FILE: offset,
    FAKETIME_NO_CACHE: "1",
    DONT_FAKE_MONOTONIC: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  });
  const { child, trickle } = service;
  writeFileSync(offset, "+40d\n");
  const faultAt = performance.now();
  await wait(JUMP_MS);
  const report = await readReport(child);
  const mendedAt = performance.now();
  writeFileSync(offset, "+0\n");
  await waitForAccepted(trickle, REFUSED);
  await trickle[Symbol.asyncDispose]();
  await child.end("SIGTERM");
  const stored = storedIds(data.at("data"));
  const note = `${JUMP_MS / 1_000} s ahead`;
  return toFigures({ answers: trickle.answers, stored, times: { faultAt, mendedAt }, report, note });
}

/** A backup of a service under load is restored ten times, each time killed at another moment and repeated. */
export async function killedRestore(): Promise<DrillFigures> {
  using data = folder();
  const backup = data.at("backup");
  await using service = await startTrickled(data.at("data"));
  const { child, trickle } = service;
  const backupAt = performance.now();
  const made = await headwater({ DATA_DIR: data.at("data") }, "backup", "--to", backup);
  if (made.code !== 0) throw new Error(made.stderr);
  await trickle[Symbol.asyncDispose]();
  await child.end("SIGTERM");
  const answers = trickle.answers.filter(({ answeredAt }) => answeredAt < backupAt);
  const ids = answers.flatMap(({ eventId, outcome }) => (outcome === "accepted" ? [eventId] : []));
  let [interrupted, refusals, lost, doubled] = [0, 0, 0, 0];
  for (let moment = 1; moment <= MOMENTS; moment += 1) {
    const dataDir = data.at(`at-${moment}`);
    await restoreUntil(backup, dataDir, moment * 2 - 1);
    if (existsSync(join(dataDir, "restore.mark"))) {
      interrupted += 1;
      const served = await headwater({ DATA_DIR: dataDir, PORT: "0" }, "serve");
      if (served.code === 78) refusals += 1;
    }
    if (existsSync(join(dataDir, "restore.mark")) || !existsSync(join(dataDir, "ledger.sqlite"))) {
      const again = await headwater({ DATA_DIR: dataDir }, "restore", "--from", backup);
      if (again.code !== 0) throw new Error(again.stderr);
    }
    const found = countLoss(ids, storedIds(dataDir));
    lost = Math.max(lost, found.lost);
    doubled = Math.max(doubled, found.doubled);
  }
  const note = `acknowledged before the backup; ${interrupted} of ${MOMENTS} were interrupted with files there, of which \`serve\` refused ${refusals}`;
  const figures = toFigures({ answers, stored: [], times: { faultAt: backupAt }, report: null, note });
  return { ...figures, lost, doubled, acknowledgedAfterKnown: interrupted - refusals };
}
