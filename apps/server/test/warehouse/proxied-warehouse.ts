/** A real warehouse behind a proxy that tests can cut off. */
import { createServer, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "../../src/clickhouse/client.ts";
import { migrate } from "../../src/clickhouse/migrate.ts";
import { newFolder } from "./store.ts";
import { clearTestWarehouse, settingsOf, startTestWarehouse } from "./test-warehouse.ts";

export interface ProxiedWarehouse extends AsyncDisposable {
  /** The settings of a service that uses the warehouse through the proxy. */
  settings: Record<string, string>;
  cut(): void;
  restore(): void;
  /** Holds requests whose URL has the text. @returns a function that counts those whose client is still connected */
  holdRequests(text: string): () => number;
  /** Holds the answers to requests whose URL has the text. @returns as `holdRequests` does */
  holdAnswers(text: string): () => number;
  /** Queries the warehouse directly, even while the proxy is cut off. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  ask(query: string): Promise<any[]>;
  /** Changes the warehouse directly. */
  change(query: string): Promise<void>;
}

export async function openProxiedWarehouse(): Promise<ProxiedWarehouse> {
  const folder = newFolder();
  const engine = await startTestWarehouse(folder);
  // tests query the tables before the service has created them
  await migrate(engine.endpoint);
  const { url } = engine.endpoint;
  let isCut = false;
  let heldText: string | null = null;
  let heldAnswer: string | null = null;
  let held = 0;
  const hold = (to: ServerResponse) => {
    held += 1;
    to.once("close", () => (held -= 1));
  };
  const server = createServer((from, to) => {
    if (isCut) return void from.socket.destroy();
    if (heldText !== null && from.url?.includes(heldText)) return hold(to);
    const { host: _, ...headers } = from.headers;
    const sent = request(url + from.url, { method: from.method, headers }, (answer) => {
      if (heldAnswer !== null && from.url?.includes(heldAnswer)) return hold(to);
      to.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(to);
    });
    sent.on("error", () => from.socket.destroy());
    from.pipe(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = connect(engine.endpoint);
  return {
    settings: settingsOf({
      ...engine.endpoint,
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    }),
    cut: () => {
      isCut = true;
      server.closeAllConnections();
    },
    restore: () => {
      isCut = false;
    },
    holdRequests: (text) => {
      heldText = text;
      return () => held;
    },
    holdAnswers: (text) => {
      heldAnswer = text;
      return () => held;
    },
    ask: async (query) => (await client.query({ query, format: "JSONEachRow" })).json(),
    change: async (query) => void (await client.command({ query })),
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await client.close();
      engine.end();
      await engine.ended;
      await clearTestWarehouse(folder);
    },
  };
}
