/** Sends what a handler answers: JSON, text, or a stream that goes on until the client leaves or may see no more. */
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { FastifyReply } from "fastify";

/** The handlers' `Answer`, whatever the operation. */
export type AnyAnswer = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
} & (
  | { readonly body: unknown }
  | { readonly text: string | Uint8Array; readonly mediaType: string }
  | { readonly stream: AsyncIterable<string | Uint8Array>; readonly mediaType: string }
);

export function sendJson(
  reply: FastifyReply,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: unknown,
) {
  return reply
    .code(status)
    .headers(headers)
    .type("application/json; charset=utf-8")
    .send(JSON.stringify(body));
}

/**
 * Does the client have what carries this tag (RFC 9110, 13.1.2)? A proxy that compresses makes the tag a weak one. Ours
 * hold no comma.
 */
function isHad(tag: string | undefined, asked: string | undefined): boolean {
  if (tag === undefined || asked === undefined) return false;
  return asked.split(",").some((one) => ["*", tag].includes(one.trim().replace(/^W\//, "")));
}

/**
 * Straight to the socket: the headers leave at once, so that a client knows that it is connected before
 * anything happens. The iterable is ended when the client goes away, or takes nothing of what is there for too long.
 */
function sendStream(
  reply: FastifyReply,
  status: number,
  answer: { stream: AsyncIterable<string | Uint8Array>; mediaType: string },
  { onEnd, stallMs = STALL_MS }: Streaming,
): void {
  const { raw } = reply;
  reply.hijack();
  raw.writeHead(status, {
    ...(reply.getHeaders() as Record<string, string>),
    "Content-Type": answer.mediaType,
  });
  raw.flushHeaders();
  // it begins anew with every byte that is taken, and runs too while there is nothing to take
  raw.setTimeout(stallMs, () => {
    if (raw.writableLength > 0) raw.destroy();
    else raw.socket?.setTimeout(stallMs);
  });
  // the ways in which a stream ends are all the same to it: the client left, was cut off, or the service stops
  pipeline(Readable.from(answer.stream), raw)
    .catch(() => raw.destroy())
    .finally(onEnd);
}

/** Whoever takes nothing for so long is cut off: four of them would hold every place of an export. */
const STALL_MS = 60_000;

export interface Streaming {
  /** Called when a stream is over. */
  onEnd(): void;
  stallMs?: number;
}

export function sendAnswer(
  reply: FastifyReply,
  success: number,
  answer: AnyAnswer,
  streaming: Streaming,
): void {
  const status = answer.status ?? success;
  const headers = answer.headers ?? {};
  if ("body" in answer) {
    sendJson(reply, status, headers, answer.body);
  } else if ("text" in answer && isHad(headers.ETag, reply.request.headers["if-none-match"])) {
    reply.code(304).headers(headers).send();
  } else if ("text" in answer) {
    reply.code(status).headers(headers).type(answer.mediaType).send(answer.text);
  } else if (reply.request.method === "HEAD") {
    streaming.onEnd();
    reply.code(status).headers(headers).type(answer.mediaType).send();
  } else {
    sendStream(reply.headers(headers), status, answer, streaming);
  }
}
