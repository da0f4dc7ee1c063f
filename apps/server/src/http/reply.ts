/** Sends answers: JSON, text, or a stream that ends when the client disconnects. */

import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { gzip } from "node:zlib";
import type { Operation } from "@headwater/contract";
import { endAnswer } from "../overload/unsent-answers.ts";
import type { Document } from "./document.ts";
import type { AnswerWith } from "./handler.ts";
import type { RequestIds } from "./trace-context.ts";

/** One request and its response. */
export interface Exchange extends RequestIds {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** `INGEST_ALIAS`, if the request came by it; else empty. */
  readonly alias: string;
  /** The part of the URL behind `?`. */
  readonly queryText: string;
  /** Headers of every answer to this request. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Serves a request of an operation, with the parameters of its path as they were sent. */
export type ServeRoute = (
  exchange: Exchange,
  operation: Operation,
  params: Readonly<Record<string, string>>,
) => Promise<void>;

/** The answer of any operation's handler. */
export type HandlerAnswer = AnswerWith<unknown>;

/** How much of an unread request body is read and dropped, so that the connection can be used again. */
const MAX_DROPPED_BYTES = 1_048_576;

function mustCloseConnection({ request }: Exchange, status: number): boolean {
  // the bytes after a broken request are not a request
  if (status === 400 || status === 408) return true;
  if (request.complete) return false;
  return request.isPaused() || Number(request.headers["content-length"] ?? 0) > MAX_DROPPED_BYTES;
}

/** Drops the rest of a body. A chunked body does not state its size, so the connection is closed when it gets too large. */
function dropUnreadBody({ request }: Exchange): void {
  if (request.complete) return;
  let droppedBytes = 0;
  request.on("data", ({ length }: Buffer) => {
    droppedBytes += length;
    if (droppedBytes > MAX_DROPPED_BYTES) request.socket.destroy();
  });
}

interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Many answers have the same content in memory. */
  readonly isShared?: boolean;
}

/** Sends a whole answer. */
export function send(exchange: Exchange, reply: Reply, content?: string | Uint8Array): void {
  const { status, headers, isShared = false } = reply;
  const { response } = exchange;
  if (response.destroyed) return;
  const all: OutgoingHttpHeaders = { ...exchange.headers, ...headers };
  if (content !== undefined) all["Content-Length"] = Buffer.byteLength(content);
  if (mustCloseConnection(exchange, status)) all.Connection = "close";
  else dropUnreadBody(exchange);
  response.writeHead(status, all);
  endAnswer(response, content, isShared);
}

/**
 * Which content coding a client accepts (RFC 9110, 12.5.3).
 * @returns the first of the codings that the client accepts; undefined: none
 */
export function chooseEncoding(headers: IncomingHttpHeaders, codings: Iterable<string>): string | undefined {
  const accepted = String(headers["accept-encoding"] ?? "")
    .split(",")
    .map((item) => item.trim().toLowerCase())
    .filter((item) => !/;\s*q=0(?:\.0*)?$/.test(item))
    .map((item) => item.split(";", 1)[0]);
  return [...codings].find((coding) => accepted.includes(coding));
}

/** The 200 attempts of the debug page have over 1 MB: compressed, after 6 ms in another thread, a twelfth. Most answers are small. */
const MIN_COMPRESSED_LENGTH = 32_768;

const varyByEncoding = ({ headers: { Vary } }: Exchange) =>
  [Vary, "Accept-Encoding"].filter(Boolean).join(", ");

/** Sends a text, compressed if it is large and the client accepts that. */
function sendText(exchange: Exchange, reply: Reply, text: string | Uint8Array): void {
  if (text.length < MIN_COMPRESSED_LENGTH) {
    send(exchange, reply, text);
    return;
  }
  const { status } = reply;
  const headers = { ...reply.headers, Vary: varyByEncoding(exchange) };
  if (chooseEncoding(exchange.request.headers, ["gzip"]) === undefined) {
    send(exchange, { status, headers }, text);
    return;
  }
  gzip(text, (error, bytes) => {
    if (error) exchange.response.destroy(error);
    else send(exchange, { status, headers: { ...headers, "Content-Encoding": "gzip" } }, bytes);
  });
}

export function sendJson(exchange: Exchange, { status, headers }: Reply, body: unknown): void {
  const typed = { ...headers, "Content-Type": "application/json; charset=utf-8" };
  sendText(exchange, { status, headers: typed }, JSON.stringify(body));
}

/**
 * Whether the client already has the content with this tag (RFC 9110, 13.1.2). The comparison is weak. Our tags contain no
 * comma.
 */
function etagMatches(etag: string, ifNoneMatch: string | undefined): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, "");
  return ifNoneMatch?.split(",").some((tag) => ["*", opaque(etag)].includes(opaque(tag))) ?? false;
}

/** Sends a document compressed if the client accepts that, or 304 if the client has it. */
function sendDocument(exchange: Exchange, status: number, document: Document): void {
  const { mediaType, etag, bytes, encoded } = document;
  const { headers: asked } = exchange.request;
  const varying = { ...document.headers, ETag: etag, Vary: varyByEncoding(exchange) };
  if (etagMatches(etag, asked["if-none-match"])) {
    send(exchange, { status: 304, headers: varying });
    return;
  }
  const coding = chooseEncoding(asked, encoded.keys());
  const compressed = coding === undefined ? undefined : encoded.get(coding);
  const encoding = coding === undefined ? {} : { "Content-Encoding": coding };
  const described = { ...varying, ...encoding, "Content-Type": mediaType };
  send(exchange, { status, headers: described, isShared: true }, compressed ?? bytes);
}

/** A client that reads nothing for this long is disconnected: a few of them would use up all slots for exports. */
const STALL_MS = 60_000;

type StreamAnswer = Extract<HandlerAnswer, { stream: unknown }>;

/** Sends the headers at once, so that the client knows that it is connected, and then what the stream yields. */
function sendStream(
  { response, headers: common }: Exchange,
  { status, headers }: Reply,
  { stream, cutOff }: StreamAnswer,
  stallMs: number,
): void {
  response.writeHead(status, { ...common, ...headers });
  response.flushHeaders();
  // The timer restarts with every byte that the client reads. It also runs while there is nothing to read.
  response.setTimeout(stallMs, () => {
    if (response.writableLength > 0) response.destroy();
    else response.socket?.setTimeout(stallMs);
  });
  // the client may disconnect at any time; the stream is ended then
  pipeline(Readable.from(stream), response, cutOff ? { signal: cutOff } : {}).catch(() => response.destroy());
}

interface AnswerOptions {
  /** The operation's status, for an answer without one of its own. */
  readonly status: number;
  readonly stallMs?: number;
}

export function sendAnswer(
  exchange: Exchange,
  answer: HandlerAnswer,
  { status: success, stallMs = STALL_MS }: AnswerOptions,
): void {
  const { status = success, headers = {} } = answer;
  const { request } = exchange;
  if ("body" in answer) {
    sendJson(exchange, { status, headers }, answer.body);
    return;
  }
  if ("document" in answer) {
    sendDocument(exchange, status, answer.document);
    return;
  }
  const reply = { status, headers: { ...headers, "Content-Type": answer.mediaType } };
  if ("stream" in answer) {
    if (request.method === "HEAD") send(exchange, reply);
    else sendStream(exchange, reply, answer, stallMs);
  } else {
    sendText(exchange, reply, answer.text);
  }
}
