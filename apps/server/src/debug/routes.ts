/** The two operations of the debug view: a page of attempts, and the live stream. */
import type { Handler } from "../http/handler.ts";
import type { OpenDebugStream } from "./stream.ts";
import type { DebugView } from "./view.ts";

export const getDebug =
  (view: DebugView): Handler<"getDebug"> =>
  async ({ source, query, signal }) => ({
    text: await view(source, query, signal),
    mediaType: "application/json; charset=utf-8",
  });

/** @param stopping aborts when the service stops, so that streams end */
export const streamDebug =
  (openStream: OpenDebugStream, stopping: AbortSignal): Handler<"streamDebug"> =>
  async ({ source, query, headers, signal }) => ({
    stream: await openStream(source, query, {
      lastEventId: headers["last-event-id"]?.toString() ?? null,
      signal: AbortSignal.any([signal, stopping]),
    }),
    mediaType: "text/event-stream",
  });
