/** A faulty network between pages and the real server. */
import { once } from "node:events";
import { request as ask, createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The fate of one ingest request. */
export type Fate =
  | "pass"
  /** The request never reaches the server. */
  | "cut"
  /** The server stores the events, but the response is lost. */
  | "swallow"
  /** The server gets the request twice, and the second answer is returned. */
  | "double"
  /** The response of an overloaded server. */
  | "503";

export interface Weather {
  /** The delay before the request and again before the response. */
  delayMs(): number;
  fate(): Fate;
}

export const fine: Weather = { delayMs: () => 0, fate: () => "pass" };

/** A repeatable sequence of numbers between 0 and 1. */
export function chances(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const passes = (delayMs: number) => new Promise((resolve) => setTimeout(resolve, delayMs));

export async function startBadNetwork(serverUrl: string) {
  const network = { weather: fine, requests: 0, bootstraps: 0, serverUrl };

  const server = createServer(async (incoming, response) => {
    const { method, url = "/", headers } = incoming;
    const body = Buffer.concat(await Array.fromAsync<Buffer>(incoming));
    const isIngest = /^\/api\/(?:ingest|compat)\//.test(url);
    const { weather } = network;
    const fate = isIngest ? weather.fate() : "pass";
    if (isIngest) network.requests += 1;
    if (url.endsWith("/bootstrap")) network.bootstraps += 1;
    await passes(weather.delayMs());
    if (fate === "cut") return void response.destroy();
    if (fate === "503") return void refuse(response, headers.origin);
    const forward = async () => {
      const { port } = new URL(network.serverUrl);
      const onward = ask({ port, host: "127.0.0.1", method, path: url, headers });
      const answered = once(onward, "response");
      onward.end(body);
      const answer = await answered.then(([message]) => message as IncomingMessage).catch(() => null);
      return answer && { answer, text: Buffer.concat(await Array.fromAsync<Buffer>(answer)) };
    };
    if (fate === "double") await forward();
    const forwarded = await forward();
    if (!forwarded) return void response.destroy();
    const { answer, text } = forwarded;
    await passes(weather.delayMs());
    if (fate === "swallow") return void response.destroy();
    response.writeHead(answer.statusCode!, answer.headers).end(text);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");

  return Object.assign(network, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  });
}
export type BadNetwork = Awaited<ReturnType<typeof startBadNetwork>>;

function refuse(response: ServerResponse, origin = "*"): void {
  response.writeHead(503, {
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Expose-Headers": "Retry-After",
    // One second for pages whose timers run ten times as fast.
    "Retry-After": "0.1",
  });
  response.end('{"ok":false,"code":"overloaded"}');
}
