/** Splits a JSON value into lines, each with its change mark and validation issues. */
import type { Issue } from "@headwater/contract";

type JsonPath = readonly (string | number)[];
type JsonMark = "added" | "changed";

export interface JsonLine {
  readonly key: string;
  readonly depth: number;
  readonly text: string;
  readonly mark: JsonMark | null;
  readonly issues: Issue[];
}

type MarkOf = (path: JsonPath, leaf: unknown) => JsonMark | null;

const keyOf = (path: JsonPath) => JSON.stringify(path);
const isBranch = (value: unknown): value is object => typeof value === "object" && value !== null;

/** @param markOf called for every value without members */
export function toJsonLines(value: unknown, markOf: MarkOf = () => null): JsonLine[] {
  const lines: JsonLine[] = [];
  const write = (path: JsonPath, depth: number, text: string, mark: JsonMark | null, end = "") =>
    lines.push({ key: keyOf(path) + end, depth, text, mark, issues: [] });
  const visit = (current: unknown, path: JsonPath, depth: number, label: string, comma: string) => {
    const entries: [string | number, unknown][] = Array.isArray(current)
      ? [...current.entries()]
      : isBranch(current)
        ? Object.entries(current)
        : [];
    if (entries.length === 0) {
      write(path, depth, `${label}${JSON.stringify(current)}${comma}`, markOf(path, current));
      return;
    }
    const [open, close] = Array.isArray(current) ? "[]" : "{}";
    write(path, depth, `${label}${open}`, null);
    for (const [at, [name, inner]] of entries.entries()) {
      const innerLabel = typeof name === "string" ? `${JSON.stringify(name)}: ` : "";
      visit(inner, [...path, name], depth + 1, innerLabel, at < entries.length - 1 ? "," : "");
    }
    write(path, depth, `${close}${comma}`, null, " end");
  };
  visit(value, [], 0, "", "");
  return lines;
}

/** @returns the lines of a body that is no JSON, as it was sent */
export const toTextLines = (text: string): JsonLine[] =>
  text.split("\n").map((line, at) => ({
    key: at === 0 ? keyOf([]) : `line ${at}`,
    depth: 0,
    text: line,
    mark: null,
    issues: [],
  }));

/** Attaches each issue to the line of its path, or of the closest parent when the path does not exist. */
export function attachIssues(lines: readonly JsonLine[], issues: readonly Issue[]): JsonLine[] {
  const found = new Map(lines.map((line) => [line.key, { ...line, issues: [...line.issues] }]));
  for (const issue of issues) {
    let path: JsonPath = issue.path;
    while (path.length > 0 && !found.has(keyOf(path))) path = path.slice(0, -1);
    found.get(keyOf(path))?.issues.push(issue);
  }
  return [...found.values()];
}

function valueAt(value: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>(
    (inner, name) => (isBranch(inner) ? (inner as Record<string | number, unknown>)[name] : undefined),
    value,
  );
}

/** Members whose name differs between a normalized event and the request. */
const RENAMED: Readonly<Record<string, string>> = { eventId: "id" };

/**
 * Marks values of normalized events that the request does not have or has differently. The request may have a value in
 * the event or in the batch around it.
 */
export const normalizedMarks =
  (raw: unknown): MarkOf =>
  ([index, ...path], leaf) => {
    if (leaf === null || path.length === 0) return null;
    const asSent = [RENAMED[path[0]!] ?? path[0]!, ...path.slice(1)];
    const inEvent = valueAt(raw, ["events", index!, ...asSent]);
    const sent = inEvent ?? valueAt(raw, asSent) ?? null;
    if (sent === null) return "added";
    return JSON.stringify(sent) === JSON.stringify(leaf) ? null : "changed";
  };

/** Marks values of the request's events that normalization has changed or removed. */
export const rawMarks =
  (normalized: unknown): MarkOf =>
  ([list, index, ...path], leaf) => {
    const event = list === "events" ? valueAt(normalized, [index!]) : undefined;
    if (!isBranch(event) || path.length === 0 || leaf === null) return null;
    const stored = valueAt(event, path[0] === "id" ? ["eventId"] : path);
    return JSON.stringify(stored) === JSON.stringify(leaf) ? null : "changed";
  };
