/**
 * Makes the data of version 0.1.0 that `upgrade.ts` opens: `node apps/server/test/upgrade/make-fixture.ts`. It runs commit
 * 557dadc with its own packages and writes `sqlite.tar.gz`, `postgres.sql.gz` and what is in them, `sqlite.json` and
 * `postgres.json`.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { postgresPrograms, startCluster } from "../postgres/cluster.ts";
import { BROWSER, OWNER_TOKEN } from "../support/world.ts";
import type { OldData } from "./upgrade.ts";

const COMMIT = "557dadc";
const HERE = fileURLToPath(new URL(".", import.meta.url));
const ORIGIN = "https://shop.example";
const DAY_MS = 86_400_000;
/** By then the events are in the warehouse and the past days are rolled up. */
const SETTLE_MS = 100_000;

const place = mkdtempSync(join(tmpdir(), "headwater-fixture-"));
const old = join(place, "old");
mkdirSync(old);
execFileSync("sh", ["-c", `git archive ${COMMIT} | tar -x -C ${old}`]);
execFileSync("npm", ["ci", "--ignore-scripts", "--prefer-offline"], { cwd: old, stdio: "inherit" });

async function makeData(settings: Record<string, string>, settleMs: number): Promise<OldData> {
  const env = { PATH: process.env.PATH ?? "", PORT: "0", OWNER_TOKEN, LOG_LEVEL: "silent", ...settings };
  const program = join(old, "apps/server/bin/headwater.js");
  const child = spawn(process.execPath, [program, "serve", "--json"], {
    cwd: old,
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [line] = (await once(createInterface(child.stderr), "line")) as [string];
  const { url } = JSON.parse(line);
  // biome-ignore lint/suspicious/noExplicitAny: answers of another version
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}): Promise<any> => {
    const sent = { "content-type": "application/json", ...headers };
    const response = await fetch(url + path, { method: "POST", headers: sent, body: JSON.stringify(body) });
    return response.json();
  };
  const owner = { authorization: `Bearer ${OWNER_TOKEN}` };
  // biome-ignore lint/suspicious/noExplicitAny: answers of another version
  const get = async (path: string): Promise<any> => (await fetch(url + path, { headers: owner })).json();
  const organizationId = "org_default";
  const source = await post(
    "/api/tracking-sources",
    { organizationId, name: "Shop", allowedOrigins: [ORIGIN] },
    owner,
  );
  const token = await post("/api/tokens", { organizationId, label: "Nightly export" }, owner);
  const ingest = `/api/ingest/v2/${source.publicKey}`;
  const page = { url: `${ORIGIN}/`, title: "Shop" };
  const bodyAt = (at: number, count: number, more: object = {}) => ({
    ingestVersion: 2,
    sdkVersion: "headwater-js/0.1.0",
    batchId: `batch-${at}`,
    sentAt: new Date(at).toISOString(),
    anonymousId: "visitor-1",
    page,
    events: Array.from({ length: count }, (_, index) => ({
      id: `event-${at}-${index}`,
      type: index % 2 === 0 ? "page" : "track",
      ...(index % 2 === 1 && { name: "signup" }),
      timestamp: new Date(at + index).toISOString(),
      page,
    })),
    ...more,
  });
  const browser = { origin: ORIGIN, "user-agent": BROWSER };
  const madeAt = Date.now();
  for (const days of [3, 2]) {
    const past = { sentAt: new Date(madeAt).toISOString(), anonymousId: `visitor-${days}` };
    await post(`${ingest}/bootstrap`, bodyAt(madeAt - days * DAY_MS, 4, past), browser);
  }
  const { sessionId } = await post(`${ingest}/bootstrap`, bodyAt(madeAt, 2), browser);
  const batch = bodyAt(madeAt + 10, 3, { sessionId });
  const { results } = await post(`${ingest}/events`, batch, browser);
  await post(`${ingest}/bootstrap`, bodyAt(madeAt + 20, 1), { ...browser, origin: "https://evil.example" });
  await pause(settleMs);
  const stats =
    settleMs === 0
      ? null
      : await post(
          "/api/stats/query",
          {
            sourceId: source.sourceId,
            dateRange: [madeAt - 4 * DAY_MS, madeAt + DAY_MS].map((at) => new Date(at).toISOString()),
            metrics: ["visitors", "sessions", "pageviews"],
            dimensions: ["time:day"],
          },
          owner,
        );
  const exported = await fetch(`${url}/api/export/events?sourceId=${source.sourceId}`, { headers: owner });
  const eventIds = (await exported.text())
    .trim()
    .split("\n")
    .map((one) => JSON.parse(one).analyticsEventId);
  const { eventAttempts, bootstrapAttempts } = await get(`/api/tracking-sources/${source.sourceId}/debug`);
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
  const attemptIds = [...eventAttempts, ...bootstrapAttempts].map(
    ({ attemptId }: { attemptId: string }) => attemptId,
  );
  return { madeAt, source, token: token.token, sessionId, batch, results, eventIds, attemptIds, stats };
}

const write = (name: string, data: OldData) =>
  writeFileSync(join(HERE, `${name}.json`), `${JSON.stringify(data, null, 2)}\n`);

const dataDir = join(place, "data");
write("sqlite", await makeData({ DATA_DIR: dataDir, WAREHOUSE: "embedded" }, SETTLE_MS));
execFileSync("tar", ["-czf", join(HERE, "sqlite.tar.gz"), "-C", dataDir, "."]);

const cluster = await startCluster();
const url = cluster.url();
write("postgres", await makeData({ DATA_DIR: join(place, "none"), DATABASE_URL: url }, 0));
const dump = execFileSync(join(postgresPrograms() ?? "", "pg_dump"), ["--no-owner", "--inserts", url], {
  encoding: "utf8",
});
// the meta-commands of newer versions of pg_dump are unknown to older versions of psql
writeFileSync(join(HERE, "postgres.sql.gz"), gzipSync(dump.replace(/^\\(?:un)?restrict .*\n/gm, "")));
await cluster.stop();
rmSync(place, { recursive: true, force: true });
