/** The catalogue of this package against the pages of docs/api: what is written there is what the service says. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import {
  DEDUP_WINDOW_SECONDS,
  ERRORS,
  type ErrorCode,
  EVENT_CODES,
  LIMITS,
  PERMISSIONS,
  ROLE_PERMISSIONS,
  type Role,
  SOURCE_DEFAULTS,
  WARNING_MESSAGES,
} from "@headwater/contract";

const read = (name: string) => readFileSync(new URL(`../../../docs/${name}.md`, import.meta.url), "utf8");
const specification = read("spec");
const conventions = read("api/conventions");
const sources = read("api/sources");
const access = read("api/access");
const ingest = read("api/ingest");
const events = read("api/events");
const storedEvents = read("api/stored-events");
const limits = read("api/limits");

/** The rows of the first table whose head begins with that word, as cells. */
function table(text: string, head: string): string[][] {
  const lines = text.split("\n");
  const first = lines.findIndex((line) => line.startsWith(`| ${head}`));
  assert.notEqual(first, -1, `there is a table ${head}`);
  const rows = lines.slice(first + 2);
  const end = rows.findIndex((line) => !line.startsWith("|"));
  return rows.slice(0, end === -1 ? undefined : end).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** Every `word` in backquotes. */
const quoted = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, word]) => word!);
const numberIn = (text: string) => Number(text.replaceAll(",", ""));

