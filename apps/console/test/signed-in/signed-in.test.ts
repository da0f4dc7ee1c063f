/** Signed in stays signed in, in every tab and after a restart of the browser, until somebody signs out. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { BrowserContext, Page } from "playwright-core";
import { skip as noChromium, openProfile } from "../../../../packages/sdk/test/chromium.ts";
import { skip as noFirefox } from "../../../../packages/sdk/test/firefox.ts";
import { PATIENCE_MS, until } from "../../../server/test/support/until.ts";
import { openWorld, type World } from "../../../server/test/support/world.ts";
import { buildConsole } from "../../build.js";
import { launchFirefox } from "../firefox/launch.ts";

const COOKIE = "headwater-sign-in";
const REFRESH = "/api/sign-in/remember/refresh";

async function openService(t: TestContext): Promise<World> {
  const consoleFolder = await buildConsole();
  assert.ok(consoleFolder, "build the console first");
  const world = await openWorld({}, { consoleFolder });
  t.after(() => world[Symbol.asyncDispose]());
  return world;
}

/** A page of another origin of the same site, so that the browser adds the cookie to what it sends. */
async function openNeighbour(t: TestContext): Promise<string> {
  const server = createServer((_, response) => {
    response.setHeader("Content-Type", "text/html");
    response.end("<title>Neighbour</title>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true });
/** What the tab keeps: the id of the sign-in and the short-lived token. */
const stored = (page: Page) =>
  page.evaluate(() => ({
    token: sessionStorage.getItem("headwater.token"),
    refreshed: sessionStorage.getItem("headwater.refreshed")?.split(" ")[2] ?? "",
    rememberedId: localStorage.getItem("headwater.remembered")?.split(" ")[0] ?? "",
    cookies: document.cookie,
  }));

/** @returns the statuses of requests without a token, of a page of the service itself */
const askWithCookieOnly = (page: Page, paths: readonly string[]) =>
  page.evaluate(
    (asked) => Promise.all(asked.map(async (path) => (await fetch(path, { credentials: "include" })).status)),
    paths,
  );

/** How often the service has answered requests for a short-lived token, by status. */
async function refreshesOf({ url }: World): Promise<Map<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const lines = text.matchAll(
    /^headwater_http_requests_total\{.*operation="refreshToken".*status="(\d+)".*\} (\d+)$/gm,
  );
  return new Map([...lines].map(([, status = "", count]) => [status, Number(count)]));
}

/** Sends renewals from a page of another origin, as a page can. @returns how each ends for the page */
const forge = (page: Page, { url }: World, rememberedId: string) =>
  page.evaluate(
    async ([address, id]) => {
      const send = (type: string, mode: RequestMode) =>
        fetch(address!, {
          method: "POST",
          mode,
          credentials: "include",
          headers: { "Content-Type": type },
          body: JSON.stringify({ rememberedId: id }),
        }).then(
          (answer) => answer.type,
          () => "blocked",
        );
      return [
        await send("application/json", "cors"),
        await send("text/plain", "cors"),
        await send("text/plain", "no-cors"),
      ];
    },
    [url + REFRESH, rememberedId],
  );

/** A browser that keeps what it has stored. */
interface KeptBrowser {
  /** Starts the browser, or ends it and starts it again. */
  start(): Promise<BrowserContext>;
  /** Whether it tells of tabs that a click has opened. */
  readonly tellsOfTabs: boolean;
}

function keptChromium(t: TestContext): KeptBrowser {
  const folder = mkdtempSync(join(tmpdir(), "headwater-profile-"));
  let context: BrowserContext | undefined;
  t.after(async () => {
    await context?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    tellsOfTabs: true,
    async start() {
      await context?.close();
      context = await openProfile(folder);
      return context;
    },
  };
}

/** Playwright cannot start Firefox on a profile, so a context without tabs gets the cookies that last and the storage. */
async function keptFirefox(t: TestContext): Promise<KeptBrowser> {
  const browser = await launchFirefox();
  t.after(() => browser.close());
  let context: BrowserContext | undefined;
  return {
    tellsOfTabs: false,
    async start() {
      const storageState = await context?.storageState();
      await context?.close();
      const cookies = storageState?.cookies ?? [];
      assert.ok(
        cookies.every(({ expires }) => expires > 0),
        "kept over a restart",
      );
      context = await browser.newContext(storageState ? { storageState } : {});
      return context;
    },
  };
}

async function openTab(context: BrowserContext): Promise<Page> {
  context.setDefaultTimeout(PATIENCE_MS);
  return context.newPage();
}

async function staysSignedIn(t: TestContext, { start, tellsOfTabs }: KeptBrowser): Promise<void> {
  const world = await openService(t);
  const neighbour = await openNeighbour(t);
  let context = await start();

  const first = await openTab(context);
  await first.goto(world.server.firstStart!.signInUrl);
  await first.getByRole("button", { name: "Continue as this account" }).click();
  await heading(first, "See who visits your site").waitFor();
  const kept = await stored(first);
  assert.deepEqual(
    [kept.token, kept.cookies],
    [null, ""],
    "no lasting token, and no cookie that a script reads",
  );

  const second = tellsOfTabs
    ? (
        await Promise.all([
          context.waitForEvent("page"),
          first.getByRole("link", { name: "Team" }).click({ modifiers: ["ControlOrMeta"] }),
        ])
      )[0]
    : await openTab(context);
  if (!tellsOfTabs) await second.goto(`${world.url}/team`);
  await heading(second, "Team").waitFor();
  assert.equal((await stored(second)).rememberedId, kept.rememberedId);

  const paths = ["/api/profile", "/api/organizations", "/api/tracking-sources?organizationId=org_default"];
  assert.deepEqual(await askWithCookieOnly(second, paths), [401, 401, 401]);
  const before = await refreshesOf(world);
  const evil = await openTab(context);
  await evil.goto(neighbour);
  assert.deepEqual(await forge(evil, world, kept.rememberedId), ["blocked", "blocked", "opaque"]);
  const after = await refreshesOf(world);
  assert.equal(after.get("200"), before.get("200"), "no token was renewed");
  assert.equal(after.get("415"), 2, "what needs no permission of the service arrives, and is refused");

  context = await start();
  const [again, other] = [await openTab(context), await openTab(context)];
  for (const page of [again, other]) {
    await page.goto(`${world.url}/team`);
    await heading(page, "Team").waitFor();
  }
  const { refreshed } = await stored(again);
  assert.equal((await world.ask("/api/profile", { token: refreshed })).status, 200);

  await again.getByRole("button", { name: "Sign out" }).click();
  await heading(again, "Sign in").waitFor();
  await other.getByText("You signed out in another tab.").waitFor();
  assert.deepEqual(await stored(other), { token: null, refreshed: "", rememberedId: "", cookies: "" });
  await until("the token ends", async () => {
    const { status } = await world.ask("/api/profile", { token: refreshed });
    return status === 401;
  });
  assert.deepEqual(
    (await context.cookies()).filter(({ name }) => name.startsWith(COOKIE)),
    [],
  );
  await other.goto(`${world.url}/team`);
  await heading(other, "Sign in").waitFor();
}

const TIMEOUT_MS = 300_000;

test(
  "In Chromium a sign-in is kept in new tabs and over a restart; its cookie opens nothing; signing out ends it in all tabs.",
  {
    skip: noChromium,
    timeout: TIMEOUT_MS,
  },
  (t) => staysSignedIn(t, keptChromium(t)),
);

test(
  "In Firefox a sign-in is kept in new tabs and over a restart; its cookie opens nothing; signing out ends it in all tabs.",
  {
    skip: noFirefox,
    timeout: TIMEOUT_MS,
  },
  async (t) => staysSignedIn(t, await keptFirefox(t)),
);
