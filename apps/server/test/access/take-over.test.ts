/** The take-over of an account by its user id, step by step, and with every kind of token. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startMailServer } from "../support/mail-server.ts";
import {
  type ClockedWorld,
  issuesOf,
  ORGANIZATION_ID,
  openClockedWorldFor,
  refused,
} from "../support/world.ts";

const PERSONAL: [method: string, path: string, body?: object][] = [
  ["GET", "/api/profile"],
  ["PATCH", "/api/profile", { name: "Mallory" }],
  ["POST", "/api/profile/email", { email: "mallory@evil.example" }],
  ["POST", "/api/profile/email/confirm", { code: "none" }],
  ["GET", "/api/passkeys"],
  ["POST", "/api/passkeys/options"],
  ["DELETE", "/api/passkeys/pky_none"],
  ["GET", "/api/sessions"],
  ["DELETE", "/api/sessions/tok_none"],
  ["POST", "/api/invitations/join", { code: "none" }],
  ["POST", "/api/organizations", { name: "Mine" }],
];

async function assertNoPerson(world: ClockedWorld, token: string, what: string): Promise<void> {
  for (const [method, path, body] of PERSONAL) {
    const reply = await world.ask(path, { method, token, body });
    assert.deepEqual(
      [reply.status, reply.body.code],
      [403, "permission_denied"],
      `${what}: ${method} ${path}`,
    );
  }
}

test("A viewer cannot take over the owner: each step of the chain is refused, and nothing changes.", async (t) => {
  await using mails = await startMailServer();
  const settings = { SMTP_URL: mails.url, MAIL_FROM: "Headwater <hw@example.com>" };
  const world = await openClockedWorldFor(t, settings);
  const owner = await world.ownerId();
  const { sourceId } = await world.createSource();
  const plan = { mode: "warn", unknownEvents: "allow", events: {} };
  await world.ask(`/api/tracking-sources/${sourceId}/plan`, { method: "PUT", body: { plan } });
  const note = { kind: "annotation", name: "Launch", day: "2026-11-21", shared: true };
  await world.ask(`/api/tracking-sources/${sourceId}/saved`, { method: "POST", body: note });
  const mallory = await world.person("viewer");
  const as = (path: string, body?: object, token = mallory.token) =>
    world.ask(path, { token, ...(body && { method: "POST", body }) });

  for (const path of ["plan", "plan/versions", "saved", "reports"]) {
    const reply = await as(`/api/tracking-sources/${sourceId}/${path}`);
    assert.ok(!reply.text.includes(owner), `${path} reveals nobody's id`);
  }
  const { organizationId } = (await as("/api/organizations", { name: "Mine" })).body;
  const added = await as("/api/members", { organizationId, userId: owner, name: "Owner", role: "viewer" });
  assert.deepEqual(issuesOf(added), ["userId: invalid_value"]);
  const forged = await as("/api/tokens", { organizationId, userId: owner, label: "T" });
  refused(forged, 403, "permission_denied");

  const before = (await as(`/api/audit?organizationId=${organizationId}`)).body.entries;
  assert.deepEqual(
    before.map(({ action, actor }: Record<string, string>) => [action, actor]),
    [["organization.created", "person"]],
    "what was refused changed nothing",
  );
  const listed = await as(`/api/members?organizationId=${organizationId}`);
  assert.ok(!listed.text.includes(owner), "the owner is not a member");
  const { organizations } = (await as("/api/organizations", undefined, await world.ownerSession())).body;
  assert.deepEqual(
    organizations.map(({ organizationId: id }: Record<string, string>) => id),
    [ORGANIZATION_ID],
  );
  assert.equal(mails.received.length, 0);
});

test("No kind of token acts as the person who made it.", async (t) => {
  await using mails = await startMailServer();
  const settings = { SMTP_URL: mails.url, MAIL_FROM: "Headwater <hw@example.com>" };
  const world = await openClockedWorldFor(t, settings);
  const session = await world.ownerSession();
  const { sourceId } = await world.createSource();
  const make = async (body: object) => {
    const given = { organizationId: ORGANIZATION_ID, label: "T", ...body };
    const reply = await world.ask("/api/tokens", { method: "POST", token: session, body: given });
    assert.equal(reply.status, 201, reply.text);
    return reply.body.token as string;
  };
  const link = await make({ sourceId, password: "correct horse" });
  const unlocking = { method: "POST", token: null, body: { token: link, password: "correct horse" } };
  const tokens: Record<string, string> = {
    "the token of the first start": world.ownerToken,
    "a token of one workspace": await make({}),
    "a token for all workspaces": await make({ allWorkspaces: true }),
    "a token of a service account": (await world.serviceAccount("owner")).token,
    "a shared link": await make({ sourceId }),
    "a locked link": link,
    "an unlocked link": (await world.ask("/api/stats/unlock", unlocking)).body.token,
    "a token that sends events": await make({ sourceId, scope: "ingest" }),
  };
  const people = async () => [
    (await world.ask("/api/profile", { token: session })).body,
    (await world.ask("/api/sessions", { token: session })).body.sessions.length,
  ];
  const before = await people();
  for (const [what, token] of Object.entries(tokens)) await assertNoPerson(world, token, what);
  assert.deepEqual(await people(), before);
  assert.equal(mails.received.length, 0);
});
