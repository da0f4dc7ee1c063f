/** The rows of the debug page: what happened, grouped failures, and the request as a command. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { DebugAttempt } from "@headwater/contract";
import {
  bootstrapBody,
  bootstrapPath,
  eventsBody,
  eventsPath,
  trackEvent,
} from "../../../server/test/support/world.ts";
import {
  groupFilteredProblems,
  groupProblems,
  meaningOf,
  outcomesByMinute,
  pathOf,
  summarizeAttempt,
  titleOf,
  toCurl,
} from "../../src/pages/debug/attempt-summary.ts";
import { seriousFindings } from "../accessibility.ts";
import { consoleTest } from "../console-world.ts";

const AT = "2026-01-01T10:00:30.000Z";

/** An attempt with the members that the functions read. */
const attempt = (members: Partial<Record<keyof DebugAttempt, unknown>>): DebugAttempt =>
  ({
    results: [],
    kind: "events",
    code: null,
    outcome: "succeeded",
    accepted: 0,
    duplicates: 0,
    rejected: 0,
    origin: null,
    publicKey: "pk_1",
    raw: null,
    receivedAt: AT,
    ...members,
  }) as unknown as DebugAttempt;

test("A row names the events, the page and the counts, or why a request was refused.", () => {
  const names = ["a", "b", "a", "c", "d", null].map((name) => ({ name }));
  assert.equal(titleOf(attempt({ results: names })), "a, b, c and 2 more");
  const long = [{ name: "n".repeat(201) }];
  assert.equal(titleOf(attempt({ results: long })), `${"n".repeat(60)}…`);
  assert.equal(titleOf(attempt({ kind: "bootstrap" })), "Session opened");
  const refused = attempt({ outcome: "failed", code: "rate_limited" });
  assert.equal(titleOf(refused), "Rate limited");
  assert.deepEqual(["event_id_too_long", "url_truncated"].map(meaningOf), [
    "Event ID too long",
    "URL truncated",
  ]);
  assert.equal(summarizeAttempt(refused), "");
  assert.equal(
    summarizeAttempt(attempt({ results: names, accepted: 2, rejected: 1 })),
    "2 accepted · 1 rejected",
  );
  assert.equal(pathOf(attempt({ raw: { page: { url: "https://a.example/x?y" } } })), "/x");
  assert.equal(pathOf(attempt({ raw: { events: [{ page: { url: "https://a.example/z" } }] } })), "/z");
  const viewsOf = (...paths: string[]) =>
    paths.map((path) => ({ page: { url: `https://a.example${path}` } }));
  assert.equal(pathOf(attempt({ raw: { events: viewsOf("/z", "/z?again", "/y", "/x") } })), "/z and 2 more");
  for (const raw of [null, "text", [], { page: 1 }, { page: { url: "no address" } }])
    assert.equal(pathOf(attempt({ raw })), null);
});

test("Failures are grouped by code with their origins, and outcomes by minute.", () => {
  const of = (origin: string) => attempt({ code: "origin_not_allowed", outcome: "failed", origin });
  const attempts = [of("https://b.example"), of("https://a.example"), of("https://a.example")];
  const group = (origin: string, requests: number) =>
    ({ origin, outcome: "failed", code: "origin_not_allowed", requests, lastSeenAt: AT }) as const;
  const groups = [group("https://b.example", 1), group("https://a.example", 2)];
  const codes = [{ code: "origin_not_allowed", count: 312, hint: "Add it." }];
  const [problem] = groupProblems(codes, groups);
  assert.deepEqual([problem?.count, problem?.unit], [312, "request"]);
  assert.deepEqual(problem?.origins, [
    { origin: "https://a.example", requests: 2 },
    { origin: "https://b.example", requests: 1 },
  ]);
  const [filtered] = groupFilteredProblems(codes, groups.slice(0, 1));
  assert.deepEqual([filtered?.count, filtered?.unit], [1, "request"]);
  const minutes = outcomesByMinute(attempts, Date.parse("2026-01-01T10:02:00Z"), 5);
  assert.deepEqual(
    minutes.map(({ failed }) => failed),
    [0, 0, 3, 0, 0],
  );
});

test("The command quotes what the shell would interpret.", () => {
  const command = toCurl(
    attempt({ origin: "https://a.example", raw: { it: "isn't $HOME" } }),
    "https://hw.example/",
  );
  assert.equal(
    command,
    `curl -X POST 'https://hw.example/api/ingest/v2/pk_1/events' \\\n  -H 'Content-Type: application/json' \\\n  -H 'Origin: https://a.example' \\\n  --data '{"it":"isn'\\''t $HOME"}'`,
  );
});

consoleTest(
  "Rows show the events' names and pages, refused origins are grouped, counted for each filter and allowed from there, and a row can be copied as curl.",
  async ({ world, page, open, shoot }) => {
    const source = await world.createSource();
    const opened = await world.send(bootstrapPath(source), bootstrapBody());
    const event = trackEvent({ name: "signup" });
    await world.send(eventsPath(source), eventsBody(opened.body.sessionId, [event]));
    for (const origin of ["https://one.example", "https://two.example", "https://two.example"])
      await world.send(bootstrapPath(source), bootstrapBody(), { origin });
    await open(`/analytics/setup/debug?sourceId=${source.sourceId}`);
    const row = page.getByRole("option").filter({ hasText: "signup" });
    await row.filter({ hasText: "1 accepted" }).waitFor();
    const problems = page.getByRole("list", { name: "Problems", exact: true });
    await problems.getByRole("button", { name: "Origin not allowed", exact: true }).waitFor();
    await problems.getByText("3 requests from 2 origins").waitFor();
    await page.getByRole("img", { name: "Last hour: 3 Refused, 0 Partial, 2 OK" }).waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    await shoot("debug-problems");
    await page.getByLabel("Origin", { exact: true }).selectOption("https://two.example");
    await problems.getByText("2 requests from https://two.example").waitFor();
    const matching = page.getByLabel("Matching requests, last 24 hours");
    await matching.getByText("Refused2").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await problems.getByText("3 requests from 2 origins").waitFor();
    assert.equal(await problems.getByRole("list", { name: "Refused origins" }).count(), 0);
    await problems.getByRole("button", { name: "Origin not allowed", exact: true }).click();
    await page.getByLabel("Error code").waitFor();
    await problems.getByText("This source accepts requests only from its allowed origins.").waitFor();
    await problems.getByText("https://two.example 2 requests").waitFor();
    await problems.getByRole("button", { name: "Allow https://two.example" }).click();
    await problems.getByRole("button", { name: "Allow https://two.example" }).waitFor({ state: "detached" });
    const again = await world.send(bootstrapPath(source), bootstrapBody(), { origin: "https://two.example" });
    assert.equal(again.status, 200);
    await row.click();
    await page.getByRole("button", { name: "Copy as curl" }).click();
    await page.getByText("Copied").waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.ok(
      copied.startsWith(`curl -X POST '${world.url}/api/ingest/v2/${source.publicKey}/events'`),
      copied,
    );
  },
);
