/** People sign in with a real OpenID Connect provider: authorization code with PKCE, state and nonce. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startMailServer } from "../support/mail-server.ts";
import { startOidcProvider, type TestProvider } from "../support/oidc-provider.ts";
import { APP_URL, ORGANIZATION_ID, openWorld, refused, type World } from "../support/world.ts";

const BASE = "http://127.0.0.1:1";
const CALLBACK = `${BASE}/api/sign-in/oidc/callback`;
const GRACE = { sub: "grace-1", email: "grace@shop.example", email_verified: true, name: "Grace" };

let provider: TestProvider;
let world: World;
before(async () => {
  provider = await startOidcProvider([CALLBACK]);
  world = await openWorld({ ...provider.settings, APP_URL, BASE_URL: BASE });
});
after(async () => {
  await world[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

/** A browser's cookies by name, for one site. */
class Browser {
  readonly cookies = new Map<string, string>();
  async get(url: string): Promise<{ location: string | null; setCookies: string[]; status: number }> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, { redirect: "manual", headers: cookie === "" ? {} : { cookie } });
    await response.text();
    const setCookies = response.headers.getSetCookie();
    for (const text of setCookies) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      if (value === "") this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return { location: response.headers.get("location"), setCookies, status: response.status };
  }
}

/** From the click to the callback's address, which the browser has not opened yet. */
async function authorize(browser: Browser, query = "", url = world.url) {
  const started = await browser.get(`${url}/api/sign-in/oidc${query}`);
  assert.equal(started.status, 302);
  const visitor = new Browser();
  let next = started.location ?? "";
  while (!next.startsWith(CALLBACK)) {
    const { location } = await visitor.get(new URL(next, provider.issuer).href);
    next = location ?? assert.fail("the provider redirects");
  }
  return { started, callback: next.replace(BASE, url) };
}

const codeIn = (location: string | null): string => {
  const code = /^https:\/\/console\.example\.com\/sign-in#code=([\w-]+)$/.exec(location ?? "")?.[1];
  return code ?? assert.fail(String(location));
};
const post = (path: string, code: string) => world.ask(path, { method: "POST", token: null, body: { code } });
const signInBy = async (location: string | null) => (await post("/api/sign-in", codeIn(location))).body;
const membersOf = async () =>
  (await world.ask(`/api/members?organizationId=${ORGANIZATION_ID}`)).body.members;

const invitationCode = async () => {
  const body = { organizationId: ORGANIZATION_ID, role: "developer" };
  const token = await world.ownerSession();
  const made = await world.ask("/api/invitations", { method: "POST", token, body });
  return new URL(made.body.url).hash.replace("#code=", "");
};

test("A person without an account is refused; with an invitation they get one, and sign in again.", async () => {
  provider.user = GRACE;
  const stranger = new Browser();
  const refused = await stranger.get((await authorize(stranger)).callback);
  assert.equal(refused.location, `${APP_URL}/sign-in?why=no_account`);

  const browser = new Browser();
  const { callback, started } = await authorize(browser, `?invitation=${await invitationCode()}`);
  const authorization = new URL(started.location ?? "");
  assert.equal(authorization.searchParams.get("code_challenge_method"), "S256");
  for (const name of ["state", "nonce", "code_challenge"])
    assert.ok(authorization.searchParams.get(name), name);
  assert.match(started.setCookies[0] ?? "", /; HttpOnly; SameSite=Lax$/);
  const first = await signInBy((await browser.get(callback)).location);
  const profile = (await world.ask("/api/profile", { token: first.token })).body;
  assert.deepEqual([profile.name, profile.email], ["Grace", "grace@shop.example"]);

  const later = new Browser();
  const again = await signInBy((await later.get((await authorize(later)).callback)).location);
  assert.equal(again.userId, first.userId);
});

