/** Passkeys over HTTP, with an authenticator in software that also signs what it should not (docs/api/accounts.md). */
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { verifyNew } from "../../src/access/web-authn.ts";
import {
  addPasskey,
  createSoftwareAuthenticator,
  CONSOLE_PAGE as PAGE,
  startCeremony,
} from "../support/authenticator.ts";
import { startJwtIssuer } from "../support/jwt-issuer.ts";
import { startMailServer } from "../support/mail-server.ts";
import {
  APP_URL,
  issuesOf,
  MINUTE,
  ORGANIZATION_ID,
  openClockedWorldFor,
  openWorld,
  refused,
  type World,
} from "../support/world.ts";

const post = (world: World, path: string, token: string | null, body?: object) =>
  world.ask(path, { method: "POST", token, body });

const startAdding = (world: World, token: string) => startCeremony(world, "/api/passkeys/options", token);
const challengeOf = async (world: World): Promise<string> =>
  (await startCeremony(world, "/api/sign-in/passkey/options")).challenge;

const add = (world: World, token: string, credential: object, name = "Laptop") =>
  post(world, "/api/passkeys", token, { name, credential });
const signIn = (world: World, credential: object) =>
  post(world, "/api/sign-in/passkey", null, { credential });

const passkeysOf = async (world: World, token: string) =>
  (await world.ask("/api/passkeys", { token })).body.passkeys;
const auditOf = async (world: World, action: string) =>
  (await world.ask(`/api/audit?organizationId=${ORGANIZATION_ID}&action=${action}`)).body.entries;
const isOffered = async (world: World): Promise<boolean> =>
  (await world.ask("/api/sign-in/methods", { token: null })).body.passkey;

async function openFor(t: TestContext, environment: Record<string, string> = {}) {
  const world = await openClockedWorldFor(t, environment);
  return { world, token: await world.ownerSession() };
}

test("A person adds a passkey, which signs them in without a user name until it is removed.", async (t) => {
  const { world, token } = await openFor(t);
  assert.equal(await isOffered(world), false, "nobody has one");
  refused(await post(world, "/api/sign-in/passkey/options", null), 403, "passkey_refused");
  const { authenticator, userHandle } = await addPasskey(world, token);
  assert.equal(await isOffered(world), true);

  world.advance(MINUTE);
  const options = await startCeremony(world, "/api/sign-in/passkey/options");
  assert.deepEqual([options.rpId, options.userVerification], [PAGE.rpId, "required"]);
  const credential = authenticator.get({ ...PAGE, challenge: options.challenge, counter: 1 }, userHandle);
  const signed = await signIn(world, credential);
  assert.equal(signed.status, 200, signed.text);
  assert.equal(signed.body.userId, await world.ownerId());
  const [passkey, ...others] = await passkeysOf(world, signed.body.token);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [passkey.name, passkey.host, Date.parse(passkey.lastUsedAt) - Date.parse(passkey.createdAt)],
    ["Laptop", PAGE.rpId, MINUTE],
  );
  const { sessions } = (await world.ask("/api/sessions", { token: signed.body.token })).body;
  assert.ok(
    sessions.some((one: { tokenId: string }) => one.tokenId === signed.body.tokenId),
    "a session like every other",
  );

  const path = `/api/passkeys/${passkey.passkeyId}`;
  const stranger = await world.person("owner");
  await world.ask(path, { method: "DELETE", token: stranger.token });
  assert.equal((await passkeysOf(world, token)).length, 1, "nobody removes another person's");
  const challenge = await challengeOf(world);
  assert.equal((await world.ask(path, { method: "DELETE", token })).status, 200);
  assert.equal(await isOffered(world), false);
  const late = await signIn(world, authenticator.get({ ...PAGE, challenge, counter: 2 }, userHandle));
  refused(late, 403, "passkey_refused");
  assert.match(late.body.message, /may have been removed/);
  assert.equal((await world.ask("/api/profile", { token: signed.body.token })).status, 200, "sessions go on");

  const [added] = await auditOf(world, "person.passkey_added");
  assert.deepEqual([added.actor, added.after.name, added.after.host], ["person", "Laptop", PAGE.rpId]);
  const [removed] = await auditOf(world, "person.passkey_removed");
  assert.deepEqual([removed.actor, removed.before.name], ["person", "Laptop"]);
  const started = await auditOf(world, "session.started");
  assert.ok(started.some(({ after }: { after: { passkey?: string } }) => after.passkey === "Laptop"));
  const [failed] = await auditOf(world, "session.refused");
  assert.deepEqual([failed.actor, failed.target], ["stranger", "passkey_refused"]);
});

