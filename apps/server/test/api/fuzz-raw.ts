/** Sends requests as no ordinary client does: pipelined, cut off, and in two parts with a long time between them. */
import assert from "node:assert/strict";
import { until } from "../support/until.ts";
import { Line } from "./raw-line.ts";

/** How a request is sent. */
export const MANNERS = ["whole", "pipelined", "truncated", "slow"] as const;
export type Manner = (typeof MANNERS)[number];

interface RawRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

const PIPELINED = 3;
/** Slow requests that wait for their second part. */
const MAX_SLOW = 20;
/** A world without a warehouse answers 503 with this code. */
const ALLOWED_5XX = /"code":"(?:warehouse_off|mail_unavailable)"/g;

function textOf({ method, path, headers, body = "" }: RawRequest, connection: string): Buffer {
  const lines = Object.entries({
    ...headers,
    host: "x",
    connection,
    "content-length": String(Buffer.byteLength(body)),
  }).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, "", body].join("\r\n"));
}

/** @returns a function that sends a request in a manner, and one that completes the slow ones */
export function createRawSender(url: string) {
  const slow: (() => Promise<number[]>)[] = [];

  const answersOn = async (line: Line): Promise<number[]> => {
    let isClosed = false;
    void line.closed.then(() => {
      isClosed = true;
    });
    await until("the connection is closed", () => isClosed);
    const statuses = line.statuses();
    const failures = statuses.filter((status) => status >= 500).length;
    assert.ok(failures <= (line.text.match(ALLOWED_5XX)?.length ?? 0), line.text);
    return statuses;
  };

  const sendPipelined = async (request: RawRequest) => {
    const line = new Line(url);
    for (let left = PIPELINED; left > 0; left -= 1)
      line.write(textOf(request, left > 1 ? "keep-alive" : "close"));
    const statuses = await answersOn(line);
    assert.ok(statuses.length > 0, "a pipelined request is answered");
    return statuses;
  };
  const sendTruncated = (request: RawRequest) => {
    const text = textOf(request, "close");
    const line = new Line(url);
    line.socket.end(text.subarray(0, text.length >> 1));
    return answersOn(line);
  };
  /** The second part is sent after that many other slow requests have begun. */
  const sendSlowly = async (request: RawRequest) => {
    const text = textOf(request, "close");
    const half = text.length >> 1;
    const line = new Line(url).write(text.subarray(0, half));
    slow.push(() => answersOn(line.write(text.subarray(half))));
    return slow.length > MAX_SLOW ? ((await slow.shift()?.()) ?? []) : [];
  };

  return {
    /** @returns the statuses of the answers that have arrived */
    send: (request: RawRequest, manner: Exclude<Manner, "whole">): Promise<number[]> =>
      ({ pipelined: sendPipelined, truncated: sendTruncated, slow: sendSlowly })[manner](request),
    finish: async () => {
      for (const complete of slow.splice(0)) await complete();
    },
  };
}
