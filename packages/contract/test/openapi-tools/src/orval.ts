import { bootstrap, createSource, events, getDebug, queryStats } from "./generated/orval.ts";
import { API_URL, newEvents, newQuery, newSession, newSource, ORIGIN, TOKEN } from "./job.ts";

// the generated functions request relative addresses
const { fetch } = globalThis;
globalThis.fetch = (input, init) => fetch(new URL(String(input), API_URL), init);

const asUser = { headers: { Authorization: `Bearer ${TOKEN}` } };
const asPage = { headers: { Origin: ORIGIN } };
const source = await createSource(newSource("orval"), asUser);
if (source.status !== 201) throw new Error(source.data.code);
const { publicKey, sourceId } = source.data;
const session = await bootstrap(publicKey, newSession(), asPage);
if (session.status !== 200) throw new Error(session.data.hint);
const sent = await events(publicKey, newEvents(session.data.sessionId), asPage);
const debug = await getDebug(sourceId, { kind: "events" }, asUser);
const stats = await queryStats(newQuery(sourceId), asUser);
console.log(
  JSON.stringify([
    sent.status === 200 && sent.data.results[0]?.status,
    debug.status === 200 && debug.data.eventAttempts[0]?.outcome,
    stats.status === 200 && stats.data.metrics,
  ]),
);
