/** Answers requests that are not valid HTTP (docs/api/conventions.md: 400, 408, 431) in the shape of every failure. */
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { ErrorCode } from "@headwater/contract";
import { Refusal } from "../core/refusal.ts";
import { rejectPendingBody } from "../overload/pending-bodies.ts";
import { ANSWER_GRACE_MS } from "../overload/unsent-answers.ts";
import { renderClosingFailure } from "./failure.ts";

const CODES: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};

function rawReply(code: ErrorCode, requestId: string): string {
  const { status, headers, text } = renderClosingFailure(new Refusal(code), requestId);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${text}`;
}

/** Node keeps the response that is being sent on a socket in this member. */
interface HttpSocket extends Socket {
  _httpMessage?: { headersSent: boolean } | null;
}

/**
 * A listener for `clientError` of an HTTP server. It only closes a socket that is gone or on which an answer is being
 * sent. If the body of a request is being read, its route answers, so that the attempt and the answer agree.
 */
export function createClientErrorHandler(newRequestId: () => string) {
  return (error: NodeJS.ErrnoException, socket: HttpSocket): void => {
    if (error.code === "ECONNRESET" || !socket.writable || socket._httpMessage?.headersSent) {
      socket.destroy();
      return;
    }
    const code = CODES[error.code ?? ""] ?? "malformed_http";
    if (rejectPendingBody(socket, new Refusal(code))) return;
    socket.end(rawReply(code, newRequestId()), () => socket.destroy());
    socket.setTimeout(ANSWER_GRACE_MS);
  };
}
