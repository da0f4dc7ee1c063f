/** People have profiles, invitations, sign-in links and sessions (docs/api/accounts.md). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import {
  APP_URL,
  type ClockedWorld,
  DAY,
  HOUR,
  issuesOf,
  MINUTE,
  ORGANIZATION_ID,
  openClockedWorldFor,
  refused,
  type TestReply,
} from "../support/world.ts";

const post = (world: ClockedWorld, path: string, body: object, token?: string | null) =>
  world.ask(path, { method: "POST", body, ...(token !== undefined && { token }) });
const inWorkspace = { organizationId: ORGANIZATION_ID };

async function withMail(t: {
  after(end: () => Promise<void>): void;
}): Promise<{ world: ClockedWorld; mails: MailServer }> {
  const mails = await startMailServer();
  t.after(async () => mails[Symbol.asyncDispose]());
  const settings = { SMTP_URL: mails.url, MAIL_FROM: "Headwater <hw@example.com>" };
  return { world: await openClockedWorldFor(t, settings), mails };
}

const codeIn = (text: string) => /#code=([\w-]+)/.exec(text)?.[1] ?? assert.fail(text);

/** Accepts an invitation with a new account. @returns the token of the account's first session */
async function accept(world: ClockedWorld, code: string, name = "Grace") {
  const accepted = await post(world, "/api/invitations/accept", { code, name }, null);
  assert.equal(accepted.status, 201, accepted.text);
  const { body } = await post(world, "/api/sign-in", { code: accepted.body.signInCode }, null);
  return body as { token: string; userId: string; tokenId: string };
}

const invite = async (world: ClockedWorld, over: object = {}, token?: string): Promise<TestReply> =>
  post(
    world,
    "/api/invitations",
    { ...inWorkspace, role: "developer", ...over },
    token ?? (await world.ownerSession()),
  );

const membersOf = async (world: ClockedWorld) =>
  (await world.ask(`/api/members?organizationId=${ORGANIZATION_ID}`)).body.members;

test("A profile has defaults until it is changed, and members see its name.", async (t) => {
  const world = await openClockedWorldFor(t);
  const { userId, token } = await world.person("viewer");
  const format = { locale: "auto", numberFormat: "auto", clock: "auto", weekStart: "auto" };
  const defaults = { userId, name: "Grace", email: null, theme: "auto", ...format };
  const own = { ...defaults, clientAddress: "127.0.0.1" };
  assert.deepEqual((await world.ask("/api/profile", { token })).body, own);
  const chosen = { locale: "de-AT", numberFormat: "1.234,5", clock: "24h", weekStart: "sunday" };
  const change = { name: " Ada ", ...chosen };
  const changed = await world.ask("/api/profile", { method: "PATCH", token, body: change });
  assert.deepEqual(changed.body, { ...defaults, name: "Ada", ...chosen });
  const again = await world.ask("/api/profile", { method: "PATCH", token, body: { theme: "dark" } });
  assert.deepEqual(again.body, { ...defaults, name: "Ada", ...chosen, theme: "dark" });
  const member = (await membersOf(world)).find((one: { userId: string }) => one.userId === userId);
  assert.equal(member.name, "Ada");
  const wrong = await world.ask("/api/profile", { method: "PATCH", token, body: { name: "\u0007" } });
  refused(wrong, 422, "invalid_payload");
  const body = { locale: "xx" };
  refused(await world.ask("/api/profile", { method: "PATCH", token, body }), 422, "invalid_payload");
});

test("An invitation by link makes one account and works once.", async (t) => {
  const world = await openClockedWorldFor(t);
  const made = await invite(world);
  assert.equal(made.status, 201, made.text);
  assert.ok(made.body.url.startsWith(`${APP_URL}/invitation#code=`));
  const code = codeIn(made.body.url);
  const offered = await post(world, "/api/invitations/read", { code }, null);
  assert.deepEqual([offered.body.organizationName, offered.body.role], ["My workspace", "developer"]);
  const { userId, token } = await accept(world, code);
  const permissions = await world.ask(`/api/permissions?organizationId=${ORGANIZATION_ID}`, { token });
  assert.equal(permissions.body.role, "developer");
  const member = (await membersOf(world)).find((one: { userId: string }) => one.userId === userId);
  assert.deepEqual([member.name, member.email], ["Grace", null]);
  refused(await post(world, "/api/invitations/accept", { code, name: "Eve" }, null), 404, "invalid_code");
  refused(await post(world, "/api/invitations/read", { code }, null), 404, "invalid_code");
  const { entries } = (await world.ask(`/api/audit?organizationId=${ORGANIZATION_ID}`)).body;
  const actions = entries.map(({ action }: { action: string }) => action);
  for (const action of ["invitation.created", "invitation.accepted", "member.added"])
    assert.ok(actions.includes(action), action);
  assert.ok(!JSON.stringify(entries).includes(code));
});

