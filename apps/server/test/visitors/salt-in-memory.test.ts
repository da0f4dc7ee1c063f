/** The salt of a day is not in the memory of the running service once it has been destroyed. */
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync, readSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { folder } from "../cli/command-line.ts";
import {
  BROWSER,
  bootstrapBody,
  bootstrapPath,
  DAY,
  drivenClock,
  ORGANIZATION_ID,
  ORIGIN,
  OWNER_TOKEN,
  type TestSource,
} from "../support/world.ts";

const SERVICE = fileURLToPath(new URL("./serve-shifted.ts", import.meta.url));
const SALT_BYTES = 32;
const CHUNK_BYTES = 1 << 24;

/** The salt of the driven clock's first day, as the ledger has it. */
function firstSalt(dataDir: string): Buffer {
  const day = Math.floor(drivenClock().now() / DAY);
  const bytes = readFileSync(`${dataDir}/visitor-salts`);
  const at = [0, 36, 72].find((start) => bytes.readUInt32LE(start) === day);
  assert.ok(at !== undefined, "the file has a salt of the day");
  return bytes.subarray(at + 4, at + 4 + SALT_BYTES);
}

/** How often the process has one of the texts in its memory, that of all its threads included. */
function countInMemory(pid: number, texts: readonly Buffer[]): number {
  const memory = openSync(`/proc/${pid}/mem`, "r");
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let found = 0;
  for (const line of readFileSync(`/proc/${pid}/maps`, "utf8").split("\n")) {
    const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? [];
    if (from === undefined || to === undefined) continue;
    const end = Number.parseInt(to, 16);
    // the chunks overlap, so that no text is cut
    for (let at = Number.parseInt(from, 16); at < end; at += CHUNK_BYTES - 2 * SALT_BYTES) {
      const length = readSync(memory, chunk, 0, Math.min(CHUNK_BYTES, end - at), at);
      for (const text of texts) {
        let place = chunk.subarray(0, length).indexOf(text);
        for (; place >= 0; place = chunk.subarray(0, length).indexOf(text, place + 1)) found += 1;
      }
    }
  }
  closeSync(memory);
  return found;
}

test("Two days later the salt of a day is in no memory of the service.", async (t) => {
  using data = folder();
  const dataDir = data.at("served");
  mkdirSync(dataDir);
  const child = fork(SERVICE, [dataDir], { execArgv: [] });
  t.after(() => child.kill());
  const ended = new AbortController();
  child.once("exit", () => ended.abort());
  const nextMessage = async () => (await once(child, "message", { signal: ended.signal }))[0];
  const url: string = await nextMessage();
  const post = async (path: string, body: unknown, headers: Record<string, string>) => {
    const answer = await fetch(url + path, { method: "POST", body: JSON.stringify(body), headers });
    assert.ok(answer.ok, await answer.clone().text());
    return answer.json();
  };
  const pass = async (ms: number) => {
    child.send(ms);
    await nextMessage();
  };
  const owner = { authorization: `Bearer ${OWNER_TOKEN}`, "content-type": "application/json" };
  const described = { organizationId: ORGANIZATION_ID, name: "Shop", allowedOrigins: [ORIGIN] };
  const source = (await post("/api/tracking-sources", described, owner)) as TestSource;
  const visit = () =>
    post(bootstrapPath(source), bootstrapBody({ anonymousId: "$none" }), {
      origin: ORIGIN,
      "user-agent": BROWSER,
      "x-forwarded-for": "203.0.113.7",
    });

  for (let visits = 0; visits < 20; visits += 1) await visit();
  const salt = firstSalt(dataDir);
  const forms = [salt, Buffer.from(salt.toString("hex")), Buffer.from(salt.toString("base64"))];
  assert.ok(countInMemory(child.pid!, forms) > 0, "the salt of today is in use");
  for (let days = 0; days < 2; days += 1) {
    await pass(DAY);
    await visit();
  }
  assert.equal(countInMemory(child.pid!, forms), 0);
});
