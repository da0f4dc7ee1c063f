/** The catalogue of this package against the tables of docs/contract.md: what is written there is what the service says. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import {
  DEDUP_WINDOW_SECONDS,
  ERRORS,
  type ErrorCode,
  EVENT_CODES,
  ISSUE_CODES,
  LIMITS,
  PERMISSIONS,
  ROLE_PERMISSIONS,
  type Role,
  WARNINGS,
} from "@headwater/contract";

const contract = readFileSync(new URL("../../../docs/contract.md", import.meta.url), "utf8");
const specification = readFileSync(new URL("../../../docs/spec.md", import.meta.url), "utf8");

const section = (number: number) =>
  contract.split(/^## /m).find((text) => text.startsWith(`${number}. `)) ?? "";

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

/** Later words than the contract's own, each for an operation of its section 3. */
const FURTHER_CODES = [
  "member_not_found",
  "token_not_found",
  "invitation_not_found",
  "invalid_code",
  "email_taken",
  "last_owner",
  "member_exists",
  "key_not_retired",
  "too_many_sources",
  "limit_reached",
  "plan_changed",
  "saved_item_not_found",
  "too_many_saved_items",
  "report_not_found",
  "too_many_reports",
  "report_unconfirmed",
  "plan_version_not_found",
  "erasure_not_found",
  "too_many_erasures",
];

const FURTHER_EVENT_CODES = ["duplicate_event", "invalid_event"];

describe("The catalogue of errors", () => {
  /** Of each status: the word in `error`, and the codes, as the table of section 1 has them. */
  const rows = table(section(1), "status").flatMap(([statuses = "", errors = "", codes = ""]) => {
    const words = quoted(errors);
    // a row of several statuses has one code each, named as its error is
    const named =
      words.length > 1
        ? []
        : quoted(codes).filter((word) => word in ERRORS || /^[a-z]+(_[a-z]+)+$/.test(word));
    return statuses.split("/").map((status, at) => {
      const word = words[at]!;
      return {
        status: Number(status),
        error: word,
        codes: named.length > 0 ? named : [word === "bad_request" ? "malformed_http" : word],
      };
    });
  });

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
    assert.deepEqual([...statuses].sort(), rows.map(({ status }) => status).sort());
  });

  it("has every code of the contract under its status, and no others but the named ones", () => {
    const written = new Map(rows.flatMap(({ status, codes }) => codes.map((code) => [code, status])));
    for (const [code, status] of written) assert.equal(ERRORS[code as ErrorCode]?.status, status, code);
    assert.deepEqual([...written.keys(), ...FURTHER_CODES].sort(), Object.keys(ERRORS).sort());
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

  it("has the codes of issues", () => {
    const line = /codes are\s+`(required [^`]+)`/s.exec(section(1))?.[1] ?? "";
    assert.deepEqual(line.split(/\s+/), [...ISSUE_CODES]);
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
  it("have the per-event codes of section 4", () => {
    const written = table(section(4), "code").flatMap(([codes = ""]) => quoted(codes));
    assert.deepEqual([...written, ...FURTHER_EVENT_CODES].sort(), Object.keys(EVENT_CODES).sort());
    for (const code of FURTHER_EVENT_CODES) assert.ok(section(4).includes(`\`${code}\``), code);
  });

  it("have the warnings of section 4", () => {
    const written = table(section(4), "warning").flatMap(([warning = ""]) => quoted(warning));
    assert.deepEqual(written.sort(), [...WARNINGS].sort());
  });
});

