import { client } from "./generated/hey-api/client.gen.ts";
import { bootstrap, createSource, events, getDebug, queryStats } from "./generated/hey-api/index.ts";
import { API_URL, newEvents, newQuery, newSession, newSource, ORIGIN, TOKEN } from "./job.ts";

client.setConfig({ baseUrl: API_URL, auth: TOKEN });
const { data: source, error } = await createSource({ body: newSource("hey-api") });
if (!source) throw new Error(error?.code);
const path = { publicKey: source.publicKey };
const headers = { Origin: ORIGIN };
const auth = "";
const session = await bootstrap({ path, headers, auth, body: newSession() });
if (!session.data) throw new Error(session.error?.hint);
const sent = await events({ path, headers, auth, body: newEvents(session.data.sessionId) });
const debug = await getDebug({ path: { sourceId: source.sourceId }, query: { kind: "events" } });
const stats = await queryStats({ body: newQuery(source.sourceId) });
console.log(
  JSON.stringify([sent.data?.results[0]?.status, debug.data?.eventAttempts[0]?.outcome, stats.data?.metrics]),
);
