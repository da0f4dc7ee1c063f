/** The embedded warehouse answers the official ClickHouse client like a ClickHouse server. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, rmSync, statSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import type { ClickHouseClient } from "@clickhouse/client";
import { connect } from "../../src/clickhouse/client.ts";
import { startEmbedded } from "../../src/clickhouse/embedded/start.ts";
import type { WarehouseProcess } from "../../src/clickhouse/warehouse.ts";
import { until } from "../support/until.ts";
import { MEMORY_BYTES, newFolder } from "./store.ts";

/** A number of threads that the engine would not choose by itself. */
const THREADS = 3;
const folder = newFolder();
let engine: WarehouseProcess;
let client: ClickHouseClient;
before(async () => {
  engine = await startEmbedded({ folder, memoryBytes: MEMORY_BYTES, threads: THREADS });
  client = connect({ ...engine.endpoint, database: "default" });
});
after(async () => {
  await client.close();
  engine.end();
  await engine.ended;
  rmSync(folder, { recursive: true, force: true });
});

const rows = async (query: string, more: object = {}) =>
  (await client.query({ query, format: "JSONEachRow", ...more })).json();

const authorization = () => {
  const { username, password } = engine.endpoint;
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
};

async function post(query: Record<string, string>, init: RequestInit = {}) {
  const headers = { authorization: authorization(), ...init.headers };
  const address = `${engine.endpoint.url}/?${new URLSearchParams(query)}`;
  const response = await fetch(address, { method: "POST", ...init, headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Sends a statement whose answer may be cut off, and reads as much of the answer as arrives. */
async function postUntilBroken(query: Record<string, string>, statement: string) {
  const options = { method: "POST", headers: { authorization: authorization() } };
  const sent = request(`${engine.endpoint.url}/?${new URLSearchParams(query)}`, options);
  const [answer] = (await once(sent.end(statement), "response")) as [IncomingMessage];
  let text = "";
  answer.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  await new Promise((resolve) => answer.once("error", resolve).once("close", resolve));
  return { text, tag: answer.headers["x-clickhouse-exception-tag"], isWhole: answer.complete };
}

describe("Through the official client, the embedded warehouse", () => {
  it("binds parameters of every type and with every character", async () => {
    const text = "it's\n\t\\ `ünï` {a:String} ✓";
    const query_params = { text, list: [1, 2], at: new Date(1_500), none: null };
    const query =
      "SELECT {text:String} t, {list:Array(UInt8)} l, {at:DateTime64(3)} a, {none:Nullable(String)} n";
    assert.deepEqual(await rows(query, { query_params }), [
      { t: text, l: [1, 2], a: "1970-01-01 00:00:01.500", n: null },
    ]);
  });

  it("rejects a parameter that is missing or cannot be read", async () => {
    await assert.rejects(rows("SELECT {n:UInt8}"), { code: "456" });
    await assert.rejects(rows("SELECT {n:UInt8}", { query_params: { n: "abc" } }), { code: "457" });
  });

  it("applies settings to one query alone", async () => {
    const query = "SELECT getSetting('max_threads') AS threads";
    const [one] = await rows(query, { clickhouse_settings: { max_threads: 1 } });
    const [other] = await rows(query);
    assert.deepEqual([one, other], [{ threads: 1 }, { threads: THREADS }]);
  });

  it("uses the threads and the memory that the service's settings allow", async () => {
    const [bounds] = await rows("SELECT toFloat64(getSetting('max_memory_usage')) AS bytes");
    assert.deepEqual(bounds, { bytes: MEMORY_BYTES / 2 });
    const plan = await rows("EXPLAIN PIPELINE SELECT sum(sipHash64(number)) FROM numbers_mt(100000000)");
    assert.match(JSON.stringify(plan), /NumbersRange × 3/);
  });

  it("reports an exception with its code and type", async () => {
    await assert.rejects(rows("SELECT nope"), { code: "47", type: "UNKNOWN_IDENTIFIER" });
    await assert.rejects(rows("SELECT * FROM nowhere"), { code: "60", type: "UNKNOWN_TABLE" });
    await assert.rejects(rows("SELECT 1 SETTINGS nope = 1"), { code: "115", type: "UNKNOWN_SETTING" });
    const clickhouse_settings = { max_execution_time: 1 };
    const endless = "SELECT count() FROM numbers(1e12) WHERE NOT ignore(sipHash64(number))";
    await assert.rejects(rows(endless, { clickhouse_settings }), { code: "159", type: "TIMEOUT_EXCEEDED" });
  });

  it("changes nothing for a query with the setting readonly", async () => {
    const clickhouse_settings = { readonly: "1" } as const;
    const query = "CREATE TABLE got (n UInt8) ENGINE = Memory";
    await assert.rejects(client.command({ query, clickhouse_settings }), { code: "164" });
    assert.deepEqual(await rows("SELECT 1 AS n", { clickhouse_settings }), [{ n: 1 }]);
  });

  it("streams an answer, and reports an exception in the middle of it", async () => {
    const result = await client.query({
      query: "SELECT number FROM numbers(1000000)",
      format: "JSONEachRow",
    });
    let count = 0;
    for await (const some of result.stream()) count += some.length;
    assert.equal(count, 1_000_000);
    const failing = await client.query({
      query: "SELECT throwIf(number = 500000) FROM numbers(1000000)",
      format: "JSONEachRow",
      clickhouse_settings: { max_block_size: "10000" },
    });
    await assert.rejects(
      async () => {
        for await (const some of failing.stream()) count += some.length;
      },
      { code: "395" },
    );
    assert.ok(count > 1_000_000, "rows arrived before the exception");
  });

  const PARQUET = { output_format_parquet_row_group_size: "100000", max_block_size: "10000" };
  const parquetOf = async (query: string) => {
    const { stream } = await client.exec({
      query: `${query} FORMAT Parquet`,
      clickhouse_settings: { ...PARQUET, output_format_parquet_parallel_encoding: 0 },
    });
    return stream;
  };
  const filesLeft = async () => readdirSync(join(folder, "inbox")).length;

  it("writes a Parquet file as fast as its reader reads it, without disk, and queries do not wait for it", async () => {
    const query = "SELECT sipHash64(number) AS hash FROM numbers(2000000)";
    const [read, ...unread] = await Promise.all([1, 2, 3, 4].map(() => parquetOf(query)));
    // meanwhile an engine that does not wait would have written the others
    const bytes = Buffer.concat(await read!.toArray());
    assert.deepEqual(
      [bytes.toString("latin1", 0, 4), bytes.toString("latin1", bytes.length - 4)],
      ["PAR1", "PAR1"],
    );
    assert.ok(bytes.length > 2_000_000 * 7);
    const sizes = readdirSync(join(folder, "inbox")).map(
      (name) => statSync(join(folder, "inbox", name)).size,
    );
    assert.deepEqual(sizes, [0, 0, 0]);
    const running =
      "SELECT count() AS n FROM system.processes WHERE query LIKE '%OUTFILE%' AND query NOT LIKE '%processes%'";
    assert.deepEqual(await rows(running), [{ n: 3 }]);
    for (const stream of unread) stream.destroy();
    await until("the pipes are deleted", async () => (await filesLeft()) === 0);
  });

  it("breaks a Parquet file off when its query fails, and deletes it when its reader leaves", async () => {
    await assert.rejects(parquetOf("SELECT nope"), { code: "47" });
    const failing = await parquetOf(
      "SELECT throwIf(number = 1500000) AS n, sipHash64(number) AS hash FROM numbers(2000000)",
    );
    await assert.rejects(failing.toArray());
    const left = await parquetOf("SELECT sipHash64(number) AS hash FROM numbers(1e12)");
    left.destroy();
    await until("no file is left", async () => (await filesLeft()) === 0);
  });

  it("ends the query of a client that has disconnected", async () => {
    const disconnected = new AbortController();
    const endless = "SELECT count() FROM numbers(1e12) WHERE NOT ignore(cityHash64(number))";
    const running =
      "SELECT count() AS n FROM system.processes WHERE query LIKE '%cityHash64%' AND query NOT LIKE '%processes%'";
    const answer = rows(endless, { abort_signal: disconnected.signal });
    answer.catch(() => undefined);
    const isRunning = async (n: number) => Number(((await rows(running)) as { n: string }[])[0]?.n) === n;
    await until("it runs", () => isRunning(1));
    disconnected.abort();
    await assert.rejects(answer);
    await until("it has ended", () => isRunning(0));
  });

  it("answers a long query after others were aborted before they were sent", async () => {
    // a timer of the client that an aborted query leaves behind closes the connection after 2.5 seconds
    const longer = "SELECT toUInt8(sleep(3)) AS n";
    await rows("SELECT 1");
    for (const _ of [1, 2, 3]) {
      const leaving = new AbortController();
      const answer = rows("SELECT 1", { abort_signal: leaving.signal });
      leaving.abort();
      await assert.rejects(answer);
    }
    assert.deepEqual(await rows(longer), [{ n: 0 }]);
  });

  it("stores an insert before it answers, and one with a known token once", async () => {
    await client.command({
      query: `CREATE TABLE once (n UInt8) ENGINE = MergeTree ORDER BY n
        SETTINGS non_replicated_deduplication_window = 100`,
    });
    for (const insert_deduplication_token of ["a", "a", "b"]) {
      const clickhouse_settings = { insert_deduplication_token };
      await client.insert({ table: "once", values: [{ n: 1 }], format: "JSONEachRow", clickhouse_settings });
    }
    assert.deepEqual(await rows("SELECT toUInt8(count()) AS n FROM once"), [{ n: 2 }]);
  });
});

describe("The embedded warehouse's HTTP interface", () => {
  it("takes the data of an insert plain or compressed with zstd, in several frames or none, in text and binary formats", async () => {
    await post({}, { body: "CREATE TABLE data (n UInt8) ENGINE = Memory" });
    const insert = async (
      body: Uint8Array<ArrayBuffer>,
      encoding: string | null,
      into = "data FORMAT TabSeparated",
    ) => {
      const headers: Record<string, string> = encoding === null ? {} : { "content-encoding": encoding };
      return (await post({ query: `INSERT INTO ${into}` }, { headers, body })).status;
    };
    const frames = Buffer.concat([zstdCompressSync("3\n"), zstdCompressSync("4\n")]);
    assert.equal(await insert(Buffer.from("1\n2\n"), null), 200);
    assert.equal(await insert(frames, "zstd"), 200);
    assert.equal(await insert(Buffer.from([5, 6]), null, "data (n) FORMAT RowBinary"), 200);
    assert.equal(await insert(Buffer.alloc(0), null), 200);
    assert.notEqual(await insert(gzipSync("7\n"), "gzip"), 200);
    assert.notEqual(await insert(Buffer.from("7\n"), "zstd"), 200);
    assert.notEqual(await insert(Buffer.from("x\n"), null), 200);
    const { text } = await post({}, { body: "SELECT groupArray(n) FROM (SELECT n FROM data ORDER BY n)" });
    assert.equal(text, "[1,2,3,4,5,6]\n");
  });

  it("names the query and the format in headers, as `mustBeClickHouse` and the client need them", async () => {
    const { headers, text } = await post({ query_id: "q1" }, { body: "SELECT 1 AS n, 'a' AS s FORMAT CSV" });
    assert.equal(text, '1,"a"\n');
    assert.equal(headers.get("x-clickhouse-query-id"), "q1");
    assert.equal(headers.get("x-clickhouse-format"), "CSV");
  });

  it("answers an exception with its code in a header and its text", async () => {
    const { status, headers, text } = await post({}, { body: "SELECT * FROM nowhere" });
    assert.deepEqual([status, headers.get("x-clickhouse-exception-code")], [500, "60"]);
    assert.match(text, /^Code: 60\. DB::Exception: .*\(UNKNOWN_TABLE\)\n$/s);
  });

  it("ends an answer that fails in the middle with the exception, and without its final chunk", async () => {
    const statement = "SELECT throwIf(number = 500000) FROM numbers(1000000)";
    const settings = { max_block_size: "10000" };
    const { text, tag, isWhole } = await postUntilBroken(settings, statement);
    assert.equal(isWhole, false);
    const message = "Code: 395. DB::Exception: Value passed to 'throwIf' function is non-zero";
    const trailer = text.slice(text.indexOf("\r\n__exception__\r\n"));
    assert.ok(trailer.startsWith(`\r\n__exception__\r\n${tag}\r\n${message}`), trailer);
    assert.match(trailer, new RegExp(`\\n\\d+ ${tag}\\r\\n__exception__\\r\\n$`));
    const { status, headers } = await post({ ...settings, wait_end_of_query: "1" }, { body: statement });
    assert.deepEqual([status, headers.get("x-clickhouse-exception-code")], [500, "395"], "no row was sent");
  });

  it("rejects what it does not support instead of ignoring it", async () => {
    const select = { body: "SELECT 1" };
    const code = async (query: Record<string, string>, init: RequestInit) =>
      (await post(query, init)).headers.get("x-clickhouse-exception-code");
    assert.equal(await code({ session_id: "a" }, select), "115");
    assert.equal(await code({ compress: "1" }, select), "115");
    assert.equal(await code({ "a b": "1" }, select), "115");
    assert.equal(await code({}, { ...select, headers: { "content-encoding": "gzip" } }), "48");
    assert.equal(await code({ query: "SELECT 1" }, { body: "" }), "48");
    assert.equal(await code({}, { body: " " }), "62");
    assert.equal(await code({ database: "nowhere" }, select), "81");
    assert.match((await post({}, { body: "SELECT 1; SELECT 2" })).text, /Multi-statements are not allowed/);
    for (const method of ["PUT", "DELETE"]) assert.equal((await post({}, { method })).status, 404);
    assert.equal(
      (await fetch(`${engine.endpoint.url}/x`, { headers: { authorization: authorization() } })).status,
      404,
    );
  });

  it("requires the password, but answers /ping without it", async () => {
    const { url } = engine.endpoint;
    const wrong = `Basic ${Buffer.from("headwater:x").toString("base64")}`;
    for (const headers of [{}, { authorization: wrong }] as Record<string, string>[])
      assert.equal((await fetch(url, { method: "POST", headers, body: "SELECT 1" })).status, 403);
    assert.equal(await (await fetch(`${url}/ping`)).text(), "Ok.\n");
  });
});
