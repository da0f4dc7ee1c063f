/** Weekly and monthly reports by e-mail and to webhooks (docs/api/reports.md). */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, test } from "node:test";
import { LIMITS, type StatsReport } from "@headwater/contract";
import { REPORT_CONSENT_MS } from "../../src/stats/reports/link-pages.ts";
import { REPORT_RETRY_MS } from "../../src/stats/reports/reports.ts";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { metricValue } from "../support/metrics.ts";
import {
  DAY,
  HOUR,
  issuesOf,
  MINUTE,
  ORGANIZATION_ID,
  openWorld,
  refused,
  type TestRequest,
  type TestSource,
} from "../support/world.ts";
import type { ExampleEvent } from "./examples.ts";
import { openStatsWorld, type StatsWorld } from "./stats-world.ts";

const HOSTILE = `"><img src=x onerror=alert(1)>&amp;<!channel>`;
/** A Saturday. The week that begins on 16 November is the next one that is reported. */
const NOW = Date.UTC(2026, 10, 21, 12);
const MONDAY = Date.UTC(2026, 10, 23, 6);
const GOALS = [{ name: `Sign-up ${HOSTILE}`, event: "signup" }];

interface Posted {
  path: string;
  body: { text: string };
}

let stats: StatsWorld;
let mails: MailServer;
function lastMail() {
  const mail = mails.received.at(-1) ?? assert.fail("a mail");
  return { ...mail, text: mail.text.replaceAll("\r\n", "\n") };
}
const posted: Posted[] = [];
/** Deleted before the next test, so that none of its reports is due there. */
const sources: TestSource[] = [];
let webhookStatus = 200;
const webhook = createServer((request, response) => {
  void request.toArray().then((chunks) => {
    posted.push({ path: request.url ?? "", body: JSON.parse(Buffer.concat(chunks).toString()) });
    response.writeHead(webhookStatus, { location: "/elsewhere" }).end();
  });
});
let webhookOrigin = "";

before(async () => {
  mails = await startMailServer();
  await new Promise<void>((resolve) => webhook.listen(0, "127.0.0.1", resolve));
  webhookOrigin = `http://127.0.0.1:${(webhook.address() as AddressInfo).port}`;
  stats = await openStatsWorld({
    SMTP_URL: mails.url,
    MAIL_FROM: "Headwater <hw@example.com>",
    REPORT_WEBHOOK_ORIGINS: webhookOrigin,
    BASE_URL: "https://stats.example.com",
    APP_URL: "https://console.example.com",
  });
  await join("ada@shop.example", "Ada");
});
after(async () => {
  await stats[Symbol.asyncDispose]();
  await mails[Symbol.asyncDispose]();
  webhook.close();
});
beforeEach(async () => {
  stats.setNow(NOW);
  webhookStatus = 200;
  posted.length = 0;
  mails.received.length = 0;
  for (const { sourceId } of sources.splice(0))
    await ask(`/api/tracking-sources/${sourceId}`, { method: "DELETE" });
});

/** Invites an address, which accepts. */
async function join(email: string, name: string, organizationId = ORGANIZATION_ID): Promise<void> {
  const body = { organizationId, role: "viewer", email };
  const token = { token: await stats.world.ownerSession() };
  assert.equal((await ask("/api/invitations", { method: "POST", body, ...token })).status, 201);
  const code = /#code=([\w-]+)/.exec(lastMail().text)?.[1];
  const accepting = { method: "POST", token: null, body: { code, name } };
  assert.equal((await ask("/api/invitations/accept", accepting)).status, 201);
  mails.received.length = 0;
}
const consentPath = () =>
  /^https:\/\/stats\.example\.com(\/api\/reports\/consent\/\S+)$/m.exec(lastMail().text)?.[1] ??
  assert.fail(lastMail().text);
const see = (path: string) => ask(path, { token: null });
/** As the form of the page does. */
const answerYes = (path: string) =>
  ask(path, {
    method: "POST",
    token: null,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "",
  });

const pathOf = ({ sourceId }: TestSource) => `/api/tracking-sources/${sourceId}/reports`;
const ask = (path: string, request?: TestRequest) => stats.world.ask(path, request);
const create = (source: TestSource, body: object = {}, token?: string) =>
  ask(pathOf(source), {
    method: "POST",
    body: { period: "week", channel: "email", target: "ada@shop.example", ...body },
    ...(token && { token }),
  });
