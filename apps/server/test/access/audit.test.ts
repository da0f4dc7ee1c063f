/** The audit log names who read and changed what, and floods leave it a bounded number of entries (docs/api/access.md). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startMailServer } from "../support/mail-server.ts";
import {
  type ClockedWorld,
  HOUR,
  ORGANIZATION_ID,
  openClockedWorldFor,
  refused,
  type TestReply,
} from "../support/world.ts";

interface LoggedEntry {
  actor: string;
  action: string;
  target: string;
  userId: string | null;
  tokenId: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  before: any;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  after: any;
}

const post = (world: ClockedWorld, path: string, body: object, token?: string | null): Promise<TestReply> =>
  world.ask(path, { method: "POST", body, ...(token !== undefined && { token }) });

async function entriesOf(world: ClockedWorld, action: string, organizationId = ORGANIZATION_ID) {
  const path = `/api/audit?organizationId=${organizationId}&action=${action}`;
  const { body } = await world.ask(path);
  return body.entries as LoggedEntry[];
}

/** A person with a session, who joined by an invitation. */
async function join(world: ClockedWorld, role = "developer") {
  const inviting = { organizationId: ORGANIZATION_ID, role };
  const made = await post(world, "/api/invitations", inviting, await world.ownerSession());
  const code = new URL(made.body.url).hash.slice(6);
  const { signInCode } = (await post(world, "/api/invitations/accept", { code, name: "Grace" }, null)).body;
  const { body } = await post(world, "/api/sign-in", { code: signInCode }, null);
  return body as { userId: string; tokenId: string; token: string };
}

test("The log is searched, and has a range of days or times.", async (t) => {
  const world = await openClockedWorldFor(t);
  await world.createSource({ name: "Café" });
  const ask = (query: string) => world.ask(`/api/audit?organizationId=${ORGANIZATION_ID}${query}`);
  const actions = async (query: string) =>
    (await ask(query)).body.entries.map(({ action }: LoggedEntry) => action) as string[];
  assert.deepEqual(await actions(`&search=${encodeURIComponent("café")}`), ["source.created"]);
  const [{ at }] = (await ask("&action=source.created")).body.entries;
  assert.deepEqual(await actions(`&action=source&from=${at}`), ["source.created"]);
  assert.deepEqual(await actions(`&action=source&to=${at}`), [], "the end is exclusive");
  assert.deepEqual(await actions(`&action=source&from=${at.slice(0, 10)}`), ["source.created"]);
  refused(await ask("&from=2026-02-30"), 422, "invalid_payload");
  refused(await ask("&from=2026-11-02&to=2026-11-01"), 422, "invalid_payload");
  refused(await ask("&search="), 422, "invalid_payload");
});

test("Sign-ins, ended sessions and new names of a person are in the logs of their workspaces.", async (t) => {
  const world = await openClockedWorldFor(t);
  const grace = await join(world);
  const [started] = await entriesOf(world, "session.started");
  assert.deepEqual([started?.userId, started?.target], [grace.userId, grace.tokenId]);
  assert.equal(started?.after.provider, null);
  await world.ask("/api/profile", { method: "PATCH", token: grace.token, body: { theme: "dark" } });
  assert.deepEqual(await entriesOf(world, "person"), [], "preferences concern nobody else");
  await world.ask("/api/profile", { method: "PATCH", token: grace.token, body: { name: "Grace H." } });
  const [renamed] = await entriesOf(world, "person.renamed");
  assert.deepEqual(
    [renamed?.target, renamed?.tokenId, renamed?.before, renamed?.after],
    [grace.userId, grace.tokenId, { name: "Grace" }, { name: "Grace H." }],
  );
  await world.ask(`/api/sessions/${grace.tokenId}`, { method: "DELETE", token: grace.token });
  const [ended] = await entriesOf(world, "session.ended");
  assert.deepEqual([ended?.userId, ended?.target], [grace.userId, grace.tokenId]);
});

test("A person changes their name ten times an hour at most, because each is an entry.", async (t) => {
  const world = await openClockedWorldFor(t);
  const { token } = await join(world);
  const rename = (name: string) => world.ask("/api/profile", { method: "PATCH", token, body: { name } });
  for (let count = 1; count <= 10; count += 1) assert.equal((await rename(`Grace ${count}`)).status, 200);
  refused(await rename("Grace 11"), 429, "rate_limited");
  assert.equal((await rename("Grace 10")).status, 200, "the name that she has changes nothing");
  assert.equal((await entriesOf(world, "person.renamed")).length, 10);
});

