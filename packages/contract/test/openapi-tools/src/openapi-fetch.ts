import createClient from "openapi-fetch";
import type { paths } from "./generated/openapi-typescript.ts";
import { API_URL, newEvents, newQuery, newSession, newSource, ORIGIN, TOKEN } from "./job.ts";

const api = createClient<paths>({ baseUrl: API_URL, headers: { Authorization: `Bearer ${TOKEN}` } });
const pages = createClient<paths>({ baseUrl: API_URL, headers: { Origin: ORIGIN } });

const source = await api.POST("/api/tracking-sources", { body: newSource("openapi-fetch") });
if (!source.data) throw new Error(source.error.code);
const { publicKey, sourceId } = source.data;
const params = { path: { publicKey } };
const session = await pages.POST("/api/ingest/v2/{publicKey}/bootstrap", { params, body: newSession() });
if (!session.data) throw new Error(session.error.hint);
const body = newEvents(session.data.sessionId);
const events = await pages.POST("/api/ingest/v2/{publicKey}/events", { params, body });
const debug = await api.GET("/api/tracking-sources/{sourceId}/debug", {
  params: { path: { sourceId }, query: { kind: "events" } },
});
const stats = await api.POST("/api/stats/query", { body: newQuery(sourceId) });
console.log(
  JSON.stringify([
    events.data?.results[0]?.status,
    debug.data?.eventAttempts[0]?.outcome,
    stats.data?.metrics,
  ]),
);
