/** Invitations, sign-in with a real provider and by a real mail, and sessions, in the console. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { newVisitor, skip } from "../../../packages/sdk/test/chromium.ts";
import { startMailServer } from "../../server/test/support/mail-server.ts";
import { startOidcProvider } from "../../server/test/support/oidc-provider.ts";
import {
  eventsBody,
  eventsPath,
  ORGANIZATION_ID,
  openWorld,
  trackEvent,
  type World,
} from "../../server/test/support/world.ts";
import { buildConsole } from "../build.js";
import { seriousFindings } from "./accessibility.ts";
import { consoleTest, workspaceMenu } from "./console-world.ts";

const SHOTS = process.env.CONSOLE_SHOTS;
async function shoot(page: Page, name: string): Promise<void> {
  if (SHOTS === undefined) return;
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true });
}

/** A free port: the provider must know the address of the service before that starts. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function openConsole(t: TestContext, settings: Record<string, string>): Promise<World> {
  const consoleFolder = await buildConsole();
  assert.ok(consoleFolder, "build the console first");
  const world = await openWorld(settings, { consoleFolder });
  t.after(() => world[Symbol.asyncDispose]());
  return world;
}

/** A new browser without any data. */
async function newPage(t: TestContext): Promise<Page> {
  const context = await newVisitor();
  t.after(() => context.close());
  return context.newPage();
}

async function openAs(page: Page, url: string, token: string): Promise<void> {
  await page.goto(new URL("/sign-in", url).href);
  await page.evaluate((value) => sessionStorage.setItem("headwater.token", value), token);
  await page.goto(url);
}

const membersOf = async (world: World) => {
  const { body } = await world.ask(`/api/members?organizationId=${ORGANIZATION_ID}`);
  return body.members as { name: string | null; email: string | null; role: string }[];
};

const TIMEOUT_MS = 300_000;
const accountTest = (title: string, run: (t: TestContext) => Promise<void>) =>
  void test(title, { skip, timeout: TIMEOUT_MS }, run);

accountTest(
  "An invitation arrives by mail and is accepted; later the same person signs in by a link that arrives by mail.",
  async (t) => {
    await using mails = await startMailServer();
    const world = await openConsole(t, { SMTP_URL: mails.url, MAIL_FROM: "Headwater <hw@example.com>" });
    const admin = await newPage(t);
    await openAs(admin, `${world.url}/team`, await world.ownerSession());
    await admin.getByRole("button", { name: "Add member" }).click();
    await admin.getByLabel("Email address").fill("grace@shop.example");
    await admin.getByLabel("Role of the invited person").selectOption("developer");
    await admin.getByRole("button", { name: "Send invitation" }).click();
    await admin.getByText("Invitation sent").waitFor();
    await admin.getByRole("region", { name: "Members" }).getByText("grace@shop.example").waitFor();
    await shoot(admin, "team-invitation-sent");

    const invitation = await mails.next();
    const link = /http:\S+\/invitation#code=\S+/.exec(invitation.text)?.[0] ?? assert.fail(invitation.text);
    const guest = await newPage(t);
    await guest.goto(link);
    await guest.getByText("invites you to the workspace").waitFor();
    assert.equal(new URL(guest.url()).hash, "", "the code does not stay in the address");
    await shoot(guest, "invitation");
    await guest.getByText("The new account will sign in with grace@shop.example").waitFor();
    await guest.getByLabel("Your name").fill("Grace");
    await guest.getByRole("button", { name: "Accept with a new account" }).click();
    await guest.getByRole("heading", { name: "See who visits your site" }).waitFor();
    const member = (await membersOf(world)).find(({ name }) => name === "Grace");
    assert.deepEqual([member?.email, member?.role], ["grace@shop.example", "developer"]);

    const asking = await newPage(t);
    await asking.goto(`${world.url}/sign-in`);
    await asking.getByLabel("Email").fill("grace@shop.example");
    assert.deepEqual(await asking.locator(".button-filled:visible").allTextContents(), ["Email me a link"]);
    await shoot(asking, "sign-in-mail");
    await asking.getByRole("button", { name: "Email me a link" }).click();
    await asking.getByText("Check your email").waitFor();
    const mail = await mails.next();
    const signIn = /http:\S+\/sign-in#code=\S+/.exec(mail.text)?.[0] ?? assert.fail(mail.text);
    const later = await newPage(t);
    await later.goto(signIn);
    await later.getByText("grace@shop.example").waitFor();
    await later.getByText("Developer of My workspace").waitFor();
    assert.equal(new URL(later.url()).hash, "", "the code does not stay in the address");
    assert.equal(
      await later.evaluate(() => sessionStorage.getItem("headwater.token")),
      null,
      "not signed in yet",
    );
    assert.deepEqual(await seriousFindings(later), []);
    await shoot(later, "sign-in-confirm");
    await later.getByRole("button", { name: "Continue as Grace" }).click();
    await later.getByRole("heading", { name: "See who visits your site" }).waitFor();

    await later.getByRole("link", { name: "Profile" }).click();
    const sessions = later.getByRole("region", { name: "Sessions" }).first();
    await sessions.getByText("This browser").waitFor();
    const end = sessions.getByRole("button", { name: "End", exact: true });
    assert.equal(await end.count(), 2);
    await shoot(later, "profile-sessions");
    await end.last().click();
    await later.getByRole("button", { name: "End session" }).click();
    await end.nth(1).waitFor({ state: "detached" });
    // its next request, within seconds, tells the open page; a reload could come between that answer and the sign-in page
    await guest.getByText("You have been signed out").waitFor();
  },
);

