/**
 * Bounds the answers that clients read slowly: each answer by time, and all together by their bytes. Most answers fit into
 * the system's buffers at once, so nothing has to be bounded.
 */
import type { ServerResponse } from "node:http";

/** A client has this long to take an answer, and a second more for each `MIN_ANSWER_BYTES_PER_SECOND` of it. */
export const ANSWER_GRACE_MS = 20_000;
export const MIN_ANSWER_BYTES_PER_SECOND = 32_768;
/** Answers that clients have not taken yet, all together. The oldest of them makes room. */
export const MAX_UNSENT_ANSWER_BYTES = 32 * 1_048_576;

/** The size of each answer that its client has not read yet, oldest first. One map, because the limit is one for the process. */
const unsent = new Map<ServerResponse, number>();
let unsentBytes = 0;

function forget(response: ServerResponse): void {
  unsentBytes -= unsent.get(response) ?? 0;
  unsent.delete(response);
}

/** Resets the client's connection, so that the system frees its buffers at once. */
function abandon(response: ServerResponse): void {
  forget(response);
  response.socket?.resetAndDestroy();
}

function watch(response: ServerResponse, sizeBytes: number, ownBytes: number): void {
  const maxMs = ANSWER_GRACE_MS + (1_000 * sizeBytes) / MIN_ANSWER_BYTES_PER_SECOND;
  const timer = setTimeout(() => abandon(response), maxMs).unref();
  unsent.set(response, ownBytes);
  unsentBytes += ownBytes;
  response.once("close", () => {
    clearTimeout(timer);
    forget(response);
  });
  for (const [oldest] of unsent) {
    if (unsentBytes <= MAX_UNSENT_ANSWER_BYTES) break;
    abandon(oldest);
  }
}

/**
 * Ends an answer whose headers have been written. If the client reads the answer too slowly, its connection is reset.
 * @param isShared whether many answers use the same bytes in memory; they do not count towards the limit of all answers
 */
export function endAnswer(response: ServerResponse, content?: string | Uint8Array, isShared = false): void {
  // Node writes ASCII faster if it need not look for other characters
  const isAscii = typeof content === "string" && Buffer.byteLength(content) === content.length;
  response.end(content, isAscii ? "latin1" : "utf8");
  if (response.writableLength === 0) return;
  const sizeBytes = content?.length ?? 0;
  watch(response, sizeBytes, isShared ? 0 : sizeBytes);
}