test("The options ask for a passkey that the browser finds by itself, and exclude those that the person has.", async (t) => {
  const { world, token } = await openFor(t);
  const { authenticator } = await addPasskey(world, token);
  const options = await startAdding(world, token);
  assert.deepEqual(options.rp, { name: "Headwater", id: PAGE.rpId });
  const { residentKey, userVerification } = options.authenticatorSelection;
  assert.deepEqual([residentKey, userVerification, options.attestation], ["required", "required", "none"]);
  assert.deepEqual(
    options.excludeCredentials.map(({ id }: { id: string }) => id),
    [authenticator.id],
  );
  assert.notEqual(Buffer.from(options.user.id, "base64url").toString(), await world.ownerId());
});

test("Only a fresh answer of the person's own authenticator to a request of the console signs in.", async (t) => {
  const { world, token } = await openFor(t);
  const { authenticator, userHandle } = await addPasskey(world, token);
  const other = await addPasskey(world, (await world.person("viewer")).token);
  const answer = async (over: object = {}) =>
    authenticator.get({ ...PAGE, challenge: await challengeOf(world), counter: 5, ...over }, userHandle);

  // the authenticator counts nothing yet
  const first = await answer({ counter: 0 });
  assert.equal((await signIn(world, first)).status, 200);
  refused(await signIn(world, first), 403, "passkey_refused");
  assert.equal((await signIn(world, await answer())).status, 200);
  const expired = await answer({ counter: 6 });
  world.advance(5 * MINUTE);
  const adding = (await startAdding(world, token)).challenge;
  const signedByOther = other.authenticator.get(
    { ...PAGE, challenge: await challengeOf(world), counter: 6 },
    userHandle,
  );
  const forged = await answer({ counter: 6 });
  const ofOther = await answer({ counter: 6 });
  const swapped = { ...(await answer({ counter: 6 })), id: other.authenticator.id };
  const attempts: Record<string, object> = {
    "an expired challenge": expired,
    "a challenge that this service did not make": await answer({ counter: 6, challenge: "bm9uZQ" }),
    "a challenge for a new passkey": await answer({ counter: 6, challenge: adding }),
    "another origin": await answer({ counter: 6, origin: "https://console.example.com.evil.example" }),
    "another relying party": await answer({ counter: 6, rpId: "evil.example" }),
    "a user who was not verified": await answer({ counter: 6, isVerified: false }),
    "a counter that stands still": await answer({ counter: 5 }),
    "a counter that goes back": await answer({ counter: 4 }),
    "a counter that is gone": await answer({ counter: 0 }),
    "a signature of another key": { ...signedByOther, id: authenticator.id },
    "a changed signature": { ...forged, response: { ...forged.response, signature: "MEUCIQDb" } },
    "the id of another person's passkey": swapped,
    "the handle of another person": {
      ...ofOther,
      response: { ...ofOther.response, userHandle: other.userHandle },
    },
    "no client data": { ...first, response: { ...first.response, clientDataJSON: "bm9uZQ" } },
  };
  for (const [what, credential] of Object.entries(attempts)) {
    const reply = await signIn(world, credential);
    assert.deepEqual([reply.status, reply.body.code], [403, "passkey_refused"], what);
  }
  const unknown = await signIn(
    world,
    createSoftwareAuthenticator().get({ ...PAGE, challenge: await challengeOf(world) }, userHandle),
  );
  assert.match(unknown.body.message, /not known here/);
  const elsewhere = await signIn(world, await answer({ origin: "https://stats.example.com" }));
  assert.match(elsewhere.body.message, /work only at https:\/\/console\.example\.com/);
  assert.equal(
    (await signIn(world, await answer({ counter: 6 }))).status,
    200,
    "the right answer still does",
  );
});