test("When many requests accept an invitation at once, one succeeds.", async (t) => {
  const world = await openClockedWorldFor(t);
  const code = codeIn((await invite(world)).body.url);
  const before = (await membersOf(world)).length;
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => post(world, "/api/invitations/accept", { code, name: "Eve" }, null)),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, ...Array(7).fill(404)]);
  assert.equal((await membersOf(world)).length, before + 1);
});

test("An invitation ends by time, by revoking it, and with the rights of its inviter.", async (t) => {
  const world = await openClockedWorldFor(t);
  const expired = codeIn((await invite(world)).body.url);
  world.advance(7 * DAY);
  refused(await post(world, "/api/invitations/read", { code: expired }, null), 404, "invalid_code");
  refused(
    await post(world, "/api/invitations/accept", { code: expired, name: "x" }, null),
    404,
    "invalid_code",
  );

  const { body: revoked } = await invite(world);
  const path = `/api/invitations/${revoked.invitationId}?organizationId=${ORGANIZATION_ID}`;
  assert.equal((await world.ask(path, { method: "DELETE" })).status, 200);
  refused(await world.ask(path, { method: "DELETE" }), 404, "invitation_not_found");
  const code = codeIn(revoked.url);
  refused(await post(world, "/api/invitations/accept", { code, name: "x" }, null), 404, "invalid_code");

  const admin = await world.person("admin");
  refused(await invite(world, { role: "owner" }, admin.token), 403, "permission_denied");
  const given = codeIn((await invite(world, { role: "admin" }, admin.token)).body.url);
  const member = `/api/members/${admin.userId}`;
  await world.ask(member, { method: "PATCH", body: { ...inWorkspace, role: "viewer" } });
  refused(
    await post(world, "/api/invitations/accept", { code: given, name: "x" }, null),
    404,
    "invalid_code",
  );
});

test("No token makes a person: only people invite.", async (t) => {
  const world = await openClockedWorldFor(t);
  const { token } = await world.serviceAccount("owner");
  for (const own of [token, world.ownerToken])
    for (const over of [{}, { email: "robot@evil.example" }])
      refused(await invite(world, over, own), 403, "permission_denied");
  const list = await world.ask(`/api/invitations?organizationId=${ORGANIZATION_ID}`);
  assert.deepEqual(list.body.invitations, []);
});

test("A signed-in user joins with their account; a token cannot.", async (t) => {
  const world = await openClockedWorldFor(t);
  const { token, userId } = await accept(world, codeIn((await invite(world)).body.url));
  const organizationId = await world.workspace("Agency");
  const code = codeIn((await invite(world, { organizationId, role: "viewer" })).body.url);
  const limited = await world.serviceAccount("viewer");
  refused(await post(world, "/api/invitations/join", { code }, limited.token), 403, "permission_denied");
  const joined = await post(world, "/api/invitations/join", { code }, token);
  assert.deepEqual(joined.body, { organizationId });
  const permissions = await world.ask(`/api/permissions?organizationId=${organizationId}`, { token });
  assert.deepEqual([permissions.body.role, permissions.body.userId], ["viewer", userId]);
});

test("An invitation by e-mail is shown to nobody else, and confirms the address.", async (t) => {
  const { world, mails } = await withMail(t);
  const made = await invite(world, { email: "Grace@Shop.example" });
  assert.equal(made.body.url, null);
  const mail = await mails.next();
  assert.deepEqual(mail.to, ["grace@shop.example"]);
  assert.match(mail.html, /As developer you can/);
  const offered = await post(world, "/api/invitations/read", { code: codeIn(mail.text) }, null);
  assert.equal(offered.body.email, "grace@shop.example", "with what the account will sign in");
  const { token } = await accept(world, codeIn(mail.text));
  assert.equal((await world.ask("/api/profile", { token })).body.email, "grace@shop.example");

  // a second invitation to that address is for the same account
  const organizationId = await world.workspace("Agency");
  await invite(world, { organizationId, email: "grace@shop.example" });
  const code = codeIn((await mails.next()).text);
  const { account } = (await post(world, "/api/invitations/read", { code }, null)).body;
  assert.deepEqual(account, { name: "Grace", email: "grace@shop.example" }, "whose account accepts it");
  const again = await accept(world, code, "Somebody");
  const profile = (await world.ask("/api/profile", { token: again.token })).body;
  assert.deepEqual([profile.name, profile.email], ["Grace", "grace@shop.example"]);
});