test("A change of the e-mail address is an entry with both addresses.", async (t) => {
  const mails = await startMailServer();
  t.after(async () => mails[Symbol.asyncDispose]());
  const world = await openClockedWorldFor(t, { SMTP_URL: mails.url, MAIL_FROM: "hw@example.com" });
  const { token, userId } = await join(world);
  await post(world, "/api/profile/email", { email: "grace@shop.example" }, token);
  const code = /#code=([\w-]+)/.exec((await mails.next()).text)?.[1];
  assert.deepEqual(await entriesOf(world, "person.email_changed"), []);
  await post(world, "/api/profile/email/confirm", { code }, token);
  const [changed] = await entriesOf(world, "person.email_changed");
  assert.deepEqual(
    [changed?.target, changed?.before, changed?.after],
    [userId, { email: null }, { email: "grace@shop.example" }],
  );
});

test("The log names a reader of debug bodies once an hour, and each range of an export once.", async (t) => {
  const world = await openClockedWorldFor(t);
  const { sourceId } = await world.createSource();
  const [ada, eve] = [await join(world), await join(world)];
  const readBy = ({ token }: { token: string }) =>
    world.ask(`/api/tracking-sources/${sourceId}/debug`, { token });
  for (let poll = 0; poll < 20; poll += 1) await readBy(ada);
  await readBy(eve);
  const readers = async () => (await entriesOf(world, "source.debug_read")).map(({ userId }) => userId);
  assert.deepEqual(await readers(), [eve.userId, ada.userId]);
  world.advance(HOUR);
  await readBy(ada);
  assert.deepEqual(await readers(), [ada.userId, eve.userId, ada.userId]);

  const exportOf = (query: string) =>
    world.ask(`/api/export/events?sourceId=${sourceId}${query}`, { token: ada.token });
  await exportOf("");
  await exportOf("");
  await exportOf("&format=csv&from=2026-11-01&to=2026-11-02");
  const exported = await entriesOf(world, "source.exported");
  assert.deepEqual(
    exported.map(({ userId, target, after }) => [userId, target, after]),
    [
      [ada.userId, sourceId, { from: "2026-11-01", to: "2026-11-02", format: "csv" }],
      [ada.userId, sourceId, { from: null, to: null, format: "ndjson" }],
    ],
  );
  const viewer = await join(world, "viewer");
  refused(await readBy(viewer), 403, "permission_denied");
  assert.equal((await readers()).length, 3, "what is refused was not read");
});

test("A flood of failed sign-ins leaves an entry for the 1st, 10th, 100th … of an hour.", async (t) => {
  const world = await openClockedWorldFor(t);
  const tryCode = () => post(world, "/api/sign-in", { code: "guess" }, null);
  for (let tries = 0; tries < 120; tries += 1) refused(await tryCode(), 401, "invalid_token");
  const counts = async () =>
    (await entriesOf(world, "session.refused")).map(({ target, userId, after }) => [
      target,
      userId,
      after.count,
    ]);
  const flood = [100, 10, 1].map((count) => ["unknown_code", null, count]);
  assert.deepEqual(await counts(), flood);
  world.advance(HOUR);
  await tryCode();
  assert.deepEqual(await counts(), [["unknown_code", null, 1], ...flood]);
});

test("An expired sign-in code is an entry of its person's workspaces, once.", async (t) => {
  const world = await openClockedWorldFor(t);
  world.advance(HOUR);
  for (let tries = 0; tries < 3; tries += 1)
    await post(world, "/api/sign-in", { code: world.signInCode }, null);
  const found = await entriesOf(world, "session.refused");
  assert.deepEqual(
    found.map(({ target }) => target),
    ["unknown_code", await world.ownerId()],
    "the second try is of a code that nobody has",
  );
  assert.equal(found[1]?.after.reason, "expired_code");
  assert.deepEqual(
    found.map(({ actor }) => actor),
    ["stranger", "stranger"],
  );
});

test("A shared link that is opened with its password, or with a wrong one, is an entry of its own.", async (t) => {
  const world = await openClockedWorldFor(t);
  const { sourceId } = await world.createSource();
  const body = { organizationId: ORGANIZATION_ID, label: "Board", sourceId, password: "correct horse" };
  const { token, tokenId } = (await post(world, "/api/tokens", body)).body;
  const unlock = (password: string) => post(world, "/api/stats/unlock", { token, password }, null);
  for (let tries = 0; tries < 3; tries += 1) refused(await unlock("a wrong one"), 401, "password_required");
  for (let tries = 0; tries < 3; tries += 1) assert.equal((await unlock("correct horse")).status, 200);
  const links = await entriesOf(world, "link");
  assert.deepEqual(
    links.map(({ action, target, tokenId: by, userId, actor }) => [action, target, by, userId, actor]),
    [
      ["link.unlocked", tokenId, tokenId, null, "shared_link"],
      ["link.refused", tokenId, tokenId, null, "shared_link"],
    ],
  );
});
