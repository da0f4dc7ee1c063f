/** A browser stays signed in by a cookie that only renews short-lived tokens (docs/api/accounts.md). */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  APP_URL,
  BASE_URL,
  type ClockedWorld,
  DAY,
  HOUR,
  MINUTE,
  ORGANIZATION_ID,
  openClockedWorldFor,
  refused,
  SECOND,
} from "../support/world.ts";

const NAME = "__Secure-headwater-sign-in";
/** As a page of the console sends it, which has the address of the service here. */
const FROM_CONSOLE = { origin: BASE_URL, "sec-fetch-site": "same-origin" };

/** A browser: one cookie, and what the console has stored. */
interface SignedInBrowser {
  rememberedId: string;
  cookie: string;
  /** The attributes of the cookie, as they were set last. */
  attributes: string;
}

const withCookie = (cookie: string, headers: Record<string, string> = FROM_CONSOLE) => ({
  ...headers,
  cookie: `other=1; ${NAME}=${cookie}`,
});

function keepCookie(browser: SignedInBrowser, headers: Headers): void {
  const [pair = "", ...attributes] = headers.get("set-cookie")?.split("; ") ?? [];
  if (pair === "") return;
  browser.cookie = pair.slice(NAME.length + 1);
  browser.attributes = attributes.join("; ");
}

const openWorldFor = (t: TestContext, environment: Record<string, string> = {}) =>
  openClockedWorldFor(t, { APP_URL: BASE_URL, ...environment });

const remember = (world: ClockedWorld, token: string, headers: Record<string, string> = FROM_CONSOLE) =>
  world.ask("/api/sign-in/remember", { method: "POST", token, headers });

async function signInBrowser(world: ClockedWorld, token: string): Promise<SignedInBrowser> {
  const { status, body, headers, text } = await remember(world, token);
  assert.equal(status, 200, text);
  const browser = { rememberedId: body.rememberedId, cookie: "", attributes: "" };
  keepCookie(browser, headers);
  return browser;
}

const ask = (
  world: ClockedWorld,
  step: "refresh" | "forget",
  { rememberedId, cookie }: Pick<SignedInBrowser, "rememberedId" | "cookie">,
  headers: Record<string, string> = FROM_CONSOLE,
) =>
  world.ask(`/api/sign-in/remember/${step}`, {
    method: "POST",
    token: null,
    headers: withCookie(cookie, headers),
    body: { rememberedId },
  });

/** Renews as the console does. @returns the token */
async function renew(world: ClockedWorld, browser: SignedInBrowser): Promise<string> {
  const reply = await ask(world, "refresh", browser);
  assert.equal(reply.status, 200, reply.text);
  keepCookie(browser, reply.headers);
  return reply.body.token;
}

const opens = async (world: ClockedWorld, token: string) =>
  (await world.ask("/api/organizations", { token })).status === 200;

const auditOf = async (world: ClockedWorld, action: string) =>
  (await world.ask(`/api/audit?organizationId=${ORGANIZATION_ID}&action=${action}`)).body.entries;

test("The cookie is for one path, unreadable for scripts, and renews tokens that act as the person for 15 minutes.", async (t) => {
  const world = await openWorldFor(t);
  const browser = await signInBrowser(world, await world.ownerSession());
  assert.equal(
    browser.attributes,
    `Path=/api/sign-in/remember; Max-Age=${(30 * DAY) / SECOND}; HttpOnly; SameSite=Strict; Secure`,
  );
  const { body } = await ask(world, "refresh", browser);
  assert.equal(body.expiresInSeconds, 900);
  assert.match(body.token, /^hwt_/);
  const profile = await world.ask("/api/profile", { token: body.token });
  assert.equal(profile.status, 200, "a person");
  const { sessions } = (await world.ask("/api/sessions", { token: body.token })).body;
  assert.deepEqual(
    sessions.map((one: { isCurrent: boolean }) => one.isCurrent),
    [true],
    "one session, whatever renewed its token",
  );
  world.advance(15 * MINUTE - 1);
  assert.ok(await opens(world, body.token));
  world.advance(1);
  refused(await world.ask("/api/profile", { token: body.token }), 401, "expired_token");
  assert.ok(await opens(world, await renew(world, browser)), "the sign-in goes on");
});

