import type { Entry } from "./queue.ts";
import { bytesOf } from "./transport.ts";

/** The oldest that may share a request: at most so many, about so large in all, but always one; of one visitor and user. */
export function batchOf(entries: readonly Entry[], maxSize: number, maxBytes: number): readonly Entry[] {
  let bytes = 0;
  let isFull: boolean | undefined;
  return entries.filter(([, event], index) => {
    const first = entries[0]![1];
    bytes += bytesOf(JSON.stringify(event));
    isFull ||=
      index > 0 &&
      (index >= maxSize ||
        bytes > maxBytes ||
        event.anonymousId !== first.anonymousId ||
        event.userId !== first.userId);
    return !isFull;
  });
}