describe("The catalogue of errors", () => {
  const rows = table(conventions, "status").map(([status = "", error = "", codes = ""]) => ({
    status: Number(status),
    error: quoted(error)[0],
    codes: quoted(codes),
  }));

  it("has every status of the contract, with its word", () => {
    for (const { status, error } of rows) {
      const words = new Set(
        Object.values(ERRORS)
          .filter((one) => one.status === status)
          .map((one) => one.error as string),
      );
      assert.deepEqual([...words], [error], String(status));
    }
    const statuses = new Set(Object.values(ERRORS).map((one) => one.status as number));
    assert.deepEqual([...statuses].sort(), [...new Set(rows.map(({ status }) => status))].sort());
  });

  it("has every code of the contract under its status, and no others", () => {
    const written = new Map(rows.flatMap(({ status, codes }) => codes.map((code) => [code, status])));
    for (const [code, status] of written) assert.equal(ERRORS[code as ErrorCode]?.status, status, code);
    assert.deepEqual([...written.keys()].sort(), Object.keys(ERRORS).sort());
  });

  it("says of each what is wrong and what to do about it, in sentences", () => {
    for (const [code, { message, hint }] of Object.entries(ERRORS)) {
      for (const text of [message, hint]) assert.match(text, /^[A-Z`G].{8,}[.)}]$/s, code);
    }
  });

  it("only what may be sent again as it is, is retryable", () => {
    const retryable = Object.entries(ERRORS)
      .filter(([, one]) => one.retryable)
      .map(([, one]) => one.status);
    assert.deepEqual([...new Set(retryable)].sort(), [408, 429, 500, 503]);
  });

  it("spells `unauthorized` and `Forbidden` as the specification does", () => {
    assert.match(specification, /HTTP 401 `unauthorized`/);
    assert.match(specification, /HTTP 403 `Forbidden`/);
    for (const { status, error } of Object.values(ERRORS)) {
      if (status === 401) assert.equal(error, "unauthorized");
      if (status === 403) assert.equal(error, "Forbidden");
    }
  });
});

describe("Events", () => {
  it("have the codes of the page", () => {
    const written = table(events, "code").flatMap(([code = ""]) => quoted(code));
    assert.deepEqual([...written, "duplicate_event"].sort(), Object.keys(EVENT_CODES).sort());
    assert.ok(events.includes("the code `duplicate_event`"));
  });
});

describe("Sources", () => {
  it("have the values of the page at creation", () => {
    const [, text = ""] = /```json\n(.*?)```/s.exec(sources) ?? [];
    assert.deepEqual(JSON.parse(text), SOURCE_DEFAULTS);
  });
});

describe("Limits", () => {
  const rows = new Map(table(limits, "limit").map(([name = "", value = ""]) => [name, value]));
  const numbers = (name: string) =>
    [...(rows.get(name) ?? "").matchAll(/\d[\d,]*/g)].map(([text]) => numberIn(text));

  it("are those of the page", () => {
    assert.deepEqual(numbers("events in a batch"), [LIMITS.maxBatchSize]);
    assert.deepEqual(numbers("payload, decompressed"), [LIMITS.maxPayloadBytes]);
    assert.deepEqual(numbers("one event"), [LIMITS.maxEventBytes]);
    const client = [LIMITS.clientRatePerSecond, LIMITS.clientRateBurst];
    assert.deepEqual(numbers("requests of one client address to one source"), client);
    assert.deepEqual(numbers("requests to one source"), [LIMITS.sourceRatePerSecond, LIMITS.sourceRateBurst]);
    assert.deepEqual(numbers("unknown keys"), [LIMITS.unknownKeyRatePerSecond]);
    const workspace = [LIMITS.workspaceRatePerSecond, LIMITS.workspaceRateBurst];
    assert.deepEqual(numbers("workspace API"), workspace);
    assert.deepEqual(numbers("failed authentications"), [LIMITS.failedAuthPerMinute]);
    // the byte rate of an address and the quotas are off by default
    assert.match(rows.get("bytes of bodies from one client address, decompressed") ?? "", /^no limit/);
    assert.match(rows.get("events and bytes a day of a source, and of a workspace") ?? "", /^no limit/);
    assert.equal(rows.size, 10);
  });

  it("of a source may be raised as far as the page says", () => {
    const [, events, mebibytes, rate] =
      /up to\s+([\d,]+)\s+events,\s+(\d+)\s+MiB\s+and\s+([\d,]+)\s+requests/.exec(limits) ?? [];
    const ceilings = [
      LIMITS.maxBatchSizeCeiling,
      LIMITS.maxPayloadBytesCeiling,
      LIMITS.clientRatePerSecondCeiling,
    ];
    assert.deepEqual([numberIn(events!), numberIn(mebibytes!) * 1_048_576, numberIn(rate!)], ceilings);
  });

  it("of shapes and times are those that the pages name", () => {
    const says = (page: string, words: string) =>
      assert.ok(page.replaceAll(/\s+/g, " ").includes(words), words);
    const days = (seconds: number) => seconds / 86_400;
    const thousands = (value: number) => value.toLocaleString("en");
    says(conventions, `at most ${LIMITS.maxIssues} entries, then`);
    says(events, `1–${LIMITS.maxEnvelopeIdLength} characters; longer ones are refused`);
    says(events, `${LIMITS.maxPageBytes / 1_024} KiB and depth ${LIMITS.maxDepth}`);
    says(events, `over ${days(LIMITS.maxEventAgeSeconds)} days back`);
    says(events, `over ${LIMITS.maxFutureSeconds / 3_600} hours ahead`);
    says(
      WARNING_MESSAGES.timestamp_clamped,
      `more than ${LIMITS.futureClampSeconds / 60} minutes in the future`,
    );
    says(events, `\`event_name_too_long\` | over ${LIMITS.maxEventNameLength} characters`);
    says(events, `\`event_id_too_long\` | over ${LIMITS.maxEventIdLength} characters`);
    says(events, `\`event_too_large\` | over ${LIMITS.maxEventBytes / 1_024} KiB`);
    says(events, `\`properties_too_deep\` | deeper than ${LIMITS.maxDepth}`);
    says(events, `\`too_many_properties\` | over ${LIMITS.maxProperties} keys`);
    says(WARNING_MESSAGES.url_truncated, `more than ${thousands(LIMITS.maxUrlLength)} characters`);
    says(WARNING_MESSAGES.value_truncated, `title has more than ${LIMITS.maxTitleLength} characters`);
    says(WARNING_MESSAGES.value_truncated, `more than ${thousands(LIMITS.maxPropertyStringLength)}, and`);
    says(storedEvents, `over ${LIMITS.skewToleranceSeconds} seconds either way`);
    says(ingest, `idle under ${LIMITS.sessionTimeoutSeconds / 60} minutes`);
    says(ingest, `idle for over ${LIMITS.sessionIdleForEventsSeconds / 3_600} hours, or started over`);
    says(ingest, `started over ${days(LIMITS.sessionAgeForEventsSeconds)} days ago`);
    says(ingest, `${days(LIMITS.sessionRetentionSeconds)} days after their last activity`);
    assert.ok(DEDUP_WINDOW_SECONDS >= 9 * 86_400, "9 days or more");
    says(events, `counts once for ${days(DEDUP_WINDOW_SECONDS)} days after its first acceptance`);
    says(events, `the dedup window of ${days(DEDUP_WINDOW_SECONDS)} days`);
  });
});

describe("Roles", () => {
  it("have the permissions of the page", () => {
    let held: string[] = [];
    for (const [role = "", text = ""] of table(access, "role")) {
      const own = quoted(text).filter((word) => word.includes(":"));
      held = [...held, ...own];
      const granted = ROLE_PERMISSIONS[role as Role].filter((permission) => permission !== "owners:manage");
      assert.deepEqual([...granted].sort(), [...held].sort(), role);
    }
    assert.deepEqual([...held, "owners:manage"].sort(), [...PERMISSIONS].sort());
  });
});