describe("Limits", () => {
  const rows = new Map(table(section(5), "limit").map(([name = "", value = ""]) => [name, value]));
  const numbers = (name: string) =>
    [...(rows.get(name) ?? "").matchAll(/\d[\d,]*/g)].map(([text]) => numberIn(text));

  it("are those of section 5", () => {
    assert.deepEqual(numbers("events in a batch"), [LIMITS.maxBatchSize]);
    assert.deepEqual(numbers("payload, decompressed"), [LIMITS.maxPayloadBytes]);
    assert.deepEqual(numbers("one event"), [LIMITS.maxEventBytes]);
    const client = [LIMITS.clientRatePerSecond, LIMITS.clientRateBurst];
    assert.deepEqual(numbers("requests of one client address to one source"), client);
    assert.deepEqual(numbers("requests to one source"), [LIMITS.sourceRatePerSecond, LIMITS.sourceRateBurst]);
    assert.deepEqual(numbers("unknown keys"), [LIMITS.unknownKeyRatePerSecond]);
    const workspace = [LIMITS.workspaceRatePerSecond, LIMITS.workspaceRateBurst, LIMITS.failedAuthPerMinute];
    assert.deepEqual(numbers("workspace API"), workspace);
    // the byte rate of an address and the quotas are off by default
    assert.match(rows.get("bytes of bodies from one client address, decompressed") ?? "", /^no limit/);
    assert.match(rows.get("events and bytes a day of a source, and of a workspace") ?? "", /^no limit/);
    assert.equal(rows.size, 9);
  });

  it("of a source may be raised as far as section 5 says", () => {
    const [, events, mebibytes, rate] =
      /go up to ([\d,]+) events, (\d+) MiB and ([\d,]+) requests/.exec(section(5)) ?? [];
    const ceilings = [
      LIMITS.maxBatchSizeCeiling,
      LIMITS.maxPayloadBytesCeiling,
      LIMITS.clientRatePerSecondCeiling,
    ];
    assert.deepEqual([numberIn(events!), numberIn(mebibytes!) * 1_048_576, numberIn(rate!)], ceilings);
  });

  it("of shapes and times are those that sections 2, 4 and 6 name", () => {
    const says = (number: number, words: RegExp) => assert.match(section(number), words);
    const days = (seconds: number) => seconds / 86_400;
    says(2, new RegExp(`1–${LIMITS.maxNameLength} characters after trimming`));
    says(2, new RegExp(`at most ${LIMITS.maxSlugLength}, unique`));
    says(2, new RegExp(`at most ${LIMITS.maxAllowedOrigins}; `));
    says(2, new RegExp(`0–${LIMITS.maxGraceSeconds}, default 0`));
    says(4, new RegExp(`1–${LIMITS.maxEnvelopeIdLength} characters; longer ones are refused`));
    says(4, new RegExp(`${LIMITS.maxPageBytes / 1_024} KiB and depth ${LIMITS.maxDepth}`));
    says(
      4,
      new RegExp(
        `over ${days(LIMITS.maxEventAgeSeconds)} days back, .* / over ${LIMITS.maxFutureSeconds / 3_600} hours ahead`,
      ),
    );
    says(4, new RegExp(`\\(${LIMITS.futureClampSeconds / 60} minutes to 24 hours ahead`));
    says(4, new RegExp(`over ${LIMITS.skewToleranceSeconds} seconds either way`));
    says(4, new RegExp(`over ${LIMITS.maxEventNameLength} / over ${LIMITS.maxEventIdLength} characters`));
    says(
      4,
      new RegExp(
        `over ${LIMITS.maxEventBytes / 1_024} KiB / deeper than ${LIMITS.maxDepth} / over ${LIMITS.maxProperties} keys`,
      ),
    );
    says(
      4,
      new RegExp(
        `title over ${LIMITS.maxTitleLength} characters, or a property's string over ${LIMITS.maxPropertyStringLength.toLocaleString("en")}`,
      ),
    );
    says(4, new RegExp(`idle under ${LIMITS.sessionTimeoutSeconds / 60} minutes`));
    says(
      4,
      new RegExp(
        `idle\\s+for over ${LIMITS.sessionIdleForEventsSeconds / 3_600} hours, or started over ${days(LIMITS.sessionAgeForEventsSeconds)} days ago`,
      ),
    );
    says(4, new RegExp(`${days(LIMITS.sessionRetentionSeconds)} days after their last activity`));
    says(1, new RegExp(`at most ${LIMITS.maxIssues}, then`));
    assert.ok(DEDUP_WINDOW_SECONDS >= 9 * 86_400, "9 days or more");
    says(4, new RegExp(`counts once for ${days(DEDUP_WINDOW_SECONDS)} days after its first acceptance`));
    says(4, new RegExp(`the dedup window of ${days(DEDUP_WINDOW_SECONDS)} days`));
    says(6, new RegExp(`"dedupWindowSeconds": ${DEDUP_WINDOW_SECONDS}`));
  });
});

describe("Roles", () => {
  it("have the permissions of section 3", () => {
    let held: string[] = [];
    for (const [role = "", text = ""] of table(section(3), "role")) {
      const own = quoted(text).filter((word) => word.includes(":"));
      held = [...held, ...own];
      const granted = ROLE_PERMISSIONS[role as Role].filter((permission) => permission !== "owners:manage");
      assert.deepEqual([...granted].sort(), [...held].sort(), role);
    }
    assert.deepEqual([...held, "owners:manage"].sort(), [...PERMISSIONS].sort());
  });
});
