/** `GET /metrics` (docs/api/service.md, docs/operate/monitoring.md). */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { readBuild } from "../../src/config/build-info.ts";
import { counterSeries, metricNames, metricValue } from "../support/metrics.ts";
import {
  bootstrapPath,
  eventsBody,
  eventsPath,
  openWorld,
  refused,
  trackEvent,
  type World,
} from "../support/world.ts";

const PROMTOOL = "/usr/bin/promtool";
const isOnPostgres = process.env.TEST_LEDGER === "postgres";

describe("GET /metrics", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(async () => world[Symbol.asyncDispose]());
  const scrape = async () => (await world.ask("/metrics", { token: null })).text;
  const requests = async (operation: string, status: number) =>
    metricValue(
      await scrape(),
      "headwater_http_requests_total",
      `operation="${operation}",status="${status}"`,
    );

  it("counts the requests of every operation by status, and their durations", async () => {
    const source = await world.createSource();
    await world.openSession(source);
    refused(
      await world.ask(`/api/tracking-sources/${source.sourceId}`, { token: null }),
      401,
      "missing_token",
    );
    assert.equal(await requests("createSource", 201), 1);
    assert.equal(await requests("bootstrap", 200), 1);
    assert.equal(await requests("getSource", 401), 1);
    const text = await scrape();
    const count = (operation: string) =>
      metricValue(text, "headwater_http_request_seconds_count", `operation="${operation}"`);
    assert.deepEqual([count("createSource"), count("bootstrap"), count("getSource")], [1, 1, 1]);
  });

  it("has no series for what clients make up", async () => {
    const seriesOf = (text: string) =>
      text.split("\n").filter((line) => line.includes("headwater_http_")).length;
    const ask = async (number: number) => {
      await world.ask(`/api/made-up-${number}`);
      await world.ask(`/api/tracking-sources/src_${number}`);
      await fetch(`${world.url}/healthz`, { method: "PROPFIND" });
      await fetch(`${world.url}/api/tracking-sources`, { method: "OPTIONS" });
      await world.send(bootstrapPath({ publicKey: `pk_${number}` }), {});
    };
    await ask(0);
    const before = seriesOf(await scrape());
    for (const number of [1, 2, 3]) await ask(number);
    assert.equal(seriesOf(await scrape()), before);
    assert.equal(await requests("none", 404), 4);
    assert.equal(await requests("none", 405), 4);
    assert.equal(await requests("preflight", 204), 4);
  });

  it("counts failed authentications by code", async () => {
    const failed = async (code: string) =>
      metricValue(await scrape(), "headwater_failed_authentications_total", `code="${code}"`) ?? 0;
    const invalid = await failed("invalid_token");
    refused(await world.ask("/api/permissions", { token: "made-up" }), 401, "invalid_token");
    assert.equal(await failed("invalid_token"), invalid + 1);
  });

  it("counts commits by the number of requests that share one", async () => {
    const groups = async () => metricValue(await scrape(), "headwater_commit_group_requests_sum") ?? 0;
    const source = await world.createSource();
    const sessionId = await world.openSession(source);
    const before = await groups();
    await world.send(eventsPath(source), eventsBody(sessionId, [trackEvent(), trackEvent()]));
    const text = await scrape();
    assert.equal(metricValue(text, "headwater_commit_group_requests_sum"), before + 1);
    assert.equal(
      metricValue(text, "headwater_commit_group_seconds_count"),
      metricValue(text, "headwater_commit_group_requests_count"),
    );
    assert.equal(metricValue(text, "headwater_commit_queue_requests"), 0);
    assert.equal(metricValue(text, "headwater_commit_queue_bytes"), 0);
  });

  it("has the version, the start, and the delay of the event loop", async () => {
    const text = await scrape();
    const { version, commit, isModified } = await readBuild();
    const labels = `version="${version}",commit="${commit ?? ""}",modified="${isModified}",node="${process.version}"`;
    assert.equal(metricValue(text, "headwater_build_info", labels), 1);
    const startedAt = metricValue(text, "process_start_time_seconds") ?? 0;
    assert.ok(Math.abs(startedAt * 1_000 - performance.timeOrigin) < 1);
    for (const stat of ["p50", "p99", "max"]) {
      const delay = metricValue(text, "headwater_event_loop_delay_seconds", `stat="${stat}"`);
      assert.ok(delay !== null && delay >= 0 && delay < 60, `${stat}: ${delay}`);
    }
  });

  it("has the connections to PostgreSQL by pool, and none on SQLite", async () => {
    const text = await scrape();
    const of = (name: string, pool: string) =>
      metricValue(text, `headwater_postgres_pool_${name}`, `pool="${pool}"`);
    if (isOnPostgres) {
      assert.ok((of("connections", "query") ?? 0) >= 1);
      assert.ok((of("idle_connections", "commit") ?? 0) >= 1);
      assert.equal(of("waiting_requests", "query"), 0);
      assert.equal(metricValue(text, "headwater_storage_free_bytes"), null);
    } else {
      assert.equal(of("connections", "query"), null);
      assert.ok((metricValue(text, "headwater_storage_free_bytes") ?? 0) > 0);
    }
  });

  it("passes promtool's checks", {
    skip: !existsSync(PROMTOOL) && `there is no ${PROMTOOL}`,
  }, async () => {
    const check = spawnSync(PROMTOOL, ["check", "metrics"], { input: await scrape(), encoding: "utf8" });
    assert.deepEqual([check.stdout, check.stderr, check.status], ["", "", 0]);
  });

  it("has the metrics of the table in docs/operate/monitoring.md, and no others", async () => {
    const guide = readFileSync(new URL("../../../../docs/operate/monitoring.md", import.meta.url), "utf8");
    const [, section = ""] = /^## Metrics$([\s\S]*)/m.exec(guide) ?? [];
    const documented = [...section.matchAll(/`((?:headwater|process|nodejs)_[a-z_]+)/g)].map(
      ([, name]) => name,
    );
    const names = metricNames(await scrape());
    assert.deepEqual([...new Set(documented)].sort(), names.sort());
  });

  it("has counters that never go back", async () => {
    const before = counterSeries(await scrape());
    const after = counterSeries(await scrape());
    assert.ok(before.size > 50);
    for (const [series, value] of before) assert.ok((after.get(series) ?? -1) >= value, series);
  });
});

it("The first answer of /metrics has the background workers", async () => {
  const first = Promise.withResolvers<string>();
  const logStream = {
    write(line: string) {
      const { msg, url } = JSON.parse(line);
      // the service listens now, and its workers are not running yet
      if (msg === "listening") first.resolve(fetch(`${url}/metrics`).then((reply) => reply.text()));
    },
  };
  await using _world = await openWorld({ LOG_LEVEL: "info" }, { logStream });
  const text = await first.promise;
  assert.equal(metricValue(text, "headwater_worker_failures_in_row", 'worker="readiness probe"'), 0);
  assert.equal(metricValue(text, "headwater_ready"), 1);
});
