/** A start on PostgreSQL that fails exits with 78 if only a person can mend it, else with 1: it is started again then. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { describe, test } from "node:test";
import { headwater } from "../cli/command-line.ts";
import { postgresPrograms, query } from "./cluster.ts";
import { createDatabase } from "./databases.ts";

/** @returns the exit code and the message */
async function refusedStart(url: string): Promise<[number, string]> {
  const { code, stderr } = await headwater({ DATABASE_URL: url, HOST: "127.0.0.1", PORT: "0" }, "serve");
  return [code, stderr];
}

/** A server that answers every connection with this error (PostgreSQL's protocol, ErrorResponse). */
async function refusingServer(code: string, message: string) {
  const server = createServer((socket) =>
    socket.once("data", () => {
      const fields = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`);
      const length = Buffer.alloc(4);
      length.writeInt32BE(fields.length + 4);
      socket.end(Buffer.concat([Buffer.from("E"), length, fields]));
    }),
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return { url: `postgres://headwater:secret@127.0.0.1:${port}/headwater`, close: () => server.close() };
}

for (const [code, message, exitCode] of [
  ["28P01", 'password authentication failed for user "headwater"', 78],
  ["28000", 'no pg_hba.conf entry for host "127.0.0.1"', 78],
  ["57P03", "the database system is starting up", 1],
  ["53300", "sorry, too many clients already", 1],
] as const)
  test(`A server that refuses with ${code} (${message}) ends the start with ${exitCode}.`, async () => {
    const server = await refusingServer(code, message);
    const refused = await refusedStart(server.url);
    server.close();
    assert.deepEqual(refused, [exitCode, `The database at DATABASE_URL cannot be used: ${message}.\n`]);
  });

test("A server that does not listen ends the start with 1.", async () => {
  const [code, message] = await refusedStart("postgres://headwater@127.0.0.1:1/headwater");
  assert.equal(code, 1, message);
  assert.match(message, /PostgreSQL cannot be reached \(ECONNREFUSED\)/);
});

describe("On a real server, a start ends with 78", {
  skip: postgresPrograms() === null && "PostgreSQL is not installed",
}, () => {
  test("when the database does not exist", async () => {
    const { url, remove } = await createDatabase();
    const [code, message] = await refusedStart(url.replace(/\/[^/]*$/, "/missing"));
    await remove();
    assert.equal(code, 78, message);
    assert.match(message, /database "missing" does not exist/);
  });

  test("when the role may not read the ledger", async () => {
    const { url, remove } = await createDatabase();
    await query(url, "create role without_rights login");
    const [code, message] = await refusedStart(url.replace(/\/\/[^@]*@/, "//without_rights@"));
    await query(url, "drop role without_rights");
    await remove();
    assert.equal(code, 78, message);
    assert.match(message, /permission denied/);
  });

  test("when synchronous_commit is off", async () => {
    const { url, remove } = await createDatabase();
    await query(url, `alter database ${url.split("/").at(-1)} set synchronous_commit = off`);
    const [code, message] = await refusedStart(url);
    await remove();
    assert.equal(code, 78, message);
    assert.match(message, /synchronous_commit is off/);
  });

  test("when the ledger has a newer schema", async () => {
    const { url, remove } = await createDatabase();
    await query(url, "update headwater_schema set version = 9999");
    const [code, message] = await refusedStart(url);
    await remove();
    assert.equal(code, 78, message);
    assert.match(message, /^The ledger has schema 9999, .* Start the newer Headwater that wrote it\.\n$/);
  });
});