accountTest("A person signs in with a real OpenID Connect provider, after accepting a link.", async (t) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  await using provider = await startOidcProvider([`${url}/api/sign-in/oidc/callback`]);
  provider.user = { sub: "grace-1", email: "grace@shop.example", email_verified: true, name: "Grace" };
  const world = await openConsole(t, { ...provider.settings, PORT: String(port) });
  const stranger = await newPage(t);
  await stranger.goto(`${url}/sign-in`);
  await shoot(stranger, "sign-in-oidc");
  await stranger.getByRole("link", { name: "Continue with Example SSO" }).click();
  await stranger.getByText("Ask an admin of the workspace for an invitation").waitFor();

  const body = { organizationId: ORGANIZATION_ID, role: "admin" };
  const token = await world.ownerSession();
  const made = await world.ask("/api/invitations", { method: "POST", token, body });
  const page = await newPage(t);
  await page.goto(made.body.url);
  await page.getByRole("link", { name: "Continue with Example SSO" }).click();
  await page.getByText("invites you to the workspace").waitFor();
  await page.getByText("grace@shop.example").waitFor();
  assert.equal((await membersOf(world)).length, 1, "nobody has joined yet");
  await shoot(page, "sign-in-join");
  await page.getByRole("button", { name: "Join as Grace" }).click();
  await page.getByRole("heading", { name: "See who visits your site" }).waitFor();
  const member = (await membersOf(world)).find(({ name }) => name === "Grace");
  assert.deepEqual([member?.email, member?.role], ["grace@shop.example", "admin"]);

  const later = await newPage(t);
  await later.goto(`${url}/usage`);
  await later.getByRole("link", { name: "Continue with Example SSO" }).click();
  await later.getByRole("button", { name: "Continue as Grace" }).click();
  await later.getByRole("heading", { name: "Usage", exact: true }).waitFor();
  assert.equal(new URL(later.url()).pathname, "/usage", "the page that was asked for");
});

