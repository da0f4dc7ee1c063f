/** `npm run dev`: the test world to play with, on a throw-away ledger, with a source and a command to try. */
import { once } from "node:events";
import { buildConsole } from "../console/build.js";
import { ORIGIN, OWNER_TOKEN, openWorld } from "./test/support/world.ts";

const settings = { PORT: process.env.PORT ?? "8790", LOG_LEVEL: "info" };
await using world = await openWorld(settings, { consoleFolder: await buildConsole(console.error) });
const { sourceId, publicKey } = await world.createSource({ allowedOrigins: [ORIGIN, "http://localhost:*"] });

console.error(`
Headwater on a throw-away ledger; its console: ${world.url}
token      ${OWNER_TOKEN}
source     ${sourceId}
public key ${publicKey}

curl -s ${world.url}/api/ingest/v2/${publicKey}/bootstrap -H "Origin: ${ORIGIN}" \\
  -d '{"ingestVersion":2,"sdkVersion":"dev","anonymousId":"me","page":{"url":"${ORIGIN}/"}}'
curl -s ${world.url}/api/tracking-sources/${sourceId}/debug -H "Authorization: Bearer ${OWNER_TOKEN}"
`);

await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