async function created(source: TestSource, body: object = {}): Promise<StatsReport> {
  const reply = await create(source, body);
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
}
const reportsOf = async (source: TestSource): Promise<StatsReport[]> =>
  (await ask(pathOf(source))).body.reports;
const reportOf = async (source: TestSource): Promise<StatsReport> => {
  const [report] = await reportsOf(source);
  return report ?? assert.fail("the source has a report");
};
const sendNow = (source: TestSource, { reportId }: StatsReport) =>
  ask(`${pathOf(source)}/${reportId}/send`, { method: "POST" });
const maintainAt = (now: number) => {
  stats.setNow(now);
  return stats.world.server.maintain();
};

let made = 0;
function visit(day: string, visitor: string, over: Partial<ExampleEvent> = {}): ExampleEvent {
  made += 1;
  const id = `e${made}`;
  return { id, at: `${day}T10:00:00.000Z`, session: `s-${visitor}-${day}`, visitor, page: "/", ...over };
}

/** Three visitors in the week of the 16th, and two in the week before. */
async function sourceWithVisits(name = "Shop") {
  const source = await stats.world.createSource({ name, goals: GOALS });
  sources.push(source);
  await stats.insert(source.sourceId, [
    visit("2026-11-10", "a"),
    visit("2026-11-15", "b"),
    visit("2026-11-16", "a", { country: "DE", source: "Google" }),
    visit("2026-11-16", "a", { page: `/${HOSTILE}` }),
    visit("2026-11-16", "a", { name: "signup" }),
    visit("2026-11-18", "b", { country: "FR", source: HOSTILE }),
    visit("2026-11-22", "c", { name: HOSTILE }),
    visit("2026-11-23", "d", { page: "/later" }),
  ]);
  return source;
}

test("A weekly report has the figures of the stats API and is sent once, six hours after the week.", async () => {
  const source = await sourceWithVisits();
  const report = await created(source);
  assert.equal(report.nextAt, new Date(MONDAY).toISOString());
  assert.deepEqual([report.lastSentAt, report.lastError], [null, null]);
  await maintainAt(MONDAY - 1);
  assert.equal(mails.received.length, 0);
  await maintainAt(MONDAY);
  await stats.world.server.maintain();
  assert.equal(mails.received.length, 1);
  const mail = lastMail();
  assert.deepEqual(mail.to, ["ada@shop.example"]);
  assert.equal(mail.headers.get("subject"), "=?UTF-8?Q?Shop=3A_16_=E2=80=93_22_November_2026?=");
  assert.equal(mail.headers.get("message-id"), `<${report.reportId}.2026-11-16@headwater.invalid>`);

  const range = ["2026-11-16", "2026-11-23"];
  const query = async (body: object) => {
    const { sourceId } = source;
    const asked = { method: "POST", body: { sourceId, dateRange: range, ...body } };
    return (await ask("/api/stats/query", asked)).body.results;
  };
  const metrics = ["visitors", "sessions", "pageviews"];
  const [head] = await query({ metrics, include: { comparison: true } });
  assert.deepEqual(head.metrics, [3, 3, 3]);
  assert.deepEqual(head.comparison, [2, 2, 2]);
  for (const line of [
    "Visitors: 3 (+50%)",
    "Sessions: 3 (+50%)",
    "Page views: 3 (+50%)",
    "Bounce rate: 33.3% (-66.7 pp)",
  ])
    assert.ok(mail.text.includes(`${line}\n`), mail.text);
  for (const [dimension, names] of [
    ["page", {}],
    ["source", { null: "Direct / unknown" }],
    ["country", { null: "Unknown", DE: "Germany", FR: "France" }],
  ] as const)
    for (const { dimensions, metrics } of await query({ metrics: ["visitors"], dimensions: [dimension] })) {
      const name = (names as Record<string, string>)[dimensions[0]] ?? dimensions[0];
      assert.ok(mail.text.includes(`- ${name}: ${metrics[0]}\n`), `${name}: ${metrics[0]} in ${mail.text}`);
    }
  assert.match(mail.text, /Goals \(conversions\)\n- Sign-up .*: 1\n/);
  assert.match(mail.text, /Top events \(events\)\n(?:- .*: 1\n){2}/);
  assert.ok(!mail.text.includes("/later"));
  const link = new URL(/https:\/\/console\S+/.exec(mail.text)?.[0] ?? "");
  assert.deepEqual(Object.fromEntries(link.searchParams), {
    sourceId: source.sourceId,
    range: "2026-11-16..2026-11-22",
    tz: "UTC",
  });
  const sent = await reportOf(source);
  assert.equal(sent.lastSentAt, new Date(MONDAY).toISOString());
  assert.equal(sent.nextAt, new Date(MONDAY + 7 * DAY).toISOString());
  await maintainAt(MONDAY + 7 * DAY);
  assert.equal(lastMail().headers.get("message-id"), `<${report.reportId}.2026-11-23@headwater.invalid>`);
});