consoleTest(
  "Without mail and provider, an invitation is a link, and its account keeps an access token. A link without its code says so.",
  async ({ world, page, open }) => {
    await open("/team");
    await page.getByRole("button", { name: "Add member" }).click();
    await page.getByRole("button", { name: "Create link" }).click();
    await page.getByRole("button", { name: "Copy link" }).click();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    await page.evaluate(() => sessionStorage.clear());
    await page.goto(link);
    await page.getByLabel("Your name").fill("Grace");
    assert.deepEqual(await seriousFindings(page), []);
    await page.getByRole("button", { name: "Accept with a new account" }).click();
    await page.getByText("You are now a member").waitFor();
    await page.getByRole("button", { name: "Copy token" }).click();
    const token = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal((await world.ask("/api/profile", { token })).body.name, "Grace");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("link", { name: "Profile: Grace Viewer" }).waitFor();

    await page.goto(new URL("/invitation", link).href);
    await page.getByText("Incomplete link").waitFor();
  },
);

consoleTest(
  "A pasted access token is not a person: the profile page says so, and no workspace can be created.",
  async ({ world, page, open, shoot }) => {
    await open("/profile", world.ownerToken);
    await page.getByRole("heading", { name: "You are signed in with an access token" }).waitFor();
    await page.getByRole("link", { name: "Access token Owner" }).waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    await shoot("profile-of-token");
    await workspaceMenu(page).click();
    await page.getByText("Workspaces", { exact: true }).waitFor();
    assert.equal(await page.getByRole("link", { name: "Create workspace" }).count(), 0);
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Sign in as yourself" }).click();
    await page.getByText("Use an access token").waitFor();
  },
);

consoleTest(
  "A name, a theme and a number format are saved in the profile, and lists show the name.",
  async ({ world, page, open }) => {
    const source = await world.createSource();
    await world.send(eventsPath(source), eventsBody(await world.openSession(source), [trackEvent()]));
    await open("/profile");
    await page.getByLabel("Name", { exact: true }).fill("Ada Lovelace");
    await page.getByRole("combobox", { name: "Theme" }).selectOption("Dark");
    await page.getByLabel("Number format").selectOption("1.234,5");
    const save = page.getByRole("button", { name: "Save preferences" });
    await save.click();
    await page.getByText("Saved").waitFor();
    assert.equal(await save.getAttribute("aria-disabled"), "true", "nothing is left to save");
    await page.locator("html[data-color-scheme=dark]").waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    await page.getByRole("link", { name: "Usage" }).click();
    await page.getByText("1 of 1.000").waitFor();
    await page.getByRole("link", { name: "Tokens" }).click();
    await page.getByRole("cell", { name: "Ada Lovelace" }).first().waitFor();
    const { body } = await world.ask("/api/profile", { token: await world.ownerSession() });
    assert.deepEqual([body.name, body.theme, body.numberFormat], ["Ada Lovelace", "dark", "1.234,5"]);
  },
);

consoleTest(
  "The audit log and the metered usage are saved as CSV, with names.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource({ name: "Shop" });
    const sessionId = await world.openSession(source);
    await world.send(eventsPath(source), eventsBody(sessionId, [trackEvent()]));
    const download = async () => {
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Download CSV" }).click(),
      ]);
      return readFile(await file.path(), "utf8");
    };
    await open("/audit");
    await page.getByText("Source created: Shop").waitFor();
    await page.getByLabel("Action", { exact: true }).selectOption("Sources");
    await page.getByText("Token created").first().waitFor({ state: "detached" });
    await shoot("audit-filtered");
    await page.setViewportSize({ width: 390, height: 844 });
    const [kind, member] = await Promise.all(
      ["Action", "Member"].map((name) => page.getByLabel(name, { exact: true }).boundingBox()),
    );
    assert.equal(kind!.y, member!.y, "the filters stand side by side on a phone");
    assert.ok(
      (await page.getByRole("main").getByRole("heading", { level: 2 }).first().boundingBox())!.y < 260,
      "the list begins above",
    );
    const audit = await download();
    assert.match(audit, /,source\.created,Shop,src_/);
    assert.doesNotMatch(audit, /token\.created/);
    await open("/usage");
    assert.match(await download(), /,src_\w+,Shop,1,1,\d+/);
  },
);
