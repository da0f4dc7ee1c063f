/** A new Angular app with the router and the documented code, against the real server. */
import { after, before, test } from "node:test";
import { openWorld, type World } from "../../../apps/server/test/support/world.ts";
import { skip } from "./chromium.ts";
import { isLong, openWorkshop, paste, type Workshop } from "./fresh-app.ts";
import { type AppSource, createShop, visitShop } from "./shop-visit.ts";

let world: World;
let workshop: Workshop;
before(async () => {
  if (!skip) [world, workshop] = await Promise.all([openWorld(), openWorkshop("angular")]);
});
after(() => Promise.all([world?.close(), workshop?.[Symbol.asyncDispose]()]));

async function exampleOf({ sourceId }: AppSource): Promise<string> {
  return (await world.ask(`/api/tracking-sources/${sourceId}/install`)).body.snippets.angular;
}

const packageModule = async ({ publicKey }: AppSource) => `import { createClient } from "@headwater/sdk";
export const analytics = createClient({ publicKey: "${publicKey}", apiBaseUrl: "${world.url}" });
`;

const ways = [
  { title: "the Angular example", overlay: "example", moduleText: exampleOf },
  { title: "a module with the package's client", overlay: "package", moduleText: packageModule },
];
for (const { title, overlay, moduleText } of isLong ? ways : ways.slice(0, 1))
  test(`Built for production ${title} counts one view on load and one for each navigation.`, {
    skip,
  }, async () => {
    const source = await createShop(world);
    const app = await workshop.create(overlay);
    const text = await moduleText(source);
    await paste(app, "src/headwater.ts", () => text);
    const listening = ["--host", "127.0.0.1", "--port", "0", "--no-live-reload"];
    await using site = await app.serve("ng", "serve", "--configuration", "production", ...listening);
    await visitShop(site.url, world, source);
  });