test("A renewal keeps the label of the sign-in, whatever user agent asks for it.", async (t) => {
  const world = await openWorldFor(t);
  const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0";
  const signedIn = await world.ask("/api/sign-in", {
    method: "POST",
    token: null,
    body: { code: world.signInCode },
    headers: { "user-agent": firefox },
  });
  const browser = await signInBrowser(world, signedIn.body.token);
  world.advance(15 * MINUTE);
  const { sessions } = (await world.ask("/api/sessions", { token: await renew(world, browser) })).body;
  assert.deepEqual(
    sessions.map((one: { label: string }) => one.label),
    ["Firefox on Linux"],
  );
});

test("The cookie alone opens no route, and its secret is no bearer token.", async (t) => {
  const world = await openWorldFor(t);
  const browser = await signInBrowser(world, await world.ownerSession());
  const headers = withCookie(browser.cookie);
  for (const path of [
    "/api/profile",
    "/api/organizations",
    `/api/tracking-sources?organizationId=${ORGANIZATION_ID}`,
  ])
    refused(await world.ask(path, { token: null, headers }), 401, "missing_token");
  refused(await world.ask("/api/sign-out", { method: "POST", token: null, headers }), 401, "missing_token");
  for (const token of [browser.cookie, browser.cookie.split(".")[1]!, browser.rememberedId])
    refused(await world.ask("/api/profile", { token }), 401, "invalid_token");
});

test("Renewals and sign-outs that no page of the console sends are refused, and change nothing.", async (t) => {
  const world = await openWorldFor(t);
  const session = await world.ownerSession();
  const browser = await signInBrowser(world, session);
  const evil = "https://evil.example";
  const forged: Record<string, string>[] = [
    {},
    { "sec-fetch-site": "same-origin" },
    { origin: evil, "sec-fetch-site": "cross-site" },
    { origin: evil },
    { origin: "null" },
    { origin: "https://shop.stats.example.com", "sec-fetch-site": "same-site" },
    { origin: BASE_URL, "sec-fetch-site": "cross-site" },
    { origin: BASE_URL, "sec-fetch-site": "none" },
    { origin: BASE_URL.replace("https:", "http:") },
  ];
  for (const headers of forged) {
    for (const step of ["refresh", "forget"] as const)
      refused(await ask(world, step, browser, headers), 403, "permission_denied");
    refused(await remember(world, session, headers), 403, "permission_denied");
  }
  // a form of another site cannot send JSON
  const path = "/api/sign-in/remember/refresh";
  const body = JSON.stringify({ rememberedId: browser.rememberedId });
  const headers = { ...withCookie(browser.cookie), "content-type": "text/plain" };
  refused(
    await world.ask(path, { method: "POST", token: null, headers, body }),
    415,
    "unsupported_media_type",
  );
  const read = await world.ask(path, { token: null, headers: withCookie(browser.cookie) });
  refused(read, 405, "method_not_allowed");
  // the id that a page keeps must be that of the cookie, which another host of the site can set
  const strange = await signInBrowser(world, (await world.person("viewer")).token);
  refused(await ask(world, "refresh", { ...browser, cookie: strange.cookie }), 401, "missing_token");
  refused(await ask(world, "refresh", { ...strange, cookie: browser.cookie }), 401, "missing_token");
  const tossed = `${strange.cookie}; ${NAME}=${browser.cookie}`;
  assert.equal(
    (await ask(world, "refresh", { ...browser, cookie: tossed })).status,
    200,
    "its own among two",
  );
  assert.ok(await opens(world, await renew(world, browser)));
});

