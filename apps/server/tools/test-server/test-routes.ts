/** The routes of the test server: what was received, and a way to forget it. Pages may call them too. */
import { issueAt, Refusal } from "../../src/core/refusal.ts";
import type { PathServer } from "../../src/http/app.ts";
import { INGEST_CORS } from "../../src/http/cors.ts";
import { type Exchange, send } from "../../src/http/reply.ts";
import type { EventFilter, ReceivedEvents } from "./received.ts";

/** @throws Refusal 422 */
function readSince(text: string | null): number | null {
  if (text === null) return null;
  const since = /^\d+$/.test(text) ? Number(text) : Date.parse(text);
  if (!Number.isNaN(since)) return since;
  const message = "since is a time in ISO 8601 or in milliseconds since 1970";
  throw new Refusal("invalid_payload", { issues: [issueAt("since", message)] });
}

/** @throws Refusal 422 */
function readFilter({ queryText }: Exchange): EventFilter {
  const query = new URLSearchParams(queryText);
  return { name: query.get("name"), type: query.get("type"), since: readSince(query.get("since")) };
}

const READS: Readonly<Record<string, (received: ReceivedEvents, exchange: Exchange) => string>> = {
  "/events": (received, exchange) => `{"events":${received.eventsJson(readFilter(exchange))}}`,
  "/rejected": (received, exchange) => JSON.stringify({ rejected: received.refusals(readFilter(exchange)) }),
};

/** Records a request that belongs nowhere, such as one of a client with a wrong address. Browsers ask for icons by themselves. */
function recordStray(received: ReceivedEvents, { request }: Exchange, path: string): void {
  const { method = "", headers } = request;
  if (method === "GET" || method === "HEAD") return;
  const message = `There is no route ${method} ${path}. Check the address that the client was given.`;
  received.addStray(new Refusal("route_not_found", { message }), headers.origin ?? null, Date.now());
}

/** The pipeline answers what is thrown. */
const answer = async (work: () => void): Promise<void> => work();

/** @param onClear called when a test forgets what was received */
export const createTestRoutes = (received: ReceivedEvents, onClear: () => void): PathServer => ({
  serve(exchange, path) {
    const { method = "", headers } = exchange.request;
    const common = { ...INGEST_CORS.headers(headers.origin), "Cache-Control": "no-store" };
    const read = READS[path];
    if (read && (method === "GET" || method === "HEAD"))
      return answer(() => {
        const typed = { ...common, "Content-Type": "application/json; charset=utf-8" };
        send(exchange, { status: 200, headers: typed }, read(received, exchange));
      });
    if (path === "/" && method === "DELETE")
      return answer(() => {
        received.clear();
        onClear();
        send(exchange, { status: 204, headers: common });
      });
    if (method === "OPTIONS" && (read || path === "/"))
      return answer(() => {
        const preflight = INGEST_CORS.preflight(headers, "GET, DELETE");
        send(exchange, { status: 204, headers: { ...common, ...preflight } });
      });
    recordStray(received, exchange, path);
    return null;
  },
});
