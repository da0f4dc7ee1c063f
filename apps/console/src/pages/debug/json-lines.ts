/** A value as the lines of its JSON, with what is said of each place beside its line. Pure. */
import type { Issue } from "@headwater/contract";

type Path = readonly (string | number)[];
export type JsonMark = "added" | "changed";

export interface JsonLine {
  readonly key: string;
  readonly depth: number;
  readonly text: string;
  readonly mark: JsonMark | null;
  readonly issues: Issue[];
}

type MarkOf = (path: Path, leaf: unknown) => JsonMark | null;

const keyOf = (path: Path) => JSON.stringify(path);
const isBranch = (value: unknown): value is object => typeof value === "object" && value !== null;

/** @param markOf asked for every value that holds no others */
export function toJsonLines(value: unknown, markOf: MarkOf = () => null): JsonLine[] {
  const lines: JsonLine[] = [];
  const write = (path: Path, depth: number, text: string, mark: JsonMark | null, end = "") =>
    lines.push({ key: keyOf(path) + end, depth, text, mark, issues: [] });
  const visit = (one: unknown, path: Path, depth: number, label: string, comma: string) => {
    const entries: [string | number, unknown][] = Array.isArray(one)
      ? [...one.entries()]
      : isBranch(one)
        ? Object.entries(one)
        : [];
    if (entries.length === 0) {
      write(path, depth, `${label}${JSON.stringify(one)}${comma}`, markOf(path, one));
      return;
    }
    const [open, close] = Array.isArray(one) ? "[]" : "{}";
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

/** Each issue at its line, or at the nearest one around a place that is not there. */
export function attachIssues(lines: readonly JsonLine[], issues: readonly Issue[]): JsonLine[] {
  const found = new Map(lines.map((line) => [line.key, { ...line, issues: [...line.issues] }]));
  for (const issue of issues) {
    let path: Path = issue.path;
    while (path.length > 0 && !found.has(keyOf(path))) path = path.slice(0, -1);
    found.get(keyOf(path))?.issues.push(issue);
  }
  return [...found.values()];
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, name) => (isBranch(inner) ? (inner as Record<string | number, unknown>)[name] : undefined),
    value,
  );
}

const RENAMED: Readonly<Record<string, string>> = { eventId: "id" };

/** What the normal form of each event has that did not come so: in the event itself, or in the batch around it. */
export const normalizedMarks =
  (raw: unknown): MarkOf =>
  ([index, ...path], leaf) => {
    if (leaf === null || path.length === 0) return null;
    const asSent = [RENAMED[path[0]!] ?? path[0]!, ...path.slice(1)];
    const own = at(raw, ["events", index!, ...asSent]);
    const came = own === undefined || own === null ? at(raw, asSent) : own;
    if (came === undefined || came === null) return "added";
    return JSON.stringify(came) === JSON.stringify(leaf) ? null : "changed";
  };

/** What of the events that came is otherwise, or nowhere, in their normal forms. */
export const rawMarks =
  (normalized: unknown): MarkOf =>
  ([list, index, ...path], leaf) => {
    const form = list === "events" ? at(normalized, [index!]) : undefined;
    if (!isBranch(form) || path.length === 0 || leaf === null) return null;
    const kept = at(form, path[0] === "id" ? ["eventId"] : path);
    return JSON.stringify(kept) === JSON.stringify(leaf) ? null : "changed";
  };
