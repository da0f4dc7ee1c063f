/** The console in Firefox: sign-in link, first event, stats, shared links, embeds, reports and invitations. */
import assert from "node:assert/strict";
import { after, type TestContext, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { skip } from "../../../../packages/sdk/test/firefox.ts";
import { startSite } from "../../../../packages/sdk/test/server.ts";
import { isInstalled } from "../../../server/src/clickhouse/embedded/start.ts";
import { freePort } from "../../../server/src/http/listening.ts";
import { startMailServer } from "../../../server/test/support/mail-server.ts";
import { startOidcProvider } from "../../../server/test/support/oidc-provider.ts";
import { ORGANIZATION_ID, openWorld, type World } from "../../../server/test/support/world.ts";
import { buildConsole } from "../../build.js";
import { openFramingSite } from "../sharing/framing-site.ts";
import { lastDays, shopVisits, visits } from "../visits.ts";
import { launchFirefox } from "./launch.ts";

const isLeftOut = skip || (!isInstalled() && "left out: the optional package chdb is not installed");
const TIMEOUT_MS = 300_000;
/** NS_BINDING_ABORTED: Firefox reports the font of a page that is left before it has arrived. */
const DOWNLOAD_ABORTED = "status=2152398850";
/** Firefox asks every page for an icon. Pages that mails link to load nothing. */
const REFUSED_ICON = "/favicon.ico";
/** Firefox reports a frame that it refuses to show. */
const REFUSED_FRAME = "frame-ancestors";
let launched: Promise<Browser> | undefined;
after(async () => (await launched)?.close());

interface FirefoxWorld {
  readonly t: TestContext;
  readonly world: World;
  /** A tab of a new visitor. It must not throw. */
  newPage(): Promise<Page>;
  /** Opens a page of the console as the owner. */
  open(page: Page, address: string): Promise<void>;
}

const firefoxTest = (
  title: string,
  settings: (t: TestContext) => Promise<Record<string, string>>,
  run: (firefox: FirefoxWorld) => Promise<void>,
) =>
  void test(title, { skip: isLeftOut, timeout: TIMEOUT_MS }, async (t) => {
    const consoleFolder = await buildConsole();
    assert.ok(consoleFolder, "build the console first");
    await using world = await openWorld({ WAREHOUSE: "embedded", ...(await settings(t)) }, { consoleFolder });
    const thrown: string[] = [];
    const newPage = async () => {
      launched ??= launchFirefox();
      const context = await (await launched).newContext();
      context.setDefaultTimeout(TIMEOUT_MS);
      t.after(() => context.close());
      const page = await context.newPage();
      page.on("pageerror", ({ message }) => {
        if (![DOWNLOAD_ABORTED, REFUSED_ICON, REFUSED_FRAME].some((text) => message.includes(text)))
          thrown.push(message);
      });
      return page;
    };
    const open = async (page: Page, address: string) => {
      // a document without a script, which could navigate at the same time
      await page.goto(`${world.url}/healthz`);
      const session = await world.ownerSession();
      await page.evaluate((token) => sessionStorage.setItem("headwater.token", token), session);
      await page.goto(world.url + address);
    };
    await run({ t, world, newPage, open });
    assert.deepEqual(thrown, []);
  });

const NO_SETTINGS = async () => ({});
const metric = (page: Page, text: RegExp) =>
  page.getByRole("region", { name: "Key metrics" }).getByRole("button").filter({ hasText: text });

firefoxTest(
  "In Firefox: from the sign-in link to the first page view, a refusal with its fix, and the stats.",
  NO_SETTINGS,
  async ({ t, world, newPage }) => {
    const [shop, other] = await Promise.all([startSite(), startSite()]);
    t.after(() => [shop, other].forEach((site) => void site.close()));
    const page = await newPage();
    await page.goto(world.server.firstStart!.signInUrl);
    await page.getByRole("button", { name: "Continue as this account" }).click();
    await page.getByRole("link", { name: "Create source" }).click();
    await page.getByLabel("Name").pressSequentially("Shop");
    await page.getByLabel("Website address").pressSequentially(shop.url);
    await page.getByRole("button", { name: "Create source" }).click();
    await page.getByText("Waiting for the first event").waitFor();
    await page.getByRole("button", { name: "Copy snippet" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const snippet = await page.evaluate(() => navigator.clipboard.readText());
    for (const site of [shop, other]) site.showHead(snippet);
    const visit = await newPage();
    await visit.goto(shop.url);
    await page.getByText("Receiving events").waitFor();

    await page.getByRole("link", { name: "Open in Debug" }).click();
    await page.getByRole("button", { name: "Close" }).click();
    await visit.goto(other.url);
    await page.getByRole("option").filter({ hasText: "Origin not allowed" }).first().click();
    const details = page.getByRole("region", { name: "Request", exact: true });
    await details.getByRole("button", { name: `Allow ${other.url}` }).click();
    await page.getByText("The next request like this will be accepted.").waitFor();
    await visit.goto("about:blank");
    await visit.goto(other.url);
    await page.getByRole("option").filter({ hasText: other.url }).filter({ hasText: "200 OK" }).waitFor();

    await page.getByRole("link", { name: "Stats", exact: true }).click();
    await metric(page, /^Page views[1-9]/).waitFor();
    await page.getByRole("slider", { name: "Visitors by day" }).waitFor();
  },
);

firefoxTest(
  "In Firefox: filter, comparison, goal, segment and funnel, a shared link with a password, and an embed on another origin.",
  NO_SETTINGS,
  async ({ t, world, newPage, open }) => {
    const source = await world.createSource({ name: "Shop" });
    await visits(world, source, shopVisits());
    const page = await newPage();
    await open(page, `/sources/settings?sourceId=${source.sourceId}#goals`);
    const goals = page.getByRole("form", { name: "Goals" });
    await goals.getByRole("button", { name: "Add goal" }).click();
    await goals.getByRole("textbox", { name: "Name", exact: true }).pressSequentially("Signed up");
    await goals.getByLabel("Event name").pressSequentially("signup");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved", { exact: true }).waitFor();

    await page.goto(world.url + lastDays(source));
    await metric(page, /^Visitors2\+100% vs\. 1/).waitFor();
    await page.getByRole("row").filter({ hasText: "Signed up" }).getByText("50.0%").waitFor();
    await page.getByRole("button", { name: "Comparison: Previous period", exact: true }).click();
    await page.getByRole("button", { name: "No comparison" }).click();
    await page.getByText("Compared with").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "/pricing", exact: true }).click();
    await metric(page, /^Page views1/).waitFor();
    await page.getByRole("button", { name: "Save as segment" }).click();
    const dialog = page.getByRole("dialog", { name: "Save these filters as a segment" });
    await dialog.getByLabel("Name").pressSequentially("Interested");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Remove filter Page is /pricing" }).click();
    await metric(page, /^Page views3/).waitFor();
    await page.getByRole("button", { name: "Add filter" }).click();
    await page.getByRole("button", { name: "Interested", exact: true }).click();
    await metric(page, /^Page views1/).waitFor();
    await page.goBack();
    await metric(page, /^Page views3/).waitFor();

    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("button", { name: "Share", exact: true }).click();
    await page.getByLabel("Name").pressSequentially("Board");
    await page.getByLabel("Password (optional)").pressSequentially("correct horse");
    await page.getByRole("button", { name: "Create link" }).click();
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.getByText("Copied").waitFor();
    const guest = await newPage();
    await guest.goto(await page.evaluate(() => navigator.clipboard.readText()));
    await guest.getByLabel("Password", { exact: true }).pressSequentially("correct horse");
    await guest.getByRole("button", { name: "Show stats" }).click();
    await metric(guest, /^Page views3/).waitFor();
    await page.keyboard.press("Escape");

    await page.getByRole("button", { name: "Funnel", exact: true }).click();
    await page.getByLabel("Step 1", { exact: true }).pressSequentially("/");
    await page.getByLabel("Type of step 2").selectOption("goal");
    await page.getByLabel("Step 2", { exact: true }).pressSequentially("Signed up");
    await page.getByRole("button", { name: "Show funnel" }).click();
    await page.getByText("50%completed all steps").waitFor();

    const body = { organizationId: ORGANIZATION_ID, label: "Site", sourceId: source.sourceId };
    const { token } = (await world.ask("/api/tokens", { method: "POST", body })).body;
    const framed = () => `${world.url}/embed?sourceId=${source.sourceId}#token=${token}`;
    const allowed = await openFramingSite(t, framed);
    await open(page, `/sources/settings?sourceId=${source.sourceId}#embedding`);
    const embedding = page.getByRole("form", { name: "Embedding" });
    await embedding.getByRole("textbox").pressSequentially(allowed);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    await guest.goto(allowed);
    const frame = guest.frameLocator("iframe");
    await frame.getByRole("heading", { name: "Shop" }).waitFor();
    await frame.getByRole("region", { name: "Key metrics" }).waitFor();
    const refusal = guest.waitForEvent("pageerror", ({ message }) => message.includes(REFUSED_FRAME));
    await guest.goto(await openFramingSite(t, framed));
    await refusal;
  },
);

let mails: Awaited<ReturnType<typeof startMailServer>>;
let provider: Awaited<ReturnType<typeof startOidcProvider>>;

firefoxTest(
  "In Firefox: a report and an invitation arrive by mail, and the colleague signs in by an OpenID Connect provider.",
  async (t) => {
    mails = await startMailServer();
    t.after(() => mails[Symbol.asyncDispose]());
    const port = await freePort({ host: "127.0.0.1", port: 0 });
    provider = await startOidcProvider([`http://127.0.0.1:${port}/api/sign-in/oidc/callback`]);
    t.after(() => provider[Symbol.asyncDispose]());
    const mail = { SMTP_URL: mails.url, MAIL_FROM: "Headwater <hw@example.com>" };
    return { ...mail, ...provider.settings, PORT: String(port) };
  },
  async ({ world, newPage, open }) => {
    const source = await world.createSource({ name: "Shop" });
    await visits(world, source, shopVisits());
    const page = await newPage();
    await open(page, lastDays(source));
    const dialog = page.getByRole("dialog", { name: "Reports" });
    const showReports = async () => {
      await page.getByRole("button", { name: "More actions" }).click();
      await page.getByRole("button", { name: "Reports", exact: true }).click();
    };
    await showReports();
    await dialog.getByLabel("Email address").pressSequentially("ada@shop.example");
    await dialog.getByRole("button", { name: "Create report" }).click();
    const consent = /http:\S+\/api\/reports\/consent\/\S+/.exec((await mails.next()).text)?.[0] ?? "";
    const reader = await newPage();
    await reader.goto(consent);
    await reader.getByRole("button", { name: "Agree" }).click();
    await reader.getByText("You agreed.").waitFor();
    await page.reload();
    await showReports();
    await dialog.getByRole("button", { name: "Send now: report to ada@shop.example" }).click();
    const report = await mails.next();
    assert.deepEqual(report.to, ["ada@shop.example"]);
    assert.match(report.text, /Page views/);

    await open(page, "/team");
    await page.getByRole("button", { name: "Add member" }).click();
    await page.getByLabel("Email address").pressSequentially("grace@shop.example");
    await page.getByRole("button", { name: "Send invitation" }).click();
    const invitation = /http:\S+\/invitation#code=\S+/.exec((await mails.next()).text)?.[0] ?? "";
    provider.user = { sub: "grace-1", email: "grace@shop.example", email_verified: true, name: "Grace" };
    const guest = await newPage();
    await guest.goto(invitation);
    await guest.getByRole("link", { name: "Continue with Example SSO" }).click();
    await guest.getByRole("button", { name: "Join as Grace" }).click();
    await guest.getByRole("heading", { name: "Sources", exact: true }).waitFor();

    const later = await newPage();
    await later.goto(`${world.url}/usage`);
    await later.getByRole("link", { name: "Continue with Example SSO" }).click();
    await later.getByRole("button", { name: "Continue as Grace" }).click();
    await later.getByRole("heading", { name: "Usage", exact: true }).waitFor();
  },
);
