import { toJson } from "./json.ts";
import type { QueueEntry } from "./queue.ts";
import { byteLength } from "./transport.ts";

/**
 * Selects the oldest events that can share one request. They belong to one visitor and user and stay within the limits,
 * but there is always at least one.
 */
export function takeBatch(
  entries: readonly QueueEntry[],
  maxSize: number,
  maxBytes: number,
): readonly QueueEntry[] {
  let bytes = 0;
  let isFull: boolean | undefined;
  return entries.filter(([, event], index) => {
    const first = entries[0]![1];
    bytes += byteLength(toJson(event));
    isFull ||=
      index >= maxSize ||
      (index > 0 && bytes > maxBytes) ||
      event.anonymousId !== first.anonymousId ||
      event.userId !== first.userId;
    return !isFull;
  });
}
