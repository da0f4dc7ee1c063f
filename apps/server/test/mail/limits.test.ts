/** How many mails leave the service, and what names become in them (docs/api/limits.md and docs/api/accounts.md). */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { LIMITS } from "@headwater/contract";
import { limitMails } from "../../src/mail/mail-limits.ts";
import { toMailName, withoutLinks } from "../../src/mail/mail-text.ts";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { HOUR, MINUTE, ORGANIZATION_ID, openWorld, refused, type World } from "../support/world.ts";

let mails: MailServer;
let world: World;
let now = Date.now();
before(async () => {
  mails = await startMailServer();
  world = await openWorld(
    { SMTP_URL: mails.url, MAIL_FROM: "Headwater <hw@example.com>" },
    { clock: () => now },
  );
  // its code is valid for ten minutes
  await world.ownerSession();
});
after(async () => {
  await world[Symbol.asyncDispose]();
  await mails[Symbol.asyncDispose]();
});

const invite = async (email: string) =>
  world.ask("/api/invitations", {
    method: "POST",
    body: { organizationId: ORGANIZATION_ID, role: "viewer", email },
    token: await world.ownerSession(),
  });

test("Creating and deleting an invitation again and again sends at most ten mails an hour to one mailbox, however its address is spelled.", async () => {
  const spellings = [
    "victim@shop.example",
    "Victim+1@shop.example",
    "vic.tim+2@SHOP.example",
    "victim@shop\u3002example",
    "victim@shop\uff0eexample",
    "victim@shop\uff61example",
    "victim@\uff53hop.example",
  ];
  const statuses: number[] = [];
  for (let count = 0; count < LIMITS.mailsPerRecipientAndHour + 5; count += 1) {
    const reply = await invite(spellings[count % spellings.length] ?? "");
    statuses.push(reply.status);
    const { invitationId } = reply.body;
    if (reply.status === 201)
      await world.ask(`/api/invitations/${invitationId}?organizationId=${ORGANIZATION_ID}`, {
        method: "DELETE",
      });
  }
  assert.equal(mails.received.length, LIMITS.mailsPerRecipientAndHour);
  assert.deepEqual(statuses.slice(LIMITS.mailsPerRecipientAndHour), [429, 429, 429, 429, 429]);
  const refusal = await invite("victim@shop.example");
  refused(refusal, 429, "rate_limited");
  assert.match(refusal.body.message, /Too many emails were sent to this address/);
  assert.ok(Number(refusal.headers.get("retry-after")) > 0);
  const open = await world.ask(`/api/invitations?organizationId=${ORGANIZATION_ID}`);
  assert.deepEqual(open.body.invitations, [], "a refused invitation does not stay");
  assert.equal((await invite("other@shop.example")).status, 201);
  now += HOUR - 1;
  refused(await invite("victim@shop.example"), 429, "rate_limited");
  now += 1;
  assert.equal((await invite("victim@shop.example")).status, 201);
});