test("A sign-in at the provider joins nobody and links no account until its code is exchanged.", async () => {
  provider.user = { ...GRACE, sub: "ida", email: "ida@shop.example", name: "Ida" };
  const before = (await membersOf()).length;
  const invitation = await invitationCode();
  const browser = new Browser();
  const { callback } = await authorize(browser, `?invitation=${invitation}`);
  const code = codeIn((await browser.get(callback)).location);
  for (const _ of [1, 2]) {
    const { body } = await post("/api/sign-in/read", code);
    assert.deepEqual(
      [body.name, body.email, body.organizations, body.invitation],
      [
        "Ida",
        "ida@shop.example",
        [],
        { organizationName: "My workspace", role: "developer", invitedBy: null },
      ],
    );
  }
  assert.equal((await membersOf()).length, before, "nobody has joined");
  assert.equal((await post("/api/invitations/read", invitation)).status, 200, "the invitation is open");
  const stranger = new Browser();
  const later = await stranger.get((await authorize(stranger)).callback);
  assert.equal(later.location, `${APP_URL}/sign-in?why=no_account`, "the identity belongs to nobody");
  assert.equal((await post("/api/sign-in", code)).status, 200);
  assert.equal((await membersOf()).length, before + 1);
  refused(await post("/api/sign-in/read", code), 401, "invalid_token");
});

test("An invitation that ends while the person is asked joins nobody, and signs nobody in.", async () => {
  provider.user = { ...GRACE, sub: "joan", email: "joan@shop.example", name: "Joan" };
  const made = await world.ask("/api/invitations", {
    method: "POST",
    token: await world.ownerSession(),
    body: { organizationId: ORGANIZATION_ID, role: "viewer" },
  });
  const browser = new Browser();
  const { callback } = await authorize(browser, `?invitation=${new URL(made.body.url).hash.slice(6)}`);
  const code = codeIn((await browser.get(callback)).location);
  const path = `/api/invitations/${made.body.invitationId}?organizationId=${ORGANIZATION_ID}`;
  await world.ask(path, { method: "DELETE" });
  refused(await post("/api/sign-in/read", code), 404, "invalid_code");
  refused(await post("/api/sign-in", code), 404, "invalid_code");
});

test("An invitation that was sent to another address does not let a person of the provider sign in with that address.", async (t) => {
  await using mails = await startMailServer();
  const mail = { SMTP_URL: mails.url, MAIL_FROM: "Headwater <hw@example.com>" };
  const own = await openWorld({ ...provider.settings, ...mail, APP_URL, BASE_URL: BASE });
  t.after(() => own[Symbol.asyncDispose]());
  const signIn = async (email: string) => {
    const body = { organizationId: ORGANIZATION_ID, role: "viewer", email };
    const session = await own.ownerSession();
    assert.equal((await own.ask("/api/invitations", { method: "POST", token: session, body })).status, 201);
    const code = /#code=(\S+)/.exec((await mails.next()).text)?.[1];
    const browser = new Browser();
    const { callback } = await authorize(browser, `?invitation=${code}`, own.url);
    const exchanged = { code: codeIn((await browser.get(callback)).location) };
    const { body: signedIn } = await own.ask("/api/sign-in", {
      method: "POST",
      token: null,
      body: exchanged,
    });
    return (await own.ask("/api/profile", { token: signedIn.token })).body;
  };
  provider.user = { ...GRACE, sub: "unverified", email_verified: false };
  const first = await signIn("mallory@evil.example");
  assert.equal(first.email, null, "a new account");
  const again = await signIn("mallory@evil.example");
  assert.deepEqual([again.userId, again.email], [first.userId, null], "an account that exists");
});

test("Two sign-ins of one new identity at once make one account.", async () => {
  provider.user = { ...GRACE, sub: "kim", email: "kim@shop.example", name: "Kim" };
  const codes: string[] = [];
  for (const _ of [1, 2]) {
    const browser = new Browser();
    const { callback } = await authorize(browser, `?invitation=${await invitationCode()}`);
    codes.push(codeIn((await browser.get(callback)).location));
  }
  const replies = await Promise.all(codes.map((code) => post("/api/sign-in", code)));
  const users = new Set(replies.map(({ body }) => body.userId));
  assert.equal(users.size, 1, JSON.stringify(replies.map(({ body }) => body)));
});

test("With SIGN_IN=oidc people sign in by the provider only; `headwater sign-in` is the way back in.", async (t) => {
  const strict = await openWorld({ ...provider.settings, APP_URL, BASE_URL: BASE, SIGN_IN: "oidc" });
  t.after(() => strict[Symbol.asyncDispose]());
  const ask = (path: string, body: object) => strict.ask(path, { method: "POST", token: null, body });
  const methods = await strict.ask("/api/sign-in/methods", { token: null });
  assert.deepEqual(methods.body, {
    oidc: "Example SSO",
    mail: false,
    passkey: false,
    token: false,
    sendsMail: false,
  });
  refused(await ask("/api/sign-in/link", { email: "grace@shop.example" }), 403, "permission_denied");
  const body = { organizationId: ORGANIZATION_ID, role: "viewer" };
  const token = await strict.ownerSession();
  const made = await strict.ask("/api/invitations", { method: "POST", token, body });
  const code = new URL(made.body.url).hash.slice(6);
  refused(await ask("/api/invitations/accept", { code, name: "Eve" }), 403, "permission_denied");
  assert.equal((await ask("/api/invitations/read", { code })).status, 200, "it can still be accepted");
});

