/**
 * A ClickHouse cluster whose shards are all one engine process. A proxy in front of it removes what needs Keeper from the
 * statements: `ON CLUSTER` and `Replicated`. With two shards, inserts go to one table, and each shard reads its half of
 * it, chosen by the shard number. With one shard, inserts go through the Distributed table.
 */
import { rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { startEmbedded } from "../../src/clickhouse/embedded/start.ts";
import type { WarehouseEndpoint } from "../../src/clickhouse/endpoint.ts";
import { newFolder } from "./store.ts";
import { MEMORY_BYTES } from "./test-warehouse.ts";

const PORT = 9_000;
/** The maximum length of a URL, which contains the query parameters. */
const ADDRESS_BYTES = 1_048_576;
const KEEP_ALIVE_MS = 30_000;
const SHARD = `<shard><replica><host>127.0.0.1</host><port>${PORT}</port></replica></shard>`;
const configOf = (cluster: string, shards: number) => `<clickhouse>
  <tcp_port>${PORT}</tcp_port>
  <remote_servers><${cluster}>${SHARD.repeat(shards)}</${cluster}></remote_servers>
</clickhouse>`;

const halfOf = (database: string, name: string, columns: string, shard: string, shards: number) =>
  `CREATE OR REPLACE VIEW ${database}.${name}_local AS
    SELECT ${columns} FROM ${database}.${name}_stored WHERE ${shard} % ${shards} = shardNum() - 1`;

/** Rewrites a statement for the single process. @returns the statement, and a second one to run after it */
function adaptStatement(text: string, shards: number): { text: string; after: string | null } {
  const here = text
    .replace(/ ON CLUSTER '\w+'/g, "")
    .replace(/Replicated(\w+)\('[^']*', '[^']*'(?:, )?/g, "$1(")
    .replace(
      /(?<!non_)replicated_deduplication_window = (\d+), \w+ = \d+/,
      "non_replicated_deduplication_window = $1",
    );
  if (shards === 1) return { text: here, after: null };
  const made =
    /^CREATE TABLE IF NOT EXISTS (\S+)\.(\w+) [\s\S]*Distributed\('\w+', '\w+', '(\w+)_local', (.*)\)$/.exec(
      here,
    );
  if (made) {
    const [, database = "", , name = "", shard = ""] = made;
    // `*` does not include computed columns
    const computed = [...here.matchAll(/^ *(\w+) \S+ MATERIALIZED/gm)].map(([, column = ""]) => column);
    return { text: here, after: halfOf(database, name, ["*", ...computed].join(", "), shard, shards) };
  }
  return {
    text: here
      .replace(/((?:CREATE TABLE IF NOT EXISTS|ALTER TABLE) \w+\.\w+)_local/, "$1_stored")
      .replace(/table = '(\w+)_local'/, "table = '$1_stored'")
      .replace(/INSERT INTO events\b/, "INSERT INTO events_stored"),
    after: null,
  };
}

export interface ClusterOfOne extends AsyncDisposable {
  endpoint: WarehouseEndpoint;
  /** The statements as the service sent them. */
  statements: string[];
}

const readAll = async (message: IncomingMessage) => Buffer.concat(await message.toArray());

export async function startClusterOfOne(shards: 1 | 2): Promise<ClusterOfOne> {
  const folder = newFolder();
  const cluster = `of_${shards}`;
  const config = join(folder, "cluster.xml");
  writeFileSync(config, configOf(cluster, shards));
  const moreArguments = [`--config-file=${config}`];
  const engine = await startEmbedded({ folder, memoryBytes: MEMORY_BYTES, threads: 2, moreArguments });
  const statements: string[] = [];

  const forward = (from: IncomingMessage, address: string, body: Buffer) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const { host: _, "content-length": __, "transfer-encoding": ___, ...headers } = from.headers;
      // a new connection, because a kept-alive one may be closing
      const options = { method: from.method, headers, agent: false };
      const sent = request(engine.endpoint.url + address, options, resolve);
      from.once("close", () => from.complete || sent.destroy());
      sent.on("error", reject);
      sent.end(body);
    });
  const server = createServer(
    { maxHeaderSize: ADDRESS_BYTES, keepAliveTimeout: KEEP_ALIVE_MS },
    async (from, to) => {
      try {
        const url = new URL(from.url ?? "/", "http://localhost");
        const body = await readAll(from);
        const inAddress = url.searchParams.get("query");
        const statement = inAddress ?? body.toString("utf8");
        if (url.pathname !== "/ping") statements.push(statement);
        const { text, after } = adaptStatement(statement, shards);
        if (inAddress !== null) url.searchParams.set("query", text);
        const answer = await forward(
          from,
          url.pathname + url.search,
          inAddress === null ? Buffer.from(text) : body,
        );
        if (after !== null) (await forward(from, url.pathname + url.search, Buffer.from(after))).resume();
        to.writeHead(answer.statusCode ?? 500, answer.headers);
        to.once("close", () => answer.destroy());
        answer.pipe(to);
      } catch {
        from.socket.destroy();
      }
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    endpoint: {
      ...engine.endpoint,
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      cluster,
    },
    statements,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      engine.end();
      await engine.ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
