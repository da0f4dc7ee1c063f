/** The embedded warehouse speaks ClickHouse's HTTP interface: to the official client, and to whoever reads its documentation. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { after, before, describe, it } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import type { ClickHouseClient } from "@clickhouse/client";
import { connect } from "../../src/clickhouse/client.ts";
import { startEmbedded } from "../../src/clickhouse/embedded/start.ts";
import type { WarehouseProcess } from "../../src/clickhouse/warehouse.ts";
import { until } from "../faults/child.ts";
import { MEMORY_BYTES, newFolder, PATIENCE_MS } from "./store.ts";

/** Not what the engine would choose by itself. */
const THREADS = 3;
const folder = newFolder();
let life: WarehouseProcess;
let client: ClickHouseClient;
before(async () => {
  life = await startEmbedded({ folder, memoryBytes: MEMORY_BYTES, threads: THREADS });
  client = connect({ ...life.endpoint, database: "default" });
});
after(async () => {
  await client.close();
  life.end();
  await life.ended;
  rmSync(folder, { recursive: true, force: true });
});

const rows = async (query: string, more: object = {}) =>
  (await client.query({ query, format: "JSONEachRow", ...more })).json();

async function http(query: Record<string, string>, init: RequestInit = {}) {
  const { url, username, password } = life.endpoint;
  const headers = { "X-ClickHouse-User": username, "X-ClickHouse-Key": password, ...init.headers };
  const response = await fetch(`${url}/?${new URLSearchParams(query)}`, { ...init, headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** A body as far as it came. */
async function broken(query: Record<string, string>) {
  const { url, username, password } = life.endpoint;
  const headers = { "X-ClickHouse-User": username, "X-ClickHouse-Key": password };
  const sent = request(`${url}/?${new URLSearchParams(query)}`, { headers });
  const [answer] = (await once(sent.end(), "response")) as [IncomingMessage];
  let text = "";
  answer.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  await new Promise((resolve) => answer.once("error", resolve).once("close", resolve));
  return { text, tag: answer.headers["x-clickhouse-exception-tag"] as string, isWhole: answer.complete };
}

describe("through the official client", () => {
  it("binds parameters, whatever stands in them", async () => {
    const text = "it's\n\t\\ `ünï` {a:String} ✓";
    const query_params = { text, list: [1, 2], at: new Date(1_500), none: null };
    const query =
      "SELECT {text:String} t, {list:Array(UInt8)} l, {at:DateTime64(3)} a, {none:Nullable(String)} n";
    assert.deepEqual(await rows(query, { query_params }), [
      { t: text, l: [1, 2], a: "1970-01-01 00:00:01.500", n: null },
    ]);
  });

  it("heeds settings for one query alone", async () => {
    const query = "SELECT getSetting('max_threads') AS threads";
    const [one] = await rows(query, { clickhouse_settings: { max_threads: 1 } });
    const [other] = await rows(query);
    assert.deepEqual([one, other], [{ threads: 1 }, { threads: THREADS }]);
  });

  it("works with the threads and within the memory that the service was given", async () => {
    const [bounds] = await rows("SELECT toFloat64(getSetting('max_memory_usage')) AS bytes");
    assert.deepEqual(bounds, { bytes: MEMORY_BYTES / 2 });
    const plan = await rows("EXPLAIN PIPELINE SELECT sum(sipHash64(number)) FROM numbers_mt(100000000)");
    assert.match(JSON.stringify(plan), /NumbersRange × 3/);
  });

  it("tells of an exception with its code and type", async () => {
    await assert.rejects(rows("SELECT nope"), { code: "47", type: "UNKNOWN_IDENTIFIER" });
    await assert.rejects(rows("SELECT 1 SETTINGS nope = 1"), { code: "115", type: "UNKNOWN_SETTING" });
    const clickhouse_settings = { max_execution_time: 1 };
    const endless = "SELECT count() FROM numbers(1e12) WHERE NOT ignore(sipHash64(number))";
    await assert.rejects(rows(endless, { clickhouse_settings }), { code: "159", type: "TIMEOUT_EXCEEDED" });
  });

  it("streams an answer, and tells of an exception in its midst", async () => {
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
    assert.ok(count > 1_000_000, "rows came before it");
  });

  it("ends the query of a client that has gone", async () => {
    const gone = new AbortController();
    const endless = "SELECT count() FROM numbers(1e12) WHERE NOT ignore(cityHash64(number))";
    const running =
      "SELECT count() AS n FROM system.processes WHERE query LIKE '%cityHash64%' AND query NOT LIKE '%processes%'";
    const asked = rows(endless, { abort_signal: gone.signal });
    asked.catch(() => undefined);
    const isRunning = async (n: number) => Number(((await rows(running)) as { n: string }[])[0]?.n) === n;
    await until("it runs", PATIENCE_MS, () => isRunning(1));
    gone.abort();
    await assert.rejects(asked);
    await until("it has ended", PATIENCE_MS, () => isRunning(0));
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

describe("as ClickHouse's documentation has it", () => {
  it("takes the statement from the URL, from the body, or from both", async () => {
    assert.equal((await http({ query: "SELECT 1" })).text, "1\n");
    assert.equal((await http({}, { method: "POST", body: "SELECT 2" })).text, "2\n");
    await http({}, { method: "POST", body: "CREATE TABLE both (n UInt8) ENGINE = Memory" });
    await http({ query: "INSERT INTO both FORMAT TabSeparated" }, { method: "POST", body: "3\n4\n" });
    const { text, headers } = await http({
      query: "SELECT n FROM both ORDER BY n",
      default_format: "JSONCompact",
    });
    assert.deepEqual(JSON.parse(text).data, [[3], [4]]);
    assert.equal(headers.get("x-clickhouse-format"), "JSONCompact");
  });

  it("compresses both ways when it is asked to", async () => {
    const headers = { "content-encoding": "gzip", "accept-encoding": "gzip" };
    const body = gzipSync("SELECT 5");
    const answer = await http({ enable_http_compression: "1" }, { method: "POST", headers, body });
    assert.deepEqual([answer.text, answer.headers.get("content-encoding")], ["5\n", "gzip"]);
  });

  it("takes the data of an insert plain or compressed, in pieces or none, and in binary formats too", async () => {
    await http({}, { method: "POST", body: "CREATE TABLE data (n UInt8) ENGINE = Memory" });
    const insert = async (
      body: Uint8Array<ArrayBuffer>,
      encoding: string | null,
      into = "data FORMAT TabSeparated",
    ) => {
      const headers: Record<string, string> = encoding === null ? {} : { "content-encoding": encoding };
      return (await http({ query: `INSERT INTO ${into}` }, { method: "POST", headers, body })).status;
    };
    const frames = Buffer.concat([zstdCompressSync("3\n"), zstdCompressSync("4\n")]);
    assert.equal(await insert(Buffer.from("1\n"), null), 200);
    assert.equal(await insert(gzipSync("2\n"), "gzip"), 200);
    assert.equal(await insert(frames, "zstd"), 200);
    assert.equal(await insert(Buffer.from([5, 6]), null, "data (n) FORMAT RowBinary"), 200);
    assert.equal(await insert(Buffer.alloc(0), null), 200);
    assert.equal(await insert(Buffer.from("7\n"), "compress"), 501);
    assert.notEqual(await insert(Buffer.from("7\n"), "zstd"), 200);
    assert.notEqual(await insert(Buffer.from("x\n"), null), 200);
    const { text } = await http({ query: "SELECT groupArray(n) FROM (SELECT n FROM data ORDER BY n)" });
    assert.equal(text, "[1,2,3,4,5,6]\n");
  });

  it("answers an exception with a status, its code in a header and its text", async () => {
    const { status, headers, text } = await http({ query: "SELECT * FROM nowhere" });
    assert.deepEqual([status, headers.get("x-clickhouse-exception-code")], [404, "60"]);
    assert.match(text, /^Code: 60\. DB::Exception: .*\(UNKNOWN_TABLE\)\n$/s);
    assert.equal((await http({ query: "SELECT (" })).status, 400);
    assert.equal((await http({ query: "SELECT 1", nope: "1" })).status, 404);
  });

  it("lets GET change nothing", async () => {
    const query = "CREATE TABLE got (n UInt8) ENGINE = Memory";
    for (const more of [{}, { readonly: "0" }]) {
      const { headers, text } = await http({ query, ...more });
      assert.equal(headers.get("x-clickhouse-exception-code"), "164");
      assert.match(text, /READONLY/);
    }
  });

  it("lets a request with readonly change nothing", async () => {
    for (const body of ["CREATE TABLE got (n UInt8) ENGINE = Memory", "INSERT INTO both VALUES (1)"]) {
      const { headers } = await http({ readonly: "1" }, { method: "POST", body });
      assert.equal(headers.get("x-clickhouse-exception-code"), "164", body);
    }
    assert.equal((await http({ readonly: "1" }, { method: "POST", body: "SELECT 1" })).text, "1\n");
  });

  it("takes parameters from the URL, and says which is missing or cannot be read", async () => {
    const query = "SELECT {text:String} AS t, {table:Identifier}.dummy AS n FROM {table:Identifier}";
    const { text } = await http({ query, param_text: "a\\tb'\\\\c", param_table: "one", database: "system" });
    assert.equal(text, "a\\tb\\'\\\\c\t0\n");
    const codeOf = async (more: Record<string, string>) =>
      (await http({ query: "SELECT {n:UInt8}", ...more })).headers.get("x-clickhouse-exception-code");
    assert.deepEqual([await codeOf({}), await codeOf({ param_n: "abc" })], ["456", "457"]);
    assert.equal((await http({ query: "SELECT {n:Nullable(UInt8)}", param_n: "\\N" })).text, "\\N\n");
  });

  it("answers in the format that the statement, the URL or a header names", async () => {
    const query = "SELECT 1 AS n, 'a' AS s";
    const asked = async (of: Record<string, string>, headers: Record<string, string> = {}) => {
      const { text, headers: got } = await http(of, { headers });
      return [text, got.get("x-clickhouse-format"), got.get("content-type")];
    };
    const json = "application/json; charset=UTF-8";
    const csv = "text/csv; charset=UTF-8";
    assert.deepEqual(await asked({ query }, { "x-clickhouse-format": "CSV" }), ['1,"a"\n', "CSV", csv]);
    assert.deepEqual(await asked({ query: `${query} FORMAT CSV`, default_format: "JSON" }), [
      '1,"a"\n',
      "CSV",
      csv,
    ]);
    const [text, ...rest] = await asked({ query, default_format: "JSON" });
    assert.deepEqual([JSON.parse(text!).data, ...rest], [[{ n: 1, s: "a" }], "JSON", json]);
    const lines = "application/x-ndjson; charset=UTF-8";
    assert.deepEqual(await asked({ query, default_format: "JSONEachRow" }), [
      '{"n":1,"s":"a"}\n',
      "JSONEachRow",
      lines,
    ]);
    assert.equal((await http({ query, default_format: "Nope" })).status, 404);
  });

  it("tells what was read by a summary, and how far it is by headers when it is asked to", async () => {
    const statement = "SELECT sum(sleepEachRow(0.05)) FROM numbers(20) SETTINGS max_block_size = 1";
    const settings = { send_progress_in_http_headers: "1", wait_end_of_query: "1" };
    const { headers } = await http(settings, { method: "POST", body: statement });
    const summary = JSON.parse(headers.get("x-clickhouse-summary")!);
    assert.equal(summary.result_rows, "1");
    assert.ok(Number(summary.elapsed_ns) > 0);
    const lines = JSON.parse(`[${headers.get("x-clickhouse-progress")}]`) as Record<string, string>[];
    const read = lines.map(({ read_rows }) => Number(read_rows));
    assert.ok(read.length > 1 && read.at(-1)! > read[0]!, read.join());
    assert.deepEqual(Object.keys(lines[0]!), [
      "read_rows",
      "read_bytes",
      "written_rows",
      "written_bytes",
      "total_rows_to_read",
      "elapsed_ns",
    ]);
    assert.equal(
      (await http({}, { method: "POST", body: "SELECT 1" })).headers.get("x-clickhouse-progress"),
      null,
    );
  });

  it("ends a body that fails in its midst with the exception, and without its last chunk", async () => {
    const query = "SELECT throwIf(number = 500000) FROM numbers(1000000)";
    const asked = { query, max_block_size: "10000" };
    const { text, tag, isWhole } = await broken(asked);
    assert.equal(isWhole, false);
    const message = "Code: 395. DB::Exception: Value passed to 'throwIf' function is non-zero";
    const trailer = text.slice(text.indexOf("\r\n__exception__\r\n"));
    assert.ok(trailer.startsWith(`\r\n__exception__\r\n${tag}\r\n${message}`), trailer);
    assert.match(trailer, new RegExp(`\\n\\d+ ${tag}\\r\\n__exception__\\r\\n$`));
    const { status, headers } = await http({ ...asked, wait_end_of_query: "1" });
    assert.deepEqual(
      [status, headers.get("x-clickhouse-exception-code")],
      [500, "395"],
      "nothing of it has left",
    );
  });

  it("says so of what it does not have, and takes nothing for what it is not", async () => {
    const post = (query: Record<string, string>, init: RequestInit = {}) =>
      http(query, { method: "POST", body: "SELECT 1", ...init });
    const form = new FormData();
    form.append("x", "1");
    const refusals = [
      await post({ session_id: "a" }),
      await post({ compress: "1" }),
      await post({ decompress: "1" }),
      await post({}, { headers: { "content-encoding": "br" } }),
      await post({ query: "SELECT 1" }, { body: form }),
    ];
    for (const { status, text } of refusals)
      assert.deepEqual([status, /NOT_IMPLEMENTED/.test(text)], [501, true], text);
    assert.match((await post({}, { headers: { "content-encoding": "gzip" } })).text, /^Code: 354/);
    assert.match((await post({}, { body: "SELECT 1; SELECT 2" })).text, /Multi-statements are not allowed/);
    assert.equal((await post({ database: "nowhere" })).status, 404);
    for (const method of ["PUT", "DELETE"]) assert.equal((await post({}, { method })).status, 404);
  });

  it("wants the length of what is posted", async () => {
    const { url, username, password } = life.endpoint;
    const headers = { "X-ClickHouse-User": username, "X-ClickHouse-Key": password };
    const sent = request(`${url}/?query=SELECT+1`, { method: "POST", headers });
    sent.removeHeader("transfer-encoding");
    sent.useChunkedEncodingByDefault = false;
    const [answer] = (await once(sent.end(), "response")) as [IncomingMessage];
    assert.deepEqual([answer.statusCode, answer.headers["x-clickhouse-exception-code"]], [411, "381"]);
    answer.resume();
  });

  it("answers nobody without the password, and /ping to everybody", async () => {
    const { url } = life.endpoint;
    for (const address of [
      "/?query=SELECT+1",
      "/?query=SELECT+1&user=headwater&password=x",
      "/?user=default&query=SELECT+1",
    ])
      assert.equal((await fetch(url + address)).status, 403);
    for (const path of ["/ping", "/replicas_status", "/"])
      assert.equal(await (await fetch(url + path)).text(), "Ok.\n");
    assert.equal((await fetch(`${url}/ping`, { method: "HEAD" })).status, 200);
    const unknown = await fetch(`${url}/nowhere`);
    assert.deepEqual([unknown.status, await unknown.text()], [404, "There is no handle /nowhere\n"]);
  });
});
