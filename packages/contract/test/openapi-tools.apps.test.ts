/**
 * The OpenAPI document passes two linters, and three generators make clients of it that compile under `strict` and do the main
 * job: create a source, open a session, send an event, read the debug view, query the stats.
 *
 * The tools are 390 packages, some of which need TypeScript 5, so they are not devDependencies: the test installs them into a
 * temporary folder.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "rolldown";
import { openStatsWorld, type StatsWorld } from "../../../apps/server/test/stats/stats-world.ts";

/** Their own dependencies are those that existed at a date, which is shorter than a lock file. */
const INSTALL = [
  "--before=2026-11-21",
  "--ignore-scripts",
  "--no-audit",
  "--no-package-lock",
  "--prefer-offline",
];
const TOOLS = fileURLToPath(new URL("openapi-tools", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "headwater-openapi-"));

let stats: StatsWorld;
before(async () => {
  cpSync(TOOLS, folder, { recursive: true });
  [stats] = await Promise.all([openStatsWorld(), run("npm", "install", ...INSTALL)]);
  const document = await stats.world.ask("/openapi.json", { token: null });
  // linters warn about the address of a machine
  document.body.servers[0].url = "https://headwater.test";
  writeFileSync(join(folder, "openapi.json"), JSON.stringify(document.body));
});
after(async () => {
  await stats?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** @returns what the program printed. Fails with it when the program does */
async function run(program: string, ...args: string[]): Promise<string> {
  const bin = join(folder, "node_modules", ".bin");
  const path = [bin, dirname(process.execPath), process.env.PATH].join(":");
  const { world } = stats ?? {};
  // Redocly's program reports its use otherwise
  const quiet = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  const env = { ...process.env, ...quiet, PATH: path, API_URL: world?.url, TOKEN: world?.ownerToken };
  const options = { cwd: folder, env, maxBuffer: 16 * 1_048_576 };
  try {
    const { stdout, stderr } = await promisify(execFile)(program, args, options);
    return stdout + stderr;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return assert.fail(`${program} ${args.join(" ")}\n${stdout}${stderr}`);
  }
}

test("Redocly's recommended rules find nothing.", async () => {
  const report = await run("redocly", "lint", "openapi.json", "--extends=recommended", "--format=json");
  const { totals } = JSON.parse(report.slice(report.indexOf("{"), report.lastIndexOf("}") + 1));
  assert.deepEqual([totals.errors, totals.warnings], [0, 0], report);
});

test("Spectral's rules for OpenAPI find nothing.", async () => {
  const args = ["--ruleset=.spectral.json", "--fail-severity=hint", "--format=json", "--quiet"];
  const report = await run("spectral", "lint", "openapi.json", ...args);
  assert.deepEqual(JSON.parse(report.slice(report.indexOf("["))), [], report);
});

/** Bundles the script and runs it. @returns what it learned: the event's and the attempt's outcome, and the metrics */
async function doMainJob(script: string): Promise<unknown> {
  const file = join(folder, "out", `${script}.js`);
  const input = join(folder, "src", `${script}.ts`);
  await build({ cwd: folder, input, platform: "node", output: { file, format: "es" }, logLevel: "silent" });
  return JSON.parse(await run(process.execPath, file));
}

test("openapi-typescript with openapi-fetch, @hey-api/openapi-ts and orval make clients that compile and work.", async () => {
  await Promise.all([
    run("openapi-typescript", "openapi.json", "-o", "src/generated/openapi-typescript.ts"),
    run("openapi-ts", "-i", "openapi.json", "-o", "src/generated/hey-api"),
    run("orval", "--input", "openapi.json", "--output", "src/generated/orval.ts", "--client", "fetch"),
  ]);
  assert.equal(await run("tsc", "-p", "."), "");
  for (const script of ["openapi-fetch", "hey-api", "orval"])
    assert.deepEqual(await doMainJob(script), ["accepted", "succeeded", ["visitors", "events"]], script);
});