test("The console on another host of the site renews with credentials; pages elsewhere get no CORS headers.", async (t) => {
  const world = await openWorldFor(t, { APP_URL });
  const headers = { origin: APP_URL, "sec-fetch-site": "same-site" };
  const { body, headers: answered } = await remember(world, await world.ownerSession(), headers);
  const browser = { rememberedId: body.rememberedId, cookie: "", attributes: "" };
  keepCookie(browser, answered);
  const reply = await ask(world, "refresh", browser, headers);
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.headers.get("access-control-allow-origin"), APP_URL);
  assert.equal(reply.headers.get("access-control-allow-credentials"), "true");
  const elsewhere = await ask(world, "refresh", browser, { ...headers, origin: "https://evil.example" });
  refused(elsewhere, 403, "permission_denied");
  assert.equal(elsewhere.headers.get("access-control-allow-origin"), null);
  const others = await world.ask("/api/profile", { token: reply.body.token, headers });
  assert.equal(others.headers.get("access-control-allow-credentials"), null);
});

test("The secret changes every hour; tabs that renew at once get the same one; an older one ends the sign-in.", async (t) => {
  const world = await openWorldFor(t);
  const browser = await signInBrowser(world, await world.ownerSession());
  const first = { ...browser };
  world.advance(HOUR);
  const tabs = await Promise.all([0, 1, 2].map(() => ask(world, "refresh", first)));
  const cookies = new Set(tabs.map(({ headers }) => headers.get("set-cookie")));
  assert.equal(cookies.size, 1);
  for (const tab of tabs) assert.ok(await opens(world, tab.body.token));
  keepCookie(browser, tabs[0]!.headers);
  assert.notEqual(browser.cookie, first.cookie);
  world.advance(MINUTE - 1);
  const lost = { ...first };
  keepCookie(lost, (await ask(world, "refresh", first)).headers);
  assert.equal(lost.cookie, browser.cookie, "after an answer that was lost");
  const token = await renew(world, browser);
  world.advance(1);

  refused(await ask(world, "refresh", first), 401, "invalid_token");
  refused(await ask(world, "refresh", browser), 401, "invalid_token");
  refused(await world.ask("/api/profile", { token }), 401, "invalid_token");
  refused(await world.ask("/api/profile", { token: await world.ownerSession() }), 401, "revoked_token");
  const [ended] = await auditOf(world, "session.ended");
  assert.deepEqual([ended.actor, ended.after], ["system", { reason: "old_cookie" }]);
});

test("Signing out ends the tokens of all tabs and the session, clears the cookie, and is in the audit log.", async (t) => {
  const world = await openWorldFor(t);
  const session = await world.ownerSession();
  const browser = await signInBrowser(world, session);
  const tokens = [await renew(world, browser), await renew(world, browser)];
  for (const token of tokens) assert.ok(await opens(world, token));
  const out = await ask(world, "forget", browser);
  assert.equal(out.status, 200);
  assert.match(out.headers.get("set-cookie") ?? "", /; Max-Age=0;/);
  for (const token of tokens) refused(await world.ask("/api/profile", { token }), 401, "invalid_token");
  refused(await world.ask("/api/profile", { token: session }), 401, "revoked_token");
  refused(await ask(world, "refresh", browser), 401, "invalid_token");
  const [ended] = await auditOf(world, "session.ended");
  assert.deepEqual([ended.actor, ended.userId], ["person", await world.ownerId()]);
});