test("Whoever joins by an invitation that another person passed on keeps the ways to sign in.", async (t) => {
  const { world, mails } = await withMail(t);
  const grace = await world.person("viewer");
  const organizationId = await world.workspace("Trap");
  const join = async (token: string) => {
    await invite(world, { organizationId, email: "mallory@evil.example" });
    const code = codeIn((await mails.next()).text);
    assert.equal((await post(world, "/api/invitations/join", { code }, token)).status, 200);
  };
  await join(grace.token);
  assert.equal((await world.ask("/api/profile", { token: grace.token })).body.email, null);
  await post(world, "/api/sign-in/link", { email: "mallory@evil.example" }, null);

  await post(world, "/api/profile/email", { email: "grace@shop.example" }, grace.token);
  const mail = await mails.next();
  assert.match(mail.text, /Confirm/, "no sign-in link was sent");
  await post(world, "/api/profile/email/confirm", { code: codeIn(mail.text) }, grace.token);
  await join(grace.token);
  assert.equal((await world.ask("/api/profile", { token: grace.token })).body.email, "grace@shop.example");
  const { entries } = (await world.ask(`/api/audit?organizationId=${organizationId}&action=person`)).body;
  assert.deepEqual(
    entries.map(({ after }: { after: object }) => after),
    [{ email: "grace@shop.example" }],
  );
});

test("An invitation whose mail cannot be sent does not exist.", async (t) => {
  const { world, mails } = await withMail(t);
  mails.refuse(550);
  refused(await invite(world, { email: "grace@shop.example" }), 503, "mail_unavailable");
  const list = await world.ask(`/api/invitations?organizationId=${ORGANIZATION_ID}`);
  assert.deepEqual(list.body.invitations, []);
});

test("An address with another spelling of its name, or with invisible characters, is refused everywhere.", async (t) => {
  const { world, mails } = await withMail(t);
  const { token } = await world.person("viewer");
  for (const name of ["\u212aim", "\u017fam", "\uff4bim", "ki\u200bm", "kim\u202e", "kim.", "kim(x)"])
    for (const reply of [
      await post(world, "/api/sign-in/link", { email: `${name}@shop.example` }, null),
      await post(world, "/api/profile/email", { email: `${name}@shop.example` }, token),
      await invite(world, { email: `${name}@shop.example` }),
    ])
      assert.deepEqual(issuesOf(reply), ["email: invalid_value"], JSON.stringify(name));
  assert.equal(mails.received.length, 0);
});

test("A sign-in link goes to the confirmed address, whatever spelling of it was typed.", async (t) => {
  const { world, mails } = await withMail(t);
  await invite(world, { email: "Kim@K\u00f6lner.example" });
  const first = await mails.next();
  assert.deepEqual(first.to, ["kim@k\u00f6lner.example"]);
  await accept(world, codeIn(first.text));
  for (const email of [
    "KIM@KO\u0308LNER.example",
    "kim@\uff4b\u00f6lner\u3002example",
    "kim@XN--KLNER-JUA.example",
  ]) {
    assert.equal((await post(world, "/api/sign-in/link", { email }, null)).status, 202);
    assert.deepEqual((await mails.next()).to, first.to, email);
  }
});

test("A confirmed address signs in by a link that works once, for ten minutes.", async (t) => {
  const { world, mails } = await withMail(t);
  await invite(world, { email: "grace@shop.example" });
  const { userId } = await accept(world, codeIn((await mails.next()).text));

  const ask = (email: string) => post(world, "/api/sign-in/link", { email }, null);
  const known = await ask("GRACE@shop.example");
  const unknown = await ask("nobody@shop.example");
  assert.deepEqual([known.status, known.text], [unknown.status, unknown.text], "no account is revealed");
  const code = codeIn((await mails.next()).text);
  const offer = await post(world, "/api/sign-in/read", { code }, null);
  assert.deepEqual(offer.body, {
    userId,
    name: "Grace",
    email: "grace@shop.example",
    organizations: [{ name: "My workspace", role: "developer" }],
    invitation: null,
    expiresAt: new Date(world.now() + 10 * MINUTE).toISOString(),
  });
  const signedIn = await post(world, "/api/sign-in", { code }, null);
  assert.equal(signedIn.body.userId, userId);
  refused(await post(world, "/api/sign-in", { code }, null), 401, "invalid_token");
  refused(await post(world, "/api/sign-in/read", { code }, null), 401, "invalid_token");

  await ask("grace@shop.example");
  const late = codeIn((await mails.next()).text);
  world.advance(10 * MINUTE);
  refused(await post(world, "/api/sign-in/read", { code: late }, null), 401, "expired_token");
  refused(await post(world, "/api/sign-in", { code: late }, null), 401, "expired_token");
  assert.equal(mails.received.length, 3);
});