test("Only an answer to the person's own request becomes a passkey.", async (t) => {
  const { world, token } = await openFor(t);
  const { authenticator } = await addPasskey(world, token);
  const stranger = await world.person("viewer");
  const made = createSoftwareAuthenticator();
  const create = async (over: object = {}, statement?: "certified") =>
    made.create({ ...PAGE, challenge: (await startAdding(world, token)).challenge, ...over }, statement);
  const known = authenticator.create({ ...PAGE, challenge: (await startAdding(world, token)).challenge });
  const theirs = (await startAdding(world, stranger.token)).challenge;
  const attempts: Record<string, object> = {
    "a request of another person": await create({ challenge: theirs }),
    "a request of a sign-in": await create({ challenge: await challengeOf(world) }),
    "another origin": await create({ origin: "https://evil.example" }),
    "another relying party": await create({ rpId: "evil.example" }),
    "a user who was not verified": await create({ isVerified: false }),
    "a certificate of the authenticator": await create({}, "certified"),
    "a passkey that exists": known,
  };
  for (const [what, credential] of Object.entries(attempts)) {
    const reply = await add(world, token, credential);
    assert.deepEqual([reply.status, reply.body.code], [403, "passkey_refused"], what);
  }
  assert.deepEqual(issuesOf(await add(world, token, await create(), "a\u0007b")), ["name: invalid_value"]);
  assert.equal((await passkeysOf(world, token)).length, 1);
});

test("The certificate of an authenticator, which nobody asked for, is not looked at.", async () => {
  const expected = { challenge: "bm9uZQ", origin: PAGE.origin, host: PAGE.rpId };
  const credential = createSoftwareAuthenticator().create({ ...PAGE, challenge: "bm9uZQ" }, "certified");
  await assert.rejects(verifyNew({ name: "Laptop", credential }, expected), /was not asked for/);
});

test("A person has ten passkeys at most.", async (t) => {
  const { world, token } = await openFor(t);
  for (let count = 0; count < 9; count += 1) await addPasskey(world, token);
  const { challenge } = await startAdding(world, token);
  await addPasskey(world, token);
  refused(await post(world, "/api/passkeys/options", token), 409, "limit_reached");
  const eleventh = createSoftwareAuthenticator().create({ ...PAGE, challenge });
  refused(await add(world, token, eleventh), 409, "limit_reached");
});

test("One client address starts 60 sign-ins a minute.", async (t) => {
  const { world, token } = await openFor(t);
  await addPasskey(world, token);
  for (let count = 0; count < 60; count += 1) await challengeOf(world);
  refused(await post(world, "/api/sign-in/passkey/options", null), 429, "rate_limited");
});

test("The list says why no passkey can be added: the address of the console, or the provider.", async (t) => {
  for (const [address, pattern] of [
    ["http://127.0.0.1:8080", /BASE_URL=http:\/\/localhost:8080/],
    ["https://[2001:db8::1]", /BASE_URL/],
    ["http://stats.example.com", /https:\/\/stats\.example\.com/],
  ] as const) {
    const { world, token } = await openFor(t, { APP_URL: address });
    const { unavailable } = (await world.ask("/api/passkeys", { token })).body;
    assert.ok(unavailable.message.includes(address), unavailable.message);
    assert.match(unavailable.hint, pattern);
    const reply = await post(world, "/api/passkeys/options", token);
    refused(reply, 403, "passkey_refused");
    assert.equal(reply.body.message, unavailable.message);
  }
  const { world, token } = await openFor(t, { APP_URL: "http://localhost:8080" });
  assert.equal((await world.ask("/api/passkeys", { token })).body.unavailable, null, "this machine");
});

test("A JWT adds no passkey, which would outlive it.", async (t) => {
  await using issuer = await startJwtIssuer();
  const { world } = await openFor(t, issuer.settings);
  const jwt = await issuer.sign("idp|ada", world.now());
  const { unavailable } = (await world.ask("/api/passkeys", { token: jwt })).body;
  assert.match(unavailable.message, /outlive/);
  refused(await post(world, "/api/passkeys/options", jwt), 403, "passkey_refused");
  const { challenge } = await startAdding(world, await world.ownerSession());
  const credential = createSoftwareAuthenticator().create({ ...PAGE, challenge });
  refused(await add(world, jwt, credential), 403, "passkey_refused");
});