test("Names of visitors and sources are text in every part of a report, and nothing is loaded from elsewhere.", async () => {
  const source = await sourceWithVisits(`Shop ${HOSTILE}`);
  await created(source);
  await created(source, { channel: "slack", target: `${webhookOrigin}/services/a-secret` });
  await maintainAt(MONDAY);
  const { html, text } = lastMail();
  assert.ok(html.includes("&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&amp;amp;&lt;!channel&gt;"));
  assert.doesNotMatch(html, /<img|<script|<!channel|<link|url\(/i);
  for (const [, address] of html.matchAll(/(?:href|src)="([^"]*)"/g))
    assert.match(address ?? "", /^https:\/\/(?:console|stats)\.example\.com\//);
  assert.ok(text.includes(HOSTILE));
  const [{ path, body }] = posted as [Posted];
  assert.equal(path, "/services/a-secret");
  assert.match(body.text, /Visitors: 3 \(\+50%\)\n/);
  assert.doesNotMatch(body.text, /[<>]/, "no mention and no link of Slack");
  assert.doesNotMatch(body.text, /unsubscribe/i);
});

test("The unsubscribe link asks first; one click of a mail program ends the report.", async () => {
  const source = await sourceWithVisits();
  const report = await created(source);
  assert.equal((await sendNow(source, report)).status, 200);
  const { headers, text, html } = lastMail();
  const link = /^<(https:\/\/stats\.example\.com(\/api\/reports\/unsubscribe\/\S+))>$/.exec(
    headers.get("list-unsubscribe") ?? "",
  );
  const [, url = "", path = ""] = link ?? assert.fail(headers.get("list-unsubscribe"));
  assert.equal(headers.get("list-unsubscribe-post"), "List-Unsubscribe=One-Click");
  assert.ok(text.includes(`Unsubscribe: ${url}`) && html.includes(`href="${url}"`));
  assert.equal((await sendNow(source, report)).status, 200);
  assert.notEqual(lastMail().headers.get("list-unsubscribe"), headers.get("list-unsubscribe"));
  const page = await ask(path, { token: null });
  assert.match(page.text, /weekly report of <bdi>Shop<\/bdi> to ada@shop\.example\?.*<form method="post">/s);
  assert.match(page.headers.get("content-security-policy") ?? "", /^default-src 'none'/);
  assert.equal((await reportsOf(source)).length, 1, "opening the link changes nothing");
  const oneClick = {
    method: "POST",
    token: null,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "List-Unsubscribe=One-Click",
  };
  for (let clicks = 0; clicks < 2; clicks += 1) assert.equal((await ask(path, oneClick)).status, 200);
  assert.deepEqual(await reportsOf(source), []);
  assert.match((await ask(path, { token: null })).text, /The report was deleted/);
  const { body } = await ask(`/api/audit?organizationId=${ORGANIZATION_ID}&target=${source.sourceId}`);
  const [entry] = body.entries;
  assert.deepEqual([entry.action, entry.userId], ["source.report_unsubscribed", null]);
  assert.ok(!JSON.stringify(body).includes("ada@"), "the audit log has no addresses");
});

test("A report to an address outside the workspace waits until the address agrees.", async () => {
  const source = await sourceWithVisits(`Shop ${HOSTILE}`);
  stats.setNow(NOW - 6 * DAY);
  const report = await created(source, { target: "kim@other.example" });
  assert.deepEqual([report.confirmedAt, report.nextAt], [null, null]);
  const mail = lastMail();
  assert.deepEqual([mails.received.length, mail.to], [1, ["kim@other.example"]]);
  assert.match(mail.text, /^\S.* from the workspace .+ on Headwater wants to send the weekly report of Shop/);
  assert.ok(!mail.text.includes("ada@") && !mail.html.includes("<img"));
  const path = consentPath();
  refused(await sendNow(source, report), 409, "report_unconfirmed");
  await maintainAt(NOW);
  const page = await see(path);
  assert.match(page.text, /to kim@other\.example\. Do you agree\?.*<form method="post">/s);
  assert.ok(page.text.includes("&lt;img") && !page.text.includes("<img") && !page.text.includes("ada@"));
  assert.match(page.headers.get("content-security-policy") ?? "", /^default-src 'none'/);
  assert.equal((await reportOf(source)).confirmedAt, null, "opening the link changes nothing");
  assert.equal(mails.received.length, 1, "nothing was sent while the report waited");

  assert.match((await answerYes(path)).text, /You agreed/);
  const agreed = await reportOf(source);
  assert.deepEqual(
    [agreed.confirmedAt, agreed.nextAt],
    [new Date(NOW).toISOString(), new Date(MONDAY).toISOString()],
    "weeks before the agreement are not sent",
  );
  for (const again of [await see(path), await answerYes(path)]) {
    assert.match(again.text, /This link no longer works/);
    assert.doesNotMatch(again.text, /kim@|Shop|<form/);
  }
  await maintainAt(MONDAY);
  assert.equal(mails.received.length, 2);
  const shown = await ask(`/api/audit?organizationId=${ORGANIZATION_ID}&target=${source.sourceId}`);
  const [entry] = shown.body.entries;
  assert.deepEqual([entry.action, entry.userId], ["source.report_confirmed", null]);
  assert.ok(!shown.text.includes("kim@"), "the audit log has no addresses");
});

test("Only the confirmed address of a member of the workspace needs not agree.", async () => {
  const source = await stats.world.createSource();
  sources.push(source);
  await join("lou@second.example", "Lou", await stats.world.workspace());
  const isAsked = async (target: string) => (await created(source, { target })).confirmedAt === null;
  assert.equal(await isAsked("ADA@Shop.example"), false);
  assert.equal(mails.received.length, 0);
  for (const target of ["ada+news@shop.example", "a.da@shop.example", "lou@second.example"])
    assert.equal(await isAsked(target), true, target);
  assert.equal(mails.received.length, 3);
});

test("The link of a mail agrees to its own report only, within 7 days, and the next report asks again.", async () => {
  const source = await sourceWithVisits();
  const target = "max@other.example";
  const late = await created(source, { target });
  const latePath = consentPath();
  const other = await created(source, { target, period: "month" });
  const otherPath = consentPath();
  await answerYes(otherPath);
  const confirmed = async () =>
    (await reportsOf(source)).filter((one) => one.confirmedAt !== null).map((one) => one.reportId);
  assert.deepEqual(await confirmed(), [other.reportId]);
  assert.equal((await sendNow(source, other)).status, 200);
  const unsubscribing =
    /\/api\/reports\/unsubscribe\/\S+/.exec(lastMail().text)?.[0] ?? assert.fail("a link");
  await answerYes(unsubscribing.replace("unsubscribe", "consent"));
  await answerYes(otherPath.replace("consent", "unsubscribe"));
  assert.deepEqual(await confirmed(), [other.reportId], "a used link does nothing more");

  stats.setNow(NOW + REPORT_CONSENT_MS + 1);
  for (const reply of [await see(latePath), await answerYes(latePath)])
    assert.match(reply.text, /This link no longer works/);
  refused(await sendNow(source, late), 409, "report_unconfirmed");
  await ask(`${pathOf(source)}/${late.reportId}`, { method: "DELETE" });
  await answerYes(unsubscribing);
  assert.deepEqual(await reportsOf(source), []);
  assert.equal((await created(source, { target })).confirmedAt, null, "who unsubscribed is asked again");
  stats.setNow(NOW + 2 * REPORT_CONSENT_MS + 1);
  assert.match((await answerYes(consentPath())).text, /You agreed/, "at the last moment");
  const path = consentPath();
  await ask(`${pathOf(source)}/${(await reportOf(source)).reportId}`, { method: "DELETE" });
  assert.match((await answerYes(path)).text, /This link no longer works/);
});

test("A report whose address cannot be asked is not created.", async () => {
  const source = await stats.world.createSource();
  sources.push(source);
  const target = "noor@other.example";
  mails.refuse(550);
  refused(await create(source, { target }), 503, "mail_unavailable");
  assert.deepEqual(await reportsOf(source), []);
  for (let made = 1; made < LIMITS.mailsPerRecipientAndHour; made += 1) {
    const { reportId } = await created(source, { target: made % 2 ? target : "N.oor+x@Other.example" });
    await ask(`${pathOf(source)}/${reportId}`, { method: "DELETE" });
  }
  refused(await create(source, { target }), 429, "rate_limited");
  assert.deepEqual(await reportsOf(source), []);
  assert.equal(mails.received.length, LIMITS.mailsPerRecipientAndHour - 1);
});

test("A mail server that fails delays a report; the report, the log and a metric show it.", async () => {
  const source = await sourceWithVisits();
  const { reportId } = await created(source);
  const waits = REPORT_RETRY_MS;
  const failures = async () =>
    metricValue((await ask("/metrics", { token: null })).text, "headwater_report_failures_total") ?? 0;
  const before = await failures();
  mails.refuse(...waits.map(() => 451), 550, 451);
  let now = MONDAY;
  for (const wait of waits) {
    await maintainAt(now);
    const { lastError, nextAt } = await reportOf(source);
    assert.equal(lastError, "the mail server answered 451 to DATA");
    now += wait;
    assert.equal(nextAt, new Date(now).toISOString());
  }
  await maintainAt(now);
  const gaveUp = await reportOf(source);
  assert.equal(gaveUp.lastError, "the mail server answered 550 to DATA");
  assert.equal(gaveUp.nextAt, new Date(MONDAY + 7 * DAY).toISOString(), "the next week is tried again");
  assert.equal((await failures()) - before, waits.length + 1);
  const logged = stats.world.logged.filter((line) => JSON.stringify(line).includes(reportId));
  assert.equal(logged.length, waits.length + 1);
  assert.ok(!JSON.stringify(logged).includes("ada@"));
  await maintainAt(MONDAY + 7 * DAY);
  await maintainAt(MONDAY + 7 * DAY + (waits[0] ?? 0));
  assert.equal((await reportOf(source)).lastError, null);
  assert.equal(mails.received.length, 1);
});

test("A webhook is one of Slack or of an origin that the operator allows, and its URL is not shown.", async () => {
  const source = await sourceWithVisits();
  const slack = (target: string) => create(source, { channel: "slack", target });
  for (const target of [
    "http://hooks.slack.com/services/a",
    "https://hooks.slack.com.evil.example/a",
    "https://hooks.slack.com:8443/a",
    "https://user@hooks.slack.com/a",
    "http://127.0.0.1:1/a",
    "http://169.254.169.254/latest",
    "ada@shop.example",
  ])
    assert.deepEqual(issuesOf(await slack(target)), ["target: invalid_value"], target);
  const { body } = await slack("https://hooks.slack.com/services/T01/B02/abcdefgh1234");
  assert.equal(body.target, "https://hooks.slack.com/…1234");
  assert.equal((await ask(`${pathOf(source)}/${body.reportId}`, { method: "DELETE" })).status, 200);
  const report = await created(source, { channel: "slack", target: `${webhookOrigin}/services/secret` });
  assert.equal((await sendNow(source, report)).status, 200);
  const again = await sendNow(source, report);
  assert.equal(again.status, 200);
  for (const status of [404, 302]) {
    webhookStatus = status;
    const failed = await sendNow(source, report);
    refused(failed, 503, "report_not_sent");
    assert.match(failed.body.message, new RegExp(`the webhook responded with ${status}`));
  }
  assert.deepEqual(
    posted.map(({ path }) => path),
    Array.from({ length: 4 }, () => "/services/secret"),
    "redirects are not followed",
  );
  const { nextAt, lastError } = await reportOf(source);
  assert.deepEqual([nextAt, lastError], [report.nextAt, "the webhook responded with 302"]);
  await sendNow(source, report);
  refused(await sendNow(source, report), 429, "rate_limited");
  stats.setNow(NOW + MINUTE);
  refused(await sendNow(source, report), 503, "report_not_sent");
  const shown = await ask(`/api/audit?organizationId=${ORGANIZATION_ID}&target=${source.sourceId}`);
  assert.ok(!shown.text.includes("secret") && !JSON.stringify(await reportsOf(source)).includes("secret"));
});

test("A preview is the mail of the last complete period, in the time zone that is named.", async () => {
  const source = await sourceWithVisits();
  stats.setNow(MONDAY);
  const preview = async (query: string, token?: string) =>
    ask(`${pathOf(source)}/preview?${query}`, token ? { token } : {});
  const { body } = await preview("period=week");
  assert.equal(body.subject, "Shop: 16 – 22 November 2026");
  assert.match(body.text, /Visitors: 3 \(\+50%\)/);
  assert.match(body.html, /^<!doctype html>/);
  const month = await preview("period=month&timezone=Asia/Tokyo");
  assert.equal(month.body.subject, "Shop: October 2026");
  assert.match(month.body.text, /Visitors: 0\n/);
  assert.deepEqual(issuesOf(await preview("period=week&timezone=Mars/Base")), ["timezone: invalid_value"]);
  assert.deepEqual(issuesOf(await preview("period=day")), ["period: invalid_value"]);
  const viewer = await stats.world.serviceAccount("viewer");
  assert.equal((await preview("period=week", viewer.token)).status, 200);
});

test("A report shows paths as people read them, and nothing that turns the text around.", async () => {
  const source = await stats.world.createSource();
  await stats.insert(source.sourceId, [
    visit("2026-11-17", "a", { page: "/caf%C3%A9" }),
    visit("2026-11-17", "b", { page: "/%E2%80%AEcba" }),
  ]);
  stats.setNow(MONDAY);
  const { body } = await ask(`${pathOf(source)}/preview?period=week`);
  assert.match(body.text, /\/café/);
  assert.match(body.text, /\/%E2%80%AEcba/);
});

test("Reports need sources:write, are bounded, and go with their source and with who created or gets them.", async () => {
  const source = await stats.world.createSource();
  const viewer = await stats.world.serviceAccount("viewer");
  refused(await create(source, {}, viewer.token), 403, "permission_denied");
  refused(await ask(pathOf(source), { token: viewer.token }), 403, "permission_denied");
  const wrong: [object, string[]][] = [
    [{ target: "a@b.example, c@d.example" }, ["target: invalid_value"]],
    [{ target: "\u212aim@shop.example" }, ["target: invalid_value"]],
    [{ target: "nobody", timezone: "+01:00" }, ["target: invalid_value", "timezone: invalid_value"]],
    [{ period: "day" }, ["period: invalid_value"]],
  ];
  for (const [body, issues] of wrong) assert.deepEqual(issuesOf(await create(source, body)), issues);

  const developer = await stats.world.serviceAccount("developer");
  const { status } = await create(source, { target: "grace@shop.example" }, developer.token);
  assert.equal(status, 201);
  await join("Lin@shop.example", "Lin");
  const { members } = (await ask(`/api/members?organizationId=${ORGANIZATION_ID}`)).body;
  const gone = members.find(({ name }: { name: string }) => name === "Lin");
  for (const target of ["lin@shop.example", "ada@shop.example"]) await created(source, { target });
  for (const userId of [developer.userId, gone.userId])
    await ask(`/api/members/${userId}?organizationId=${ORGANIZATION_ID}`, { method: "DELETE" });
  assert.deepEqual(
    (await reportsOf(source)).map(({ target }) => target),
    ["ada@shop.example"],
  );

  const [{ reportId }] = (await reportsOf(source)) as [StatsReport];
  const other = await stats.world.createSource();
  refused(await ask(`${pathOf(other)}/${reportId}`, { method: "DELETE" }), 404, "report_not_found");
  refused(await ask(`${pathOf(other)}/${reportId}/send`, { method: "POST" }), 404, "report_not_found");
  for (let index = 1; index < LIMITS.maxReports; index += 1) await created(source);
  refused(await create(source), 409, "too_many_reports");
  await ask(`/api/tracking-sources/${source.sourceId}`, { method: "DELETE" });
  await maintainAt(MONDAY + HOUR);
  assert.equal(mails.received.length, 0);
});

test("Without a mail server, reports by e-mail are refused with what the operator must set.", async (t) => {
  const world = await openWorld();
  t.after(() => world[Symbol.asyncDispose]());
  const path = pathOf(await world.createSource());
  const body = { period: "month", channel: "email", target: "ada@shop.example" };
  const reply = await world.ask(path, { method: "POST", body });
  assert.deepEqual(issuesOf(reply), ["channel: invalid_value"]);
  assert.match(reply.body.issues[0].message, /SMTP_URL and MAIL_FROM/);
  assert.deepEqual((await world.ask(path)).body, { reports: [], canMail: false });
  refused(await world.ask(`${path}/preview?period=week`), 503, "warehouse_off");
});
