import type { Handler } from "../core/handler.ts";
import type { DebugStreams } from "./stream.ts";
import type { DebugRoom } from "./view.ts";

/** GET …/debug. The attempts are JSON text in the ledger already, and go out as they are. */
export const getDebug =
  (room: DebugRoom): Handler<"getDebug"> =>
  async ({ source, query }) => ({
    text: await room.viewJson(source, query),
    mediaType: "application/json; charset=utf-8",
  });

/**
 * GET …/debug/stream.
 * @param stopping aborts when the service stops, so that a stream says so and ends
 */
export const streamDebug =
  (streams: DebugStreams, stopping: AbortSignal): Handler<"streamDebug"> =>
  async ({ source, query, lastEventId, signal }) => ({
    stream: await streams.open(source, query, {
      lastEventId: lastEventId ?? undefined,
      signal: AbortSignal.any([signal, stopping]),
    }),
    mediaType: "text/event-stream",
  });