test("With SIGN_IN=oidc no passkey is added, and none signs in.", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-test-"));
  const before = await openWorld({ APP_URL }, {}, dataDir);
  const token = await before.ownerSession();
  const { authenticator, userHandle } = await addPasskey(before, token);
  const challenge = await challengeOf(before);
  await before.close();
  // a provider that nobody asks
  const provider = { OIDC_ISSUER: "http://127.0.0.1:1", OIDC_CLIENT_ID: "headwater", OIDC_NAME: "Example" };
  await using world = await openWorld({ APP_URL, ...provider, SIGN_IN: "oidc" }, {}, dataDir);
  assert.equal(await isOffered(world), false);
  refused(await post(world, "/api/sign-in/passkey/options", null), 403, "permission_denied");
  const answer = authenticator.get({ ...PAGE, challenge }, userHandle);
  refused(await signIn(world, answer), 403, "permission_denied");
  const { unavailable } = (await world.ask("/api/passkeys", { token })).body;
  assert.match(unavailable.message, /only with its identity provider/);
  refused(await post(world, "/api/passkeys/options", token), 403, "passkey_refused");
});

test("Taking back a change of the address removes the passkeys that were added since.", async (t) => {
  await using mails = await startMailServer();
  const { world, token } = await openFor(t, {
    SMTP_URL: mails.url,
    MAIL_FROM: "Headwater <hw@example.com>",
  });
  const nextCode = async () => /#code=(\S+)/.exec((await mails.next()).text)?.[1] ?? assert.fail();
  const change = async (email: string) => {
    await post(world, "/api/profile/email", token, { email });
    await post(world, "/api/profile/email/confirm", token, { code: await nextCode() });
  };
  await change("ada@shop.example");
  const own = await addPasskey(world, token);
  world.advance(MINUTE);
  await change("mallory@evil.example");
  const code = await nextCode();
  const thief = await addPasskey(world, token);
  assert.equal((await post(world, "/api/profile/email/restore", null, { code })).status, 200);
  const use = async ({ authenticator, userHandle }: typeof own) =>
    signIn(world, authenticator.get({ ...PAGE, challenge: await challengeOf(world) }, userHandle));
  refused(await use(thief), 403, "passkey_refused");
  assert.equal((await use(own)).status, 200);
  const [removed] = await auditOf(world, "person.passkey_removed");
  assert.equal(removed.actor, "system");
});

test("After a change of the address, the old passkeys are listed with their host, and sign nobody in.", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "headwater-test-"));
  const before = await openWorld({ APP_URL }, {}, dataDir);
  const token = await before.ownerSession();
  const { authenticator, userHandle } = await addPasskey(before, token);
  await before.close();
  const page = { origin: "https://new.example.com", rpId: "new.example.com" };
  await using world = await openWorld({ APP_URL: page.origin }, {}, dataDir);
  assert.equal(await isOffered(world), false);
  await addPasskey(world, token, page);
  const hosts = (await passkeysOf(world, token)).map(({ host }: { host: string }) => host);
  assert.deepEqual(hosts, ["new.example.com", PAGE.rpId]);
  const challenge = await challengeOf(world);
  refused(await signIn(world, authenticator.get({ ...PAGE, challenge }, userHandle)), 403, "passkey_refused");
  const moved = authenticator.get({ ...PAGE, origin: page.origin, challenge }, userHandle);
  refused(await signIn(world, moved), 403, "passkey_refused");
});

test("Removal from the last workspace removes a person's passkeys.", async (t) => {
  const { world } = await openFor(t);
  const person = await world.person("viewer");
  const { authenticator, userHandle } = await addPasskey(world, person.token);
  await addPasskey(world, await world.ownerSession());
  const second = await world.workspace();
  const body = { organizationId: second, role: "viewer" };
  const { url } = (await post(world, "/api/invitations", await world.ownerSession(), body)).body;
  await post(world, "/api/invitations/join", person.token, { code: url.split("#code=")[1] });
  const leave = (organizationId: string) =>
    world.ask(`/api/members/${person.userId}?organizationId=${organizationId}`, { method: "DELETE" });
  const sign = async () =>
    signIn(world, authenticator.get({ ...PAGE, challenge: await challengeOf(world) }, userHandle));

  assert.equal((await leave(ORGANIZATION_ID)).status, 200);
  assert.equal((await sign()).status, 200, "the person is in another workspace");
  const owner = await world.ownerSession();
  const path = `/api/members/${person.userId}?organizationId=${second}`;
  assert.equal((await world.ask(path, { method: "DELETE", token: owner })).status, 200);
  refused(await sign(), 403, "passkey_refused");
});
