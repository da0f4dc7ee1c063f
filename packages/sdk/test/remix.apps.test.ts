/** A new Remix 2 app, and one with React Router in framework mode, with the documented code, against the real server. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openWorld, type World } from "../../../apps/server/test/support/world.ts";
import { skip } from "./chromium.ts";
import { isLong, openWorkshop, paste, type Workshop } from "./fresh-app.ts";
import { createShop, visitShop } from "./shop-visit.ts";

const COMMANDS = {
  remix: { build: ["remix", "vite:build"], serve: "remix-serve" },
  "react-router": { build: ["react-router", "build"], serve: "react-router-serve" },
} as const;
type Fixture = keyof typeof COMMANDS;

let world: World;
const workshops = new Map<Fixture, Workshop>();
before(async () => {
  if (skip) return;
  world = await openWorld();
  for (const fixture of ["remix", "react-router"] as const)
    workshops.set(fixture, await openWorkshop(fixture));
});
after(async () => {
  await world?.close();
  for (const workshop of workshops.values()) await workshop[Symbol.asyncDispose]();
});

const counts = "counts one view on load and one for each navigation";
const visit = (fixture: Fixture, overlay: "example" | "package") => async () => {
  const source = await createShop(world);
  const settings = {
    HOST: "127.0.0.1",
    VITE_HEADWATER_KEY: source.publicKey,
    VITE_HEADWATER_URL: world.url,
  };
  const app = await workshops.get(fixture)?.create(overlay, settings);
  assert.ok(app);
  const { body } = await world.ask(`/api/tracking-sources/${source.sourceId}/install`);
  if (overlay === "example") await paste(app, "app/headwater.tsx", () => body.snippets.remix);
  assert.equal(await app.run("tsc", "-p", "."), "");
  const { build, serve } = COMMANDS[fixture];
  const [program, ...words] = build;
  await app.run(program, ...words);
  await using site = await app.serve(serve, "build/server/index.js");
  await visitShop(site.url, world, source);
};

test(`Built for production the Remix example ${counts} in Remix 2.`, { skip }, visit("remix", "example"));
test(
  `Built for production the Remix example ${counts} in React Router.`,
  { skip },
  visit("react-router", "example"),
);
if (isLong)
  test(
    `Built for production the package's entry point for React ${counts} in React Router.`,
    { skip },
    visit("react-router", "package"),
  );