test("SIGN_IN=oidc without a provider is refused at the start.", async () => {
  await assert.rejects(openWorld({ SIGN_IN: "oidc" }), /SIGN_IN=oidc needs OIDC_ISSUER/);
});

test("A callback without the browser's own cookie, or with another state, signs nobody in.", async () => {
  provider.user = GRACE;
  const granted = provider.granted();
  const failed = `${APP_URL}/sign-in?why=oidc_failed`;
  const { callback } = await authorize(new Browser());
  assert.equal((await new Browser().get(callback)).location, failed);

  const victim = new Browser();
  await authorize(victim);
  assert.equal((await victim.get(callback)).location, failed, "the code of another browser");
  const browser = new Browser();
  const own = new URL((await authorize(browser)).callback);
  own.searchParams.set("state", "another");
  assert.equal((await browser.get(own.href)).location, failed);
  assert.equal(provider.granted(), granted, "no code was exchanged");
});

test("An address that the provider has not verified opens no account.", async () => {
  provider.user = { ...GRACE, sub: "mallory", email_verified: false };
  const browser = new Browser();
  const { location } = await browser.get((await authorize(browser)).callback);
  assert.equal(location, `${APP_URL}/sign-in?why=no_account`);
});

test("A provider that gives an address to another person opens no account to them.", async () => {
  provider.user = { ...GRACE, sub: "ivy-1", email: "ivy@shop.example" };
  const browser = new Browser();
  const { callback } = await authorize(browser, `?invitation=${await invitationCode()}`);
  assert.equal(typeof (await signInBy((await browser.get(callback)).location)).token, "string");
  provider.user = { ...GRACE, sub: "ivy-2", email: "ivy@shop.example" };
  const other = new Browser();
  const { location } = await other.get((await authorize(other)).callback);
  assert.match(location ?? "", /why=no_account/);
});

test("An address that differs from somebody else's only in case opens no account.", async () => {
  provider.user = { ...GRACE, sub: "impostor", email: "\u212aim@shop.example" };
  const browser = new Browser();
  const { location } = await browser.get((await authorize(browser)).callback);
  assert.equal(location, `${APP_URL}/sign-in?why=no_account`);
});

test("When subjects are user ids, a subject that is not a member cannot sign in; an invitation creates the user.", async (t) => {
  const jwt = {
    AUTH_ISSUER: provider.issuer,
    AUTH_JWKS_URL: `${provider.issuer}/jwks`,
    AUTH_AUDIENCE: "https://stats.example.com",
  };
  const own = await openWorld({ ...provider.settings, ...jwt, APP_URL, BASE_URL: BASE });
  t.after(() => own[Symbol.asyncDispose]());
  provider.user = { ...GRACE, sub: "idp|stray", email_verified: false };
  const stranger = new Browser();
  const { location } = await stranger.get((await authorize(stranger, "", own.url)).callback);
  assert.equal(location, `${APP_URL}/sign-in?why=no_account`);

  const body = { organizationId: ORGANIZATION_ID, role: "viewer" };
  const token = await own.ownerSession();
  const { url } = (await own.ask("/api/invitations", { method: "POST", token, body })).body;
  const browser = new Browser();
  const query = `?invitation=${new URL(url).hash.slice(6)}`;
  const code = codeIn((await browser.get((await authorize(browser, query, own.url)).callback)).location);
  const signedIn = await own.ask("/api/sign-in", { method: "POST", token: null, body: { code } });
  assert.equal(signedIn.body.userId, "idp|stray");
});

test("An invitation that has ended is named, and the cookie is deleted.", async () => {
  provider.user = { ...GRACE, sub: "late", email: "late@shop.example" };
  const browser = new Browser();
  const { callback } = await authorize(browser, "?invitation=unknown");
  assert.equal((await browser.get(callback)).location, `${APP_URL}/sign-in?why=invitation_ended`);
  assert.equal(browser.cookies.size, 0);
});
