/** The debug history may be lost: a damaged `attempts.sqlite` makes room for a new one, and stops neither service nor command. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { it } from "node:test";
import { folder, headwater } from "../cli/command-line.ts";
import { until } from "../support/until.ts";
import { bootstrapBody, ORGANIZATION_ID, ORIGIN, type TestSource } from "../support/world.ts";
import { ask, createSource, startChild } from "./child.ts";
import { damageTable } from "./damage.ts";

const GARBAGE = "this is not a database, but a text that is longer than the header of one. ".repeat(400);
const LOGGING = { environment: { LOG_LEVEL: "warn" } };
const SET_ASIDE = /^attempts\.sqlite\.damaged-[\dT.Z-]+$/;

const setAsideIn = (dataDir: string) => readdirSync(dataDir).filter((name) => SET_ASIDE.test(name));

/** Sends bootstraps until the debug view shows one. */
const waitForAttempt = (url: string, source: TestSource): Promise<unknown> =>
  until("an attempt is in the debug view", async () => {
    const sent = { method: "POST", headers: { origin: ORIGIN }, body: JSON.stringify(bootstrapBody()) };
    const { status } = await fetch(`${url}/api/ingest/v2/${source.publicKey}/bootstrap`, sent);
    assert.equal(status, 200, "no bootstrap is refused because of the debug history");
    const view = await ask(url, `/api/tracking-sources/${source.sourceId}/debug`);
    return view.status === 200 && view.body.bootstrapAttempts.length > 0;
  });

it("A service renames a damaged attempts.sqlite, says so with both names, and records a new history", async () => {
  using data = folder();
  const dataDir = data.at("data");
  mkdirSync(dataDir);
  for (const name of ["attempts.sqlite", "attempts.sqlite.damaged-2001-01-01T00-00-00.000Z"])
    writeFileSync(data.at(`data/${name}`), GARBAGE);
  const child = await startChild(dataDir, LOGGING);
  try {
    const [name, ...others] = setAsideIn(dataDir);
    assert.ok(name !== undefined && others.length === 0, "only the newest damaged file is kept");
    assert.equal(readFileSync(data.at(`data/${name}`), "utf8"), GARBAGE);
    assert.match(child.logged(), new RegExp(`"level":40.*attempts\\.sqlite was damaged and is now ${name};`));
    await waitForAttempt(child.url, await createSource(child.url));
  } finally {
    await child.end("SIGKILL");
  }
});

it("A service that meets a damaged page of attempts.sqlite while it runs starts a new history, and accepts meanwhile", async () => {
  using data = folder();
  let child = await startChild(data.path);
  try {
    const source = await createSource(child.url);
    await waitForAttempt(child.url, source);
    await child.end("SIGTERM");
    damageTable(data.at("attempts.sqlite"), "attempts");
    child = await startChild(data.path, LOGGING);
    assert.deepEqual(setAsideIn(data.path), [], "the page is not read by the start");
    await waitForAttempt(child.url, source);
    assert.equal(setAsideIn(data.path).length, 1);
    assert.match(child.logged(), /attempts\.sqlite was damaged and is now/);
  } finally {
    await child.end("SIGKILL");
  }
});

it("A command works beside a damaged attempts.sqlite and leaves it alone; a backup leaves it out and says so", async () => {
  using data = folder();
  const settings = { DATA_DIR: data.at("data") };
  const child = await startChild(settings.DATA_DIR);
  await child.end("SIGTERM");
  writeFileSync(data.at("data/attempts.sqlite"), GARBAGE);
  const { code, stderr } = await headwater(settings, "source", "list", "--organization", ORGANIZATION_ID);
  assert.deepEqual([code, setAsideIn(settings.DATA_DIR)], [0, []], stderr);
  const backup = await headwater(settings, "backup", "--to", data.at("backup"));
  assert.equal(backup.code, 0, backup.stderr);
  assert.match(backup.stderr, /attempts\.sqlite is damaged and was left out/);
  assert.deepEqual(readdirSync(data.at("backup")), ["ledger.sqlite", "manifest.json"]);
});

for (const [file, repair] of [
  ["ledger.sqlite", /run `npx headwater restore --from`/],
  ["serve.lock", /It holds no data\. Delete it/],
] as const)
  it(`A start on a damaged ${file} is refused with its name and what to do`, async () => {
    using data = folder();
    writeFileSync(data.at(file), GARBAGE);
    const { code, stderr } = await headwater({ DATA_DIR: data.path, PORT: "0" }, "serve");
    assert.equal(code, 78);
    assert.match(
      stderr,
      new RegExp(`^DATA_DIR .* cannot be used: ${file} is damaged \\(file is not a database\\)\\.`),
    );
    assert.match(stderr, repair);
  });
