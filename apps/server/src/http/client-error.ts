/** What is refused before it is a request (CONTRACT section 1: 400, 408, 431), in the shape of every failure. */
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { ErrorCode } from "@headwater/contract";
import { Refusal } from "../refusal.ts";
import { failureAnswer } from "./errors.ts";

const CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};

function rawAnswer(code: ErrorCode, requestId: string): string {
  const { status, headers, body } = failureAnswer(new Refusal(code), requestId);
  const text = JSON.stringify(body);
  const lines = Object.entries({
    ...headers,
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": String(Buffer.byteLength(text)),
    "X-Request-Id": requestId,
    "Cache-Control": "no-store",
    Connection: "close",
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${text}`;
}

/** For `server.on("clientError")`. A socket that is gone, or has an answer under way, is only closed. */
export function createClientErrorHandler(newRequestId: () => string) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    const answering = (socket as Socket & { _httpMessage?: { headersSent: boolean } | null })._httpMessage
      ?.headersSent;
    if (error.code === "ECONNRESET" || !socket.writable || answering) {
      socket.destroy();
      return;
    }
    socket.end(rawAnswer(CODES[error.code ?? ""] ?? "malformed_http", newRequestId()), () =>
      socket.destroy(),
    );
  };
}
