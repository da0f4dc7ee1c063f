/** Mail leaves through the operator's SMTP server, in bounded tries, and nothing of it is in an error. */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { test } from "node:test";
import tls from "node:tls";
import { promisify } from "node:util";
import { describeSettings, readConfig } from "../../src/config/config.ts";
import { smtpUrl } from "../../src/config/values.ts";
import { createMailer, type Mail, MailError } from "../../src/mail/mailer.ts";
import { type MailCertificate, startMailServer } from "../support/mail-server.ts";

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

const runOpenssl = promisify(execFile);

/** @param name the subject's alternative name, such as `DNS:mail.example` */
async function makeCertificate(name: string): Promise<MailCertificate> {
  const kind =
    "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=mail".split(" ");
  const { stdout } = await runOpenssl("openssl", [
    ...kind,
    "-addext",
    `subjectAltName=${name}`,
    "-keyout",
    "-",
  ]);
  const [key, cert] = stdout.split(/(?=-----BEGIN CERTIFICATE)/);
  assert.ok(key && cert);
  return { key, cert };
}

/** A name of this machine that is not known as one. */
const ELSEWHERE = "[::ffff:127.0.0.1]";
const TLS_MISSING = { name: "MailError", message: /no encrypted connection .* SMTP_URL/, isTransient: false };

test("No mail and no password leaves this machine in clear, with and without a login.", async () => {
  for (const password of [null, "secret"]) {
    await using server = await startMailServer(password);
    const { port } = new URL(server.url);
    const login = password === null ? "" : "headwater:secret@";
    await assert.rejects(mailerOf(`smtp://${login}${ELSEWHERE}:${port}`).send(MAIL), TLS_MISSING);
    assert.equal(server.received.length, 0);
  }
});

test("A mail is sent to a server whose certificate is valid, and to no other.", {
  skip: spawnSync("openssl", ["version"]).error && "there is no openssl",
}, async (t) => {
  const trusted = tls.getCACertificates("default");
  t.after(() => tls.setDefaultCACertificates(trusted));
  const right = await makeCertificate("IP:::ffff:127.0.0.1");
  const otherName = await makeCertificate("DNS:mail.example");
  for (const certificate of [right, otherName]) {
    await using server = await startMailServer(null, certificate);
    const { port } = new URL(server.url);
    const mailer = mailerOf(`smtp://${ELSEWHERE}:${port}`);
    tls.setDefaultCACertificates(trusted);
    await assert.rejects(mailer.send(MAIL), TLS_MISSING, "nobody has signed it");
    tls.setDefaultCACertificates([...trusted, certificate.cert]);
    if (certificate === otherName) await assert.rejects(mailer.send(MAIL), TLS_MISSING, "of another name");
    else await mailer.send(MAIL);
    assert.equal(server.received.length, certificate === right ? 1 : 0);
  }
});

test("Mails leave this machine in clear only when SMTP_URL says so, and then without a password.", async () => {
  await using server = await startMailServer();
  const { port } = new URL(server.url);
  await mailerOf(`smtp://${ELSEWHERE}:${port}/?tls=off`).send(MAIL);
  assert.equal(server.received.length, 1);
  for (const url of [
    "smtp://u:p@mail.example?tls=off",
    "smtps://mail.example?tls=off",
    "smtp://mail.example?tls=no",
  ])
    assert.throws(() => readConfig({ SMTP_URL: url, MAIL_FROM: FROM }), /SMTP_URL.* must /, url);
  assert.equal(smtpUrl("smtp://u:p@127.0.0.1?tls=off")?.tls, "off");
});

test("The settings name a server and a sender together, and show no credentials.", () => {
  const settings = { SMTP_URL: "smtps://me:hidden@mail.example.com", MAIL_FROM: FROM };
  const { SMTP_URL, MAIL_FROM } = readConfig(settings);
  const login = { user: "me", password: "hidden" };
  assert.deepEqual(SMTP_URL, { host: "mail.example.com", port: 465, tls: "start", login });
  assert.equal(MAIL_FROM, FROM);
  assert.doesNotMatch(JSON.stringify(describeSettings(settings)), /hidden/);
  assert.throws(() => readConfig({ MAIL_FROM: FROM }), /belong together/);
  assert.throws(() => readConfig({ ...settings, SMTP_URL: "https://mail.example.com" }), /smtp:\/\//);
  assert.throws(
    () => readConfig({ ...settings, MAIL_FROM: "a@b.example, c@d.example" }),
    /must be an address/,
  );
});