test("All kinds of mail to an address share one limit; sign-in links have their own, which others cannot use up.", async () => {
  const email = "ada@shop.example";
  assert.equal((await invite(email)).status, 201);
  const { text } = mails.received.at(-1) ?? assert.fail();
  const code = /#code=(\S+)/.exec(text)?.[1];
  const accepted = await world.ask("/api/invitations/accept", {
    method: "POST",
    body: { code, name: "Ada" },
    token: null,
  });
  assert.equal(accepted.status, 201, accepted.text);
  for (let count = 1; count < LIMITS.mailsPerRecipientAndHour; count += 1)
    assert.equal((await invite(email)).status, 201);
  const link = () => world.ask("/api/sign-in/link", { method: "POST", body: { email }, token: null });
  refused(await invite(email), 429, "rate_limited");
  const sent = mails.received.length;
  for (let taken = 0; taken < sent; taken += 1) await mails.next();
  for (let asked = 0; asked < LIMITS.mailsPerRecipientAndHour + 3; asked += 1) {
    assert.equal((await link()).status, 202, "even when none is sent");
    if (asked < LIMITS.mailsPerRecipientAndHour) assert.match((await mails.next()).text, /#code=/);
    // at most five are open at once
    now += 3 * MINUTE;
  }
  assert.equal(mails.received.length, sent + LIMITS.mailsPerRecipientAndHour);
});

test("One person can cause 100 mails an hour and one workspace 500, to any addresses together; nodes share the limits.", async () => {
  const sentTo: string[] = [];
  let nodes = 1;
  const mailer = limitMails(
    { send: async ({ to }) => void sentTo.push(to) },
    () => nodes,
    () => now,
  );
  const send = (index: number, userId: string, organizationId: string) =>
    mailer
      .send({ to: `a${index}@shop.example`, subject: "", text: "", html: "" }, { userId, organizationId })
      .then(() => true)
      .catch(() => false);
  const countSent = async (tries: number, causeOf: (index: number) => [string, string]) => {
    const before = sentTo.length;
    for (let index = 0; index < tries; index += 1) await send(before + index, ...causeOf(index));
    return sentTo.length - before;
  };
  assert.equal(await countSent(120, (index) => ["person", `org${index}`]), LIMITS.mailsPerPersonAndHour);
  assert.equal(await countSent(520, (index) => [`p${index}`, "org"]), LIMITS.mailsPerWorkspaceAndHour);
  now += HOUR;
  nodes = 4;
  assert.equal(await countSent(120, (index) => ["person", `org${index}`]), LIMITS.mailsPerPersonAndHour / 4);
});

test("A mail that is refused counts for nobody.", async () => {
  const mailer = limitMails(
    { send: async () => {} },
    () => 1,
    () => now,
  );
  const send = (to: string) =>
    mailer
      .send({ to, subject: "", text: "", html: "" }, { userId: "person", organizationId: "org" })
      .then(() => true)
      .catch(() => false);
  const fill = LIMITS.mailsPerRecipientAndHour;
  for (let count = 0; count < fill + LIMITS.mailsPerPersonAndHour; count += 1)
    await send("full@shop.example");
  let sent = 0;
  for (let index = 0; index < LIMITS.mailsPerPersonAndHour; index += 1)
    sent += Number(await send(`a${index}@shop.example`));
  assert.equal(sent, LIMITS.mailsPerPersonAndHour - fill);
});

test("In mails, names lose addresses, invisible characters and line breaks, and are cut; a host name becomes no link.", async () => {
  const joiner = "\u2060";
  const cases: [name: string, shown: string][] = [
    ["Acme & Söhne GmbH", "Acme & Söhne GmbH"],
    ["Click evil.example/login now", "Click … now"],
    ["https://evil.example", "…"],
    ["www.evil.example", "…"],
    ["(www.evil.example)", "…"],
    ["evil.example:8080/x", "…"],
    ["evil.example?pay=1", "…"],
    ["evil。example/x", "…"],
    ["shop.example", `shop.${joiner}example`],
    ["bob@evil.example", `bob@evil.${joiner}example`],
    ["evil.\u200bexample/x", "…"],
    ["a\u202eb\u2066c", "abc"],
    ["one\r\nBcc: x\u2028two", "one Bcc: x two"],
    ["Sales/Marketing v2.1", `Sales/Marketing v2.${joiner}1`],
    ["x".repeat(100), `${"x".repeat(79)}…`],
  ];
  for (const [name, shown] of cases) assert.equal(toMailName(name), shown, name);
  assert.equal(withoutLinks("https://evil.example/a\n"), `https:${joiner}//evil.${joiner}example/a`);

  const organizationId = await world.workspace("Pay at https://evil.example/pay \u202enow");
  const body = { organizationId, role: "viewer", email: "new@shop.example" };
  assert.equal(
    (await world.ask("/api/invitations", { method: "POST", token: await world.ownerSession(), body })).status,
    201,
  );
  const mail = mails.received.at(-1) ?? assert.fail();
  assert.match(mail.text, /workspace Pay at … now on Headwater/);
  for (const part of [mail.text, mail.html, mail.headers.get("subject") ?? ""])
    assert.doesNotMatch(part, /evil|\u202e/);
});
