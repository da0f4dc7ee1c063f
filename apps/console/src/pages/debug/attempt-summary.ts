/** Summarizes an attempt for its row: the events' names, the page, the counts, and the request as a curl command. */
import type { DebugAttempt } from "@headwater/contract";

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

/** @returns the meaning of a code, for example `Origin not allowed` */
export const meaningOf = (code: string): string =>
  `${code.charAt(0).toUpperCase()}${code.slice(1).replaceAll("_", " ")}`;

/** @returns for example `page_view, signup and 2 more`, `Session opened`, or why the request was refused */
export function titleOf({ results, kind, code, outcome }: DebugAttempt): string {
  const names = [...new Set(results.map(({ name }) => name ?? "unnamed event"))];
  if (names.length > 0) {
    const shown = names.slice(0, MAX_NAMES).join(", ");
    return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown;
  }
  if (outcome === "failed") return code === null ? "Refused" : meaningOf(code);
  return kind === "bootstrap" ? "Session opened" : "No events";
}

/** @returns the path of the page that sent the attempt; null when it names none */
export function pathOf({ raw }: DebugAttempt): string | null {
  const events = isRecord(raw) && Array.isArray(raw.events) ? raw.events : [];
  const url = textAt(raw, "page", "url") ?? textAt(events[0], "page", "url");
  return url === null ? null : (URL.parse(url)?.pathname ?? null);
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

export interface AttemptProblem {
  readonly code: string;
  readonly count: number;
  readonly hint: string;
  /** The origins of the listed attempts with this code, the most frequent first. */
  readonly origins: readonly string[];
}

/** @param codes the most frequent error codes of the last 24 hours */
export const groupProblems = (
  codes: readonly Pick<AttemptProblem, "code" | "count" | "hint">[],
  attempts: readonly DebugAttempt[],
): AttemptProblem[] =>
  codes.map((problem) => {
    const counts = new Map<string, number>();
    for (const { code, origin } of attempts)
      if (code === problem.code && origin !== null) counts.set(origin, (counts.get(origin) ?? 0) + 1);
    const origins = [...counts].sort(([, one], [, other]) => other - one).map(([origin]) => origin);
    return { ...problem, origins };
  });

export interface OutcomeMinute {
  /** In milliseconds since the epoch. */
  readonly start: number;
  readonly succeeded: number;
  readonly partial: number;
  readonly failed: number;
}

const MINUTE_MS = 60_000;

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
    if (slot) slot[outcome] += 1;
  }
  return slots;
}
