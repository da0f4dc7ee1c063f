/** What is refused before it is a request (CONTRACT section 1: 400, 408, 431), in the shape of every failure. */
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { ErrorCode } from "@headwater/contract";
import { rejectPendingRead } from "../core/body.ts";
import { Refusal } from "../core/refusal.ts";
import { closingAnswer } from "./errors.ts";

const CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};

function rawAnswer(code: ErrorCode, requestId: string): string {
  const { status, headers, text } = closingAnswer(new Refusal(code), requestId);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${text}`;
}

/**
 * For `server.on("clientError")`. A socket that is gone, or has an answer under way, is only closed; a request whose
 * body was being read is answered by its reader, so that the attempt and the answer say the same.
 */
export function createClientErrorHandler(newRequestId: () => string) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    const answering = (socket as Socket & { _httpMessage?: { headersSent: boolean } | null })._httpMessage
      ?.headersSent;
    if (error.code === "ECONNRESET" || !socket.writable || answering) {
      socket.destroy();
      return;
    }
    const code = CODES[error.code ?? ""] ?? "malformed_http";
    if (rejectPendingRead(socket, new Refusal(code))) return;
    socket.end(rawAnswer(code, newRequestId()), () => socket.destroy());
  };
}
