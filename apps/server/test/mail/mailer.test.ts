/** Mail leaves through the operator's SMTP server, in bounded tries, and nothing of it is in an error. */
import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { test } from "node:test";
import { describeSettings, readConfig } from "../../src/config/config.ts";
import { smtpUrl } from "../../src/config/values.ts";
import { createMailer, type Mail, MailError } from "../../src/mail/mailer.ts";
import { startMailServer } from "../support/mail-server.ts";

const FROM = "Headwater <stats@example.com>";
const MAIL: Mail = {
  to: "ada@example.com",
  subject: "Überblick",
  text: "Grüße, 42 visitors",
  html: "<p>Grüße, <b>42</b> visitors</p>",
  headers: { "List-Unsubscribe": "<https://stats.example.com/u>" },
};

function mailerOf(url: string, retryMs: number[] = []) {
  const server = smtpUrl(url);
  assert.ok(server);
  return createMailer({ server, from: FROM, newId: (prefix) => `${prefix}_1`, retryMs });
}

test("A mail arrives as text and HTML, with its headers, after a login.", async () => {
  await using server = await startMailServer("p@ss/word");
  await mailerOf(server.url).send(MAIL);
  const mail = await server.next();
  assert.deepEqual([mail.from, mail.to], ["stats@example.com", ["ada@example.com"]]);
  assert.match(mail.text, /Grüße, 42 visitors/);
  assert.match(mail.html, /<b>42<\/b>/);
  assert.equal(mail.headers.get("from"), FROM);
  assert.equal(mail.headers.get("auto-submitted"), "auto-generated");
  assert.equal(mail.headers.get("list-unsubscribe"), "<https://stats.example.com/u>");
});

test("A recipient is one address, whatever it contains.", async () => {
  await using server = await startMailServer();
  const mailer = mailerOf(server.url);
  await mailer.send({ ...MAIL, to: "a@example.com\r\nBcc: b@example.com" }).catch(() => undefined);
  await mailer.send({ ...MAIL, to: "a@example.com, b@example.com" }).catch(() => undefined);
  for (const { to, headers } of server.received)
    assert.deepEqual([to.length, headers.has("bcc")], [1, false]);
});

test("A mail that the server does not take now is tried again; one that it refuses is not.", async () => {
  await using server = await startMailServer();
  server.refuse(451, 421);
  await mailerOf(server.url, [1, 1]).send(MAIL);
  assert.equal(server.received.length, 1);

  server.refuse(451, 451, 451);
  await assert.rejects(mailerOf(server.url, [1, 1]).send(MAIL), { name: "MailError", isTransient: true });
  server.refuse(451);
  await assert.rejects(mailerOf(server.url, [1, 1]).send(MAIL, false), { isTransient: true });
  server.refuse(550);
  await assert.rejects(mailerOf(server.url, [1, 1]).send(MAIL), { isTransient: false });
  assert.equal(server.received.length, 1);
});

test("Errors name neither password nor recipient.", async () => {
  await using server = await startMailServer("right");
  const { port } = new URL(server.url);
  const wrong = `smtp://headwater:wrong-password@127.0.0.1:${port}`;
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
  const closedPort = (closed.address() as AddressInfo).port;
  await new Promise((resolve) => closed.close(resolve));
  for (const url of [wrong, `smtp://headwater:wrong-password@127.0.0.1:${closedPort}`]) {
    const error: unknown = await mailerOf(url)
      .send(MAIL)
      .catch((failure: unknown) => failure);
    assert.ok(error instanceof MailError);
    assert.equal(error.cause, undefined);
    assert.doesNotMatch(error.message, /wrong-password|ada@|headwater/);
  }
});

test("Credentials are not sent to another machine without TLS.", async () => {
  await using server = await startMailServer("secret");
  const { port } = new URL(server.url);
  // a name of this machine that is not known as one
  const url = `smtp://headwater:secret@[::ffff:127.0.0.1]:${port}`;
  await assert.rejects(mailerOf(url).send(MAIL), { name: "MailError" });
  assert.equal(server.received.length, 0);
});

test("The settings name a server and a sender together, and show no credentials.", () => {
  const settings = { SMTP_URL: "smtps://me:hidden@mail.example.com", MAIL_FROM: FROM };
  const { SMTP_URL, MAIL_FROM } = readConfig(settings);
  const login = { user: "me", password: "hidden" };
  assert.deepEqual(SMTP_URL, { host: "mail.example.com", port: 465, secure: true, login });
  assert.equal(MAIL_FROM, FROM);
  assert.doesNotMatch(JSON.stringify(describeSettings(settings)), /hidden/);
  assert.throws(() => readConfig({ MAIL_FROM: FROM }), /belong together/);
  assert.throws(() => readConfig({ ...settings, SMTP_URL: "https://mail.example.com" }), /smtp:\/\//);
  assert.throws(
    () => readConfig({ ...settings, MAIL_FROM: "a@b.example, c@d.example" }),
    /must be an address/,
  );
});
