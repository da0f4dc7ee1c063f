/** Unit tests of the debug page's data functions. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { DebugAttempt } from "@headwater/contract";
import { attachIssues, normalizedMarks, rawMarks, toJsonLines } from "../../src/pages/debug/json-lines.ts";
import { mergeAttempts } from "../../src/pages/debug/merge-attempts.ts";
import { parseEventStream } from "../../src/pages/debug/server-sent-events.ts";

const attempt = (attemptId: string, second: number) =>
  ({ attemptId, receivedAt: new Date(second * 1_000).toISOString() }) as DebugAttempt;

test("Merged attempts are newest first and without duplicates.", () => {
  const shown = mergeAttempts([], [attempt("b", 2), attempt("d", 4), attempt("a", 1)]);
  const merged = mergeAttempts(shown, [attempt("c", 3), attempt("d", 4), attempt("e", 5), attempt("e", 5)]);
  assert.deepEqual(
    merged.map(({ attemptId }) => attemptId),
    ["e", "d", "c", "b", "a"],
  );
});

test("The list drops the oldest attempts beyond its maximum.", () => {
  const many = Array.from({ length: 7_000 }, (_, second) => attempt(`a${second}`, second));
  const shown = mergeAttempts(mergeAttempts([], many), [attempt("new", 7_001)]);
  assert.equal(shown.length, 6_000);
  assert.equal(shown[0]!.attemptId, "new");
});

test("The lines of a value together are its JSON.", () => {
  const value = { a: [1, { b: null }, []], "c d": {}, e: 'x"y' };
  const text = toJsonLines(value)
    .map((line) => "  ".repeat(line.depth) + line.text)
    .join("\n");
  assert.deepEqual(JSON.parse(text), value);
});

test("An issue is attached to its line, or to the parent object when the field is missing.", () => {
  const raw = { events: [{ id: "e", timestamp: "soon" }] };
  const issue = (name: string) => ({
    path: ["events", 0, name],
    code: "required" as const,
    message: `${name} is wrong`,
  });
  const lines = attachIssues(toJsonLines(raw), [issue("timestamp"), issue("name")]);
  const issueLines = lines.flatMap((line) => line.issues.map(({ message }) => `${line.text} ${message}`));
  assert.deepEqual(issueLines, ["{ name is wrong", '"timestamp": "soon" timestamp is wrong']);
});

test("Added and changed values are marked in the received and the normalized JSON.", () => {
  const raw = { userId: "u", events: [{ id: "e", type: "page", name: "x", page: { path: "/" } }] };
  const normalized = [
    {
      eventId: "e",
      type: "page",
      name: "page_view",
      userId: "u",
      page: { path: "/", host: "a" },
      country: null,
    },
  ];
  const marked = (value: unknown, markOf: Parameters<typeof toJsonLines>[1]) =>
    toJsonLines(value, markOf).flatMap(({ mark, text }) => (mark ? [`${mark} ${text}`] : []));
  assert.deepEqual(marked(normalized, normalizedMarks(raw)), [
    'changed "name": "page_view",',
    'added "host": "a"',
  ]);
  assert.deepEqual(marked(raw, rawMarks(normalized)), ['changed "name": "x",']);
});

test("The event-stream parser handles events split over chunks and skips comments.", async () => {
  async function* pieces() {
    yield ": heart";
    yield "beat\n\nid: 7\nevent: attempt\nda";
    yield 'ta: {"a":\ndata: 1}\n\nevent: end\ndata: {}\n\n: x';
  }
  const frames = await Array.fromAsync(parseEventStream(pieces()));
  assert.deepEqual(frames, [
    { id: "7", event: "attempt", data: '{"a":\n1}' },
    { id: null, event: "end", data: "{}" },
  ]);
});
