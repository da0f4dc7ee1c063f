/** The debug view reports every limit that ingest applies to an event or a request (spec 8, docs/api/debug.md). */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CONTENT_LIMIT_NAMES, LIMITS } from "@headwater/contract";
import { openVisit } from "../install/visit.ts";

const { world, source } = await openVisit();

/** Limits of what the service stores or reports. No request or event is refused or cut because of them. */
const NOT_FOR_CLIENTS = new Set([
  "maxIssues",
  "skewToleranceSeconds",
  "maxStatsPropertyLength",
  "maxPropertyNamesPerDay",
]);
const INGEST = join(import.meta.dirname, "../../src/ingest");
const BODIES = join(import.meta.dirname, "../../../../packages/contract/src/ingest.ts");

/** The names of `LIMITS` that a file uses. */
function limitsIn(text: string): string[] {
  const members = [...text.matchAll(/(?<!_)\bLIMITS\.(\w+)/g)].map(([, name = ""]) => name);
  const destructured = [...text.matchAll(/\{([^{}]*)\} = LIMITS\b/g)].flatMap(([, names = ""]) =>
    names.split(",").map((name) => name.split(":")[0]!.trim()),
  );
  return [...members, ...destructured].filter((name) => name !== "");
}

test("The debug view reports every limit that the code of ingest reads.", async () => {
  const { body } = await world.ask(`/api/tracking-sources/${source.sourceId}/debug`);
  const files = [BODIES, ...readdirSync(INGEST).map((name) => join(INGEST, name))];
  const used = new Set(files.flatMap((path) => limitsIn(readFileSync(path, "utf8"))));
  assert.ok(used.size > 10);
  const missing = [...used].filter((name) => !(name in body.limits) && !NOT_FOR_CLIENTS.has(name));
  assert.deepEqual(missing, [], "add them to CONTENT_LIMITS of the contract");
  for (const name of CONTENT_LIMIT_NAMES) assert.equal(body.limits[name], LIMITS[name], name);
});