test("Sign-in links of a user and requests of an address are bounded.", async (t) => {
  const { world, mails } = await withMail(t);
  await invite(world, { email: "grace@shop.example" });
  await accept(world, codeIn((await mails.next()).text));
  const statuses: number[] = [];
  for (let count = 0; count < 11; count += 1)
    statuses.push((await post(world, "/api/sign-in/link", { email: "grace@shop.example" }, null)).status);
  assert.deepEqual(statuses, [...Array(10).fill(202), 429]);
  for (let count = 0; count < 5; count += 1) await mails.next();
  // the service takes another request only after the sixth link was refused
  world.advance(HOUR);
  await post(world, "/api/sign-in/link", { email: "grace@shop.example" }, null);
  await mails.next();
  assert.equal(mails.received.length, 7);
});

test("An address is confirmed by the user who asked for it, and belongs to one user.", async (t) => {
  const { world, mails } = await withMail(t);
  const [ada, eve] = [await world.person("viewer"), await world.person("viewer")];
  const request = async (token: string) => {
    const asked = await post(world, "/api/profile/email", { email: "ada@shop.example" }, token);
    assert.equal(asked.status, 202, asked.text);
    return codeIn((await mails.next()).text);
  };
  const confirm = (code: string, token: string) => post(world, "/api/profile/email/confirm", { code }, token);
  const code = await request(ada.token);
  refused(await confirm(code, eve.token), 404, "invalid_code");
  refused(await post(world, "/api/sign-in/read", { code }, null), 401, "invalid_token");
  refused(await post(world, "/api/sign-in", { code }, null), 401, "invalid_token");
  assert.equal((await confirm(code, ada.token)).body.email, "ada@shop.example");
  refused(await confirm(await request(eve.token), eve.token), 409, "email_taken");
});

test("A change of the address is reported to the old one, whose link takes it back and signs everybody out.", async (t) => {
  const { world, mails } = await withMail(t);
  await invite(world, { email: "ada@shop.example" });
  const { token, userId } = await accept(world, codeIn((await mails.next()).text));
  const change = async (email: string) => {
    await post(world, "/api/profile/email", { email }, token);
    const code = codeIn((await mails.next()).text);
    return post(world, "/api/profile/email/confirm", { code }, token);
  };
  await post(world, "/api/sign-in/link", { email: "ada@shop.example" }, null);
  const inOldMailbox = codeIn((await mails.next()).text);
  assert.equal((await change("mallory@evil.example")).status, 200);
  refused(await post(world, "/api/sign-in", { code: inOldMailbox }, null), 401, "invalid_token");
  const report = await mails.next();
  assert.deepEqual(report.to, ["ada@shop.example"]);
  assert.match(report.text, /is now mallory@evil\.example/);
  const restore = (code: string) => post(world, "/api/profile/email/restore", { code }, null);
  const code = codeIn(report.text);

  world.advance(MINUTE);
  // a further change, whose way back is in Mallory's mailbox, does not take the first one away
  assert.equal((await change("second@evil.example")).status, 200);
  const second = await mails.next();
  assert.deepEqual(second.to, ["mallory@evil.example"]);
  assert.equal((await restore(codeIn(second.text))).body.email, "mallory@evil.example");
  refused(await world.ask("/api/profile", { token }), 401, "revoked_token");

  world.advance(6 * DAY);
  for (const wrong of [inOldMailbox, "guess"]) refused(await restore(wrong), 404, "invalid_code");
  assert.deepEqual((await restore(code)).body, { email: "ada@shop.example" });
  refused(await restore(code), 404, "invalid_code");
  await post(world, "/api/sign-in/link", { email: "ada@shop.example" }, null);
  const signedIn = await post(world, "/api/sign-in", { code: codeIn((await mails.next()).text) }, null);
  assert.equal(signedIn.body.userId, userId);
  const { entries } = (await world.ask(`/api/audit?organizationId=${ORGANIZATION_ID}&action=person`)).body;
  assert.deepEqual(
    entries.map(
      ({
        actor,
        action,
        before,
        after,
      }: Record<"actor" | "action", string> & Record<"before" | "after", object>) => [
        actor,
        action,
        ...[before, after].map((value) => Object.values(value)[0]),
      ],
    ),
    [
      ["system", "person.email_restored", "mallory@evil.example", "ada@shop.example"],
      ["system", "person.email_restored", "second@evil.example", "mallory@evil.example"],
      ["person", "person.email_changed", "mallory@evil.example", "second@evil.example"],
      ["person", "person.email_changed", "ada@shop.example", "mallory@evil.example"],
      ["person", "person.email_changed", null, "ada@shop.example"],
    ],
  );
});

