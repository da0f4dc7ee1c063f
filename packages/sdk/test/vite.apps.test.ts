/** A new Vite app with React under StrictMode and the documented code, against the real server. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openWorld, type World } from "../../../apps/server/test/support/world.ts";
import { skip } from "./chromium.ts";
import { type App, isLong, openWorkshop, paste, type Workshop } from "./fresh-app.ts";
import { type AppSource, createShop, visitShop } from "./shop-visit.ts";

let world: World;
let workshop: Workshop;
before(async () => {
  if (!skip) [world, workshop] = await Promise.all([openWorld(), openWorkshop("vite")]);
});
after(() => Promise.all([world?.close(), workshop?.[Symbol.asyncDispose]()]));

/** The install payload of the source. */
async function installOf(source: AppSource): Promise<Record<"browserSnippet" | "reactExample", string>> {
  return (await world.ask(`/api/tracking-sources/${source.sourceId}/install`)).body;
}

interface AppWay {
  title: string;
  overlay: string;
  /** How it always runs; in the other mode it runs with `npm run test:long` only. */
  mode: "development" | "production";
  install(app: App, source: AppSource): Promise<void>;
}

const ways: AppWay[] = [
  {
    title: "the browser snippet in index.html",
    overlay: "snippet",
    mode: "production",
    async install(app, source) {
      const { browserSnippet } = await installOf(source);
      await paste(app, "index.html", (html) => html.replace("</head>", () => `${browserSnippet}</head>`));
    },
  },
  {
    title: "the React example",
    overlay: "example",
    mode: "development",
    async install(app, source) {
      const { reactExample } = await installOf(source);
      await paste(app, "src/headwater.tsx", () => reactExample);
    },
  },
  {
    title: "the package's door to React",
    overlay: "package",
    mode: "production",
    install: async () => {},
  },
];

for (const { title, overlay, mode, install } of ways) {
  const create = async (source: AppSource): Promise<App> => {
    const settings = { VITE_HEADWATER_KEY: source.publicKey, VITE_HEADWATER_URL: world.url };
    const app = await workshop.create(overlay, settings);
    await install(app, source);
    return app;
  };

  const testIn = (where: AppWay["mode"], name: string, run: () => Promise<void>) => {
    if (isLong || where === mode) test(name, { skip }, run);
  };

  testIn(
    "development",
    `In development ${title} counts one view on load and one for each navigation.`,
    async () => {
      const source = await createShop(world);
      const app = await create(source);
      assert.equal(await app.run("tsc", "--strict", "-p", "."), "");
      await using site = await app.serve("vite", "--host", "127.0.0.1", "--port", "0");
      await visitShop(site.url, world, source);
    },
  );

  testIn(
    "production",
    `Built for production ${title} counts one view on load and one for each navigation.`,
    async () => {
      const source = await createShop(world);
      const app = await create(source);
      assert.equal(await app.run("tsc", "--strict", "-p", "."), "");
      await app.run("vite", "build");
      await using site = await app.serve("vite", "preview", "--host", "127.0.0.1", "--port", "0");
      await visitShop(site.url, world, source);
    },
  );
}
