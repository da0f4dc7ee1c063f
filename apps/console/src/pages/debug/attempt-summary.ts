/** Summarizes an attempt for its row: the events' names, the page, the counts, and the request as a curl command. */
import type { DebugAttempt, DebugData } from "@headwater/contract";
import { isEventCode } from "@headwater/contract/event-codes";
import { MINUTE_MS } from "../../time.ts";
import { formatPath } from "../stats/lists/value-names.ts";

/** How many names of events a row has. */
const MAX_NAMES = 3;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** @returns the text of a member, wherever the value comes from */
function textAt(value: unknown, ...path: readonly string[]): string | null {
  let current = value;
  for (const name of path) current = isRecord(current) ? current[name] : undefined;
  return typeof current === "string" ? current : null;
}

/** @returns the meaning of a code, for example `Origin not allowed` or `Event ID too long` */
export const meaningOf = (code: string): string =>
  `${code.charAt(0).toUpperCase()}${code.slice(1).replaceAll("_", " ")}`.replace(/\b(?:id|url)\b/i, (word) =>
    word.toUpperCase(),
  );

const MAX_NAME_LENGTH = 60;

/** @returns an event's name, which may have thousands of characters, for a title */
export const shortName = (name: string | null): string =>
  name !== null && name.length > MAX_NAME_LENGTH
    ? `${name.slice(0, MAX_NAME_LENGTH)}…`
    : (name ?? "unnamed event");

/** @returns for example `page_view, signup and 2 more`, `Session opened`, or why the request was refused */
export function titleOf({ results, kind, code, outcome }: DebugAttempt): string {
  const names = [...new Set(results.map(({ name }) => shortName(name)))];
  if (names.length > 0) {
    const shown = names.slice(0, MAX_NAMES).join(", ");
    return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown;
  }
  if (outcome === "test") return "Install test";
  if (outcome === "failed") return code === null ? "Refused" : meaningOf(code);
  return kind === "bootstrap" ? "Session opened" : "No events";
}

/** @returns the paths of the pages in the attempt, such as `/cart and 2 more`; null when it names none */
export function pathOf({ raw }: DebugAttempt): string | null {
  const events: unknown[] = isRecord(raw) && Array.isArray(raw.events) ? raw.events : [];
  const urls = [raw, ...events].map((part) => textAt(part, "page", "url"));
  const paths = new Set(
    urls.flatMap((url) => {
      const path = url === null ? undefined : URL.parse(url)?.pathname;
      return path === undefined ? [] : formatPath(path);
    }),
  );
  const [first = null] = paths;
  return paths.size > 1 ? `${first} and ${paths.size - 1} more` : first;
}

/** The counts of an attempt's events, for its row. */
export function summarizeAttempt({ accepted, duplicates, rejected }: DebugAttempt): string {
  const parts = [
    accepted > 0 && `${accepted} accepted`,
    duplicates > 0 && `${duplicates} duplicate`,
    rejected > 0 && `${rejected} rejected`,
  ];
  return parts.filter(Boolean).join(" · ");
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * @param api the address of the service
 * @returns a command that sends the same request again; secrets in it are masked as in the list
 */
export function toCurl(attempt: DebugAttempt, api: string): string {
  const { publicKey, kind, origin, raw } = attempt;
  const path = `api/ingest/v2/${publicKey ?? "PUBLIC_KEY"}/${kind}`;
  const lines = [
    `curl -X POST ${quote(new URL(path, api).href)}`,
    "-H 'Content-Type: application/json'",
    origin !== null && `-H ${quote(`Origin: ${origin}`)}`,
    `--data ${quote(typeof raw === "string" ? raw : JSON.stringify(raw))}`,
  ];
  return lines.filter(Boolean).join(" \\\n  ");
}

export type RequestGroup = DebugData["requestGroups"][number];
type TopCode = DebugData["health"]["topCodes"][number];

export interface OriginRequests {
  readonly origin: string;
  readonly requests: number;
}

export interface AttemptProblem {
  readonly code: string;
  readonly count: number;
  /** The counted thing. */
  readonly unit: "event" | "request";
  readonly hint: string;
  /** The origins of the requests with this code, the most frequent first. */
  readonly origins: readonly OriginRequests[];
}

export const sumRequests = (groups: readonly RequestGroup[]): number =>
  groups.reduce((sum, { requests }) => sum + requests, 0);

/** @returns the origins of the requests, the most frequent first */
export function originsOf(groups: readonly RequestGroup[]): OriginRequests[] {
  const counts = new Map<string, number>();
  for (const { origin, requests } of groups)
    if (origin !== null) counts.set(origin, (counts.get(origin) ?? 0) + requests);
  return [...counts]
    .map(([origin, requests]) => ({ origin, requests }))
    .sort((a, b) => b.requests - a.requests);
}

const withCode = (groups: readonly RequestGroup[], wanted: string) =>
  groups.filter(({ code }) => code === wanted);

/** @param codes the most frequent error codes of all requests */
export const groupProblems = (
  codes: readonly Pick<TopCode, "code" | "count" | "hint">[],
  groups: readonly RequestGroup[],
): AttemptProblem[] =>
  codes.map(({ code, count, hint }) => ({
    code,
    count,
    unit: isEventCode(code) ? "event" : "request",
    hint,
    origins: originsOf(withCode(groups, code)),
  }));

/** The problems of the requests that the filters select. @param groups of these requests only */
export function groupFilteredProblems(
  codes: readonly Pick<TopCode, "code" | "hint">[],
  groups: readonly RequestGroup[],
): AttemptProblem[] {
  const found = new Set(groups.flatMap(({ code }) => code ?? []));
  const problems = [...found].map((code) => ({ code, requests: sumRequests(withCode(groups, code)) }));
  return problems
    .sort((a, b) => b.requests - a.requests)
    .map(({ code, requests }) => ({
      code,
      count: requests,
      unit: "request",
      hint: codes.find((top) => top.code === code)?.hint ?? "",
      origins: originsOf(withCode(groups, code)),
    }));
}

interface OutcomeMinute {
  /** In milliseconds since the epoch. */
  readonly start: number;
  readonly succeeded: number;
  readonly partial: number;
  readonly failed: number;
}

/** @returns the outcomes of the listed attempts by minute, the current one last */
export function outcomesByMinute(
  attempts: readonly Pick<DebugAttempt, "receivedAt" | "outcome">[],
  now: number,
  minutes: number,
): OutcomeMinute[] {
  const current = Math.floor(now / MINUTE_MS);
  const slots = Array.from({ length: minutes }, (_, index) => ({
    start: (current - minutes + 1 + index) * MINUTE_MS,
    succeeded: 0,
    partial: 0,
    failed: 0,
  }));
  for (const { receivedAt, outcome } of attempts) {
    const slot = slots[Math.floor(Date.parse(receivedAt) / MINUTE_MS) - current + minutes - 1];
    if (slot && outcome !== "test") slot[outcome] += 1;
  }
  return slots;
}