test("A change of the address can be taken back for 7 days, and nobody has more than five such links.", async (t) => {
  const { world, mails } = await withMail(t);
  await invite(world, { email: "ada@shop.example" });
  const { token } = await accept(world, codeIn((await mails.next()).text));
  let oldest = "";
  for (let count = 1; count <= 6; count += 1) {
    await post(world, "/api/profile/email", { email: `ada${count}@shop.example` }, token);
    const code = codeIn((await mails.next()).text);
    const confirmed = await post(world, "/api/profile/email/confirm", { code }, token);
    if (count > 5) refused(confirmed, 409, "limit_reached");
    if (count > 5) continue;
    const restoring = codeIn((await mails.next()).text);
    oldest ||= restoring;
  }
  world.advance(7 * DAY);
  refused(await post(world, "/api/profile/email/restore", { code: oldest }, null), 404, "invalid_code");
});

test("Sessions are listed and ended by their user, and bounded in number.", async (t) => {
  const world = await openClockedWorldFor(t);
  const first = await accept(world, codeIn((await invite(world)).body.url));
  const other = await accept(world, codeIn((await invite(world)).body.url));
  const list = async () => (await world.ask("/api/sessions", { token: first.token })).body.sessions;
  assert.deepEqual(
    (await list()).map(({ tokenId, isCurrent }: { tokenId: string; isCurrent: boolean }) => [
      tokenId,
      isCurrent,
    ]),
    [[first.tokenId, true]],
  );
  const end = (tokenId: string, token: string) =>
    world.ask(`/api/sessions/${tokenId}`, { method: "DELETE", token });
  refused(await end(first.tokenId, other.token), 404, "token_not_found");
  assert.equal((await end(first.tokenId, first.token)).status, 200);
  refused(await world.ask("/api/sessions", { token: first.token }), 401, "revoked_token");
});

test("The audit log is filtered by user, target and kind of change.", async (t) => {
  const world = await openClockedWorldFor(t);
  const { userId } = await world.serviceAccount("admin");
  const source = await world.createSource();
  const read = async (filter: string) => {
    const reply = await world.ask(`/api/audit?organizationId=${ORGANIZATION_ID}&${filter}`);
    assert.equal(reply.status, 200, reply.text);
    return reply.body.entries.map(({ action }: { action: string }) => action);
  };
  assert.deepEqual(await read("action=source"), ["source.created"]);
  assert.deepEqual(await read("action=source.updated"), []);
  assert.deepEqual(await read(`target=${source.sourceId}`), ["source.created"]);
  assert.deepEqual(await read(`target=${userId}`), ["member.added"]);
  assert.deepEqual(await read(`userId=${userId}`), []);
  assert.deepEqual(await read(`userId=${await world.ownerId()}&action=token`), ["token.created"]);
  refused(
    await world.ask(`/api/audit?organizationId=${ORGANIZATION_ID}&action=a%25`),
    422,
    "invalid_payload",
  );
});

test("Without a mail server, links cannot be sent, and the console knows it.", async (t) => {
  const world = await openClockedWorldFor(t);
  const methods = await world.ask("/api/sign-in/methods", { token: null });
  assert.deepEqual(methods.body, { oidc: null, mail: false, passkey: false, token: true, sendsMail: false });
  assert.equal((await post(world, "/api/sign-in/link", { email: "a@b.example" }, null)).status, 202);
  refused(await invite(world, { email: "a@b.example" }), 503, "mail_unavailable");
  const { token } = await world.person("viewer");
  refused(await post(world, "/api/profile/email", { email: "a@b.example" }, token), 503, "mail_unavailable");
  const started = await fetch(`${world.url}/api/sign-in/oidc`, { redirect: "manual" });
  assert.equal(started.headers.get("location"), `${APP_URL}/sign-in?why=oidc_failed`);
});
