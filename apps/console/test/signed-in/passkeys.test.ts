/** Passkeys in the console, with Chromium's virtual authenticator. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { CDPSession, Page } from "playwright-core";
import { newVisitor, skip } from "../../../../packages/sdk/test/chromium.ts";
import { openWorld, type World } from "../../../server/test/support/world.ts";
import { buildConsole } from "../../build.js";
import { seriousFindings } from "../accessibility.ts";

const SHOTS = process.env.CONSOLE_SHOTS;
/** Writes a screenshot at each width, in both colours. */
async function shoot(page: Page, name: string): Promise<void> {
  if (SHOTS === undefined) return;
  mkdirSync(SHOTS, { recursive: true });
  for (const width of [1440, 1024, 390, 320])
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(SHOTS, `${name}-${width}-${colorScheme}.png`), fullPage: true });
    }
  await page.setViewportSize({ width: 1280, height: 720 });
}

interface PasskeyDevice {
  readonly page: Page;
  readonly cdp: CDPSession;
  readonly authenticatorId: string;
}

/** A browser of a device that recognizes its user. */
async function openDevice(t: TestContext): Promise<PasskeyDevice> {
  const context = await newVisitor();
  t.after(() => context.close());
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { page, cdp, authenticatorId };
}

/** A passkey belongs to a host name, so the service has one. */
async function openService(t: TestContext): Promise<World> {
  const consoleFolder = await buildConsole();
  assert.ok(consoleFolder, "build the console first");
  const world = await openWorld({ HOST: "localhost" }, { consoleFolder });
  t.after(() => world[Symbol.asyncDispose]());
  return world;
}

const home = (page: Page) => page.getByRole("heading", { name: "See who visits your site" }).waitFor();
const passkeySignIn = (page: Page) => page.getByRole("button", { name: "Sign in with a passkey" });
const tokenForm = (page: Page) => page.getByText("Use an access token").waitFor();
const signOut = async (page: Page) => {
  await page.getByRole("button", { name: "Sign out" }).click();
  await tokenForm(page);
};

async function addPasskey(page: Page, name: string): Promise<void> {
  await page.getByLabel("Passkey name").fill(name);
  await page.getByRole("button", { name: "Add a passkey" }).click();
}

const passkeyTest = (title: string, run: (t: TestContext) => Promise<void>) =>
  void test(title, { skip, timeout: 300_000 }, run);

passkeyTest(
  "A person adds a passkey on the profile page, signs in with it alone, and removes it.",
  async (t) => {
    const world = await openService(t);
    const { page } = await openDevice(t);
    await page.goto(`${world.url}/sign-in#code=${world.signInCode}`);
    await page.getByRole("button", { name: /^Continue as/ }).click();
    await home(page);
    await page.goto(`${world.url}/profile`);
    const section = page.getByRole("region", { name: "Passkeys", exact: true });
    await section.getByLabel("Passkey name").waitFor();
    await shoot(page, "passkeys-none");
    await addPasskey(page, "Work laptop");
    const remove = section.getByRole("button", { name: "Remove Work laptop" });
    await remove.waitFor();
    await addPasskey(page, "The same laptop");
    await page.getByText("This device already has your passkey").waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    await shoot(page, "passkeys-one");

    await page.reload();
    await signOut(page);
    await passkeySignIn(page).waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    await shoot(page, "passkeys-sign-in");
    await passkeySignIn(page).click();
    await home(page);
    await page.goto(`${world.url}/profile`);
    await section.getByRole("cell", { name: "just now" }).nth(1).waitFor();

    await remove.click();
    await page.getByRole("button", { name: "Remove passkey" }).click();
    await remove.waitFor({ state: "detached" });
    await signOut(page);
    assert.equal(await passkeySignIn(page).count(), 0, "nobody has one");
  },
);

passkeyTest("A sign-in with a passkey that fails says why, and what to do.", async (t) => {
  const world = await openService(t);
  const { page, cdp, authenticatorId } = await openDevice(t);
  await page.goto(`${world.url}/sign-in`);
  await tokenForm(page);
  assert.equal(await passkeySignIn(page).count(), 0, "nobody has a passkey");
  const token = await world.ownerSession();
  await page.evaluate((value) => sessionStorage.setItem("headwater.token", value), token);
  await page.goto(`${world.url}/profile`);
  await addPasskey(page, "Work laptop");
  await page.getByRole("button", { name: "Remove Work laptop" }).waitFor();
  await page.evaluate(() => sessionStorage.clear());

  await page.goto(`${world.url.replace("localhost", "stats.localhost")}/sign-in`);
  await passkeySignIn(page).click();
  await page.getByText("This service’s passkeys work only at localhost").waitFor();

  await page.goto(`${world.url}/sign-in`);
  await cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
  await passkeySignIn(page).click();
  await page.getByText("The browser did not provide a passkey").waitFor();
  await cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: true });

  const [{ passkeyId }] = (await world.ask("/api/passkeys", { token })).body.passkeys;
  const other = await openDevice(t);
  await other.page.goto(`${world.url}/sign-in`);
  await other.page.evaluate((value) => sessionStorage.setItem("headwater.token", value), token);
  await other.page.goto(`${world.url}/profile`);
  await world.ask(`/api/passkeys/${passkeyId}`, { method: "DELETE", token });
  await addPasskey(other.page, "Phone");
  await other.page.getByRole("button", { name: "Remove Phone" }).waitFor();
  await passkeySignIn(page).click();
  await page.getByText("It may have been removed").waitFor();
  await shoot(page, "passkeys-refused");
});
