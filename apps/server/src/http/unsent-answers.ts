/**
 * Bounds the answers that clients are slow to take: each by time, and all together by their bytes. Most answers fit into
 * the system's buffers at once and never get here.
 */
import type { ServerResponse } from "node:http";
import { SERVER_LIMITS } from "../core/limits.ts";

const { answerGraceMs, minAnswerBytesPerSecond, maxUnsentAnswerBytes } = SERVER_LIMITS;

/** The bytes of each answer that a client has not taken yet, oldest first. One map, because the process has one memory. */
const unsent = new Map<ServerResponse, number>();
let unsentBytes = 0;

function forget(response: ServerResponse): void {
  unsentBytes -= unsent.get(response) ?? 0;
  unsent.delete(response);
}

/** Resets the connection, so that the system frees what it has buffered for it. */
function abandon(response: ServerResponse): void {
  forget(response);
  response.socket?.resetAndDestroy();
}

function watch(response: ServerResponse, sizeBytes: number, ownBytes: number): void {
  const maxMs = answerGraceMs + (1_000 * sizeBytes) / minAnswerBytesPerSecond;
  const timer = setTimeout(() => abandon(response), maxMs).unref();
  unsent.set(response, ownBytes);
  unsentBytes += ownBytes;
  response.once("close", () => {
    clearTimeout(timer);
    forget(response);
  });
  for (const [oldest] of unsent) {
    if (unsentBytes <= maxUnsentAnswerBytes) break;
    abandon(oldest);
  }
}

/**
 * Ends an answer whose headers have been written. The connection is closed when the client takes it too slowly.
 * @param isShared many answers have the same bytes in memory, so these do not count towards the limit of all answers
 */
export function endAnswer(response: ServerResponse, content?: string | Uint8Array, isShared = false): void {
  response.end(content);
  if (response.writableLength === 0) return;
  const sizeBytes = content?.length ?? 0;
  watch(response, sizeBytes, isShared ? 0 : sizeBytes);
}