test("A sign-in with an access token is remembered as that token, which stays when the browser signs out.", async (t) => {
  const world = await openWorldFor(t);
  const { token, tokenId } = await world.serviceAccount("viewer");
  const browser = await signInBrowser(world, token);
  const renewed = await renew(world, browser);
  refused(await world.ask("/api/profile", { token: renewed }), 403, "permission_denied");
  const path = `/api/permissions?organizationId=${ORGANIZATION_ID}`;
  assert.equal((await world.ask(path, { token: renewed })).body.role, "viewer");
  refused(await remember(world, renewed), 403, "permission_denied");
  const [started] = await auditOf(world, "session.started");
  assert.equal(started.target, tokenId);
  assert.deepEqual((await world.ask("/api/sign-out", { method: "POST", token: renewed })).body, {
    revoked: true,
  });
  refused(await world.ask(path, { token: renewed }), 401, "invalid_token");
  refused(await ask(world, "refresh", browser), 401, "invalid_token");
  assert.ok(await opens(world, token));
  assert.equal((await auditOf(world, "session.ended"))[0].target, tokenId);

  const again = await signInBrowser(world, token);
  const kept = await renew(world, again);
  const revoked = { method: "DELETE", body: { organizationId: ORGANIZATION_ID } };
  assert.equal((await world.ask(`/api/tokens/${tokenId}`, revoked)).status, 200);
  refused(await world.ask(path, { token: kept }), 401, "revoked_token");
  refused(await ask(world, "refresh", again), 401, "revoked_token");
});

test("CONSOLE_TOKEN_DAYS and CONSOLE_IDLE_DAYS end a remembered sign-in, that with an access token too.", async (t) => {
  const world = await openWorldFor(t, { CONSOLE_TOKEN_DAYS: "5", CONSOLE_IDLE_DAYS: "3" });
  const session = await world.ownerSession();
  const browsers = [await signInBrowser(world, session), await signInBrowser(world, world.ownerToken)];
  for (let day = 0; day < 4; day += 2) {
    world.advance(2 * DAY);
    for (const browser of browsers) assert.ok(await opens(world, await renew(world, browser)));
  }
  world.advance(DAY - 10 * MINUTE);
  for (const browser of browsers) {
    const reply = await ask(world, "refresh", browser);
    keepCookie(browser, reply.headers);
    assert.equal(reply.body.expiresInSeconds, 600, "no longer than the sign-in");
  }
  world.advance(10 * MINUTE);
  for (const browser of browsers) refused(await ask(world, "refresh", browser), 401, "expired_token");

  const idle = await signInBrowser(world, world.ownerToken);
  world.advance(3 * DAY);
  refused(await ask(world, "refresh", idle), 401, "expired_token");
});

test("Another sign-in in the same browser ends the one before, and leaves other browsers alone.", async (t) => {
  const world = await openWorldFor(t);
  const first = await signInBrowser(world, await world.ownerSession());
  const other = await signInBrowser(world, world.ownerToken);
  const { token } = await world.person("viewer");
  const headers = withCookie(first.cookie);
  const { body, headers: answered } = await remember(world, token, headers);
  const second = { rememberedId: body.rememberedId, cookie: "", attributes: "" };
  keepCookie(second, answered);
  refused(await world.ask("/api/profile", { token: await world.ownerSession() }), 401, "revoked_token");
  assert.ok(await opens(world, await renew(world, second)));
  assert.ok(await opens(world, await renew(world, other)));
  // the same token once more in the same browser
  assert.equal((await remember(world, token, withCookie(second.cookie))).status, 200);
  assert.ok(await opens(world, token));
});

test("A removed member keeps no access, and wrong renewals count as failed authentications.", async (t) => {
  const world = await openWorldFor(t, { FAILED_AUTH_PER_MINUTE: "5" });
  const { token, userId } = await world.person("admin");
  const browser = await signInBrowser(world, token);
  const path = `/api/permissions?organizationId=${ORGANIZATION_ID}`;
  const renewed = await renew(world, browser);
  assert.equal((await world.ask(path, { token: renewed })).body.role, "admin");
  await world.ask(`/api/members/${userId}?organizationId=${ORGANIZATION_ID}`, { method: "DELETE" });
  refused(await world.ask(path, { token: renewed }), 403, "not_a_member");
  refused(await world.ask(path, { token: await renew(world, browser) }), 403, "not_a_member");
  const guess = { rememberedId: "rem_guess", cookie: "rem_guess.guess" };
  for (let tries = 0; tries < 5; tries += 1)
    refused(await ask(world, "refresh", guess), 401, "invalid_token");
  refused(await ask(world, "refresh", guess), 429, "rate_limited");
});
