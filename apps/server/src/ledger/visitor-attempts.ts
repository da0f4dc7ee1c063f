/** Which debug attempts are a visitor's, by what was recorded of them. The same for every engine. Pure. */
import type { VisitorKind } from "@headwater/contract";
import type { VisitorToErase } from "../core/records.ts";

export interface RecordedAttempt {
  receivedAt: number;
  anonymousId: string | null;
  /** The attempt as JSON text. */
  record: string;
}

/** The members that name a visitor; a session is recorded as it was answered. */
const KINDS: Readonly<Record<string, VisitorKind>> = {
  anonymousId: "anonymousId",
  userId: "userId",
  identifiedUserId: "userId",
};
const NAMES = Object.keys(KINDS).join("|");
const NAMED = new RegExp(String.raw`"(${NAMES})"\s*:\s*"([^"\\]*(?:\\.[^"\\]*)*)"`, "g");
const SPACE = String.raw`(?:\s|\\[nrt])*`;
/** The same within a JSON string, as which a body is kept that is not JSON or whose first event is too large. */
const NAMED_IN_TEXT = new RegExp(
  String.raw`\\"(${NAMES})\\"${SPACE}:${SPACE}\\"([^"\\]*(?:(?:\\\\(?:\\.|[^"\\])|\\[^"\\])[^"\\]*)*)\\"`,
  "g",
);

/** What a JSON string says; null: it is none. */
function said(quoted: string): string | null {
  try {
    return JSON.parse(`"${quoted}"`) as string;
  } catch {
    return null;
  }
}

function* idsIn(record: string): Generator<[VisitorKind, string | null]> {
  for (const [, name, value] of record.matchAll(NAMED)) yield [KINDS[name!]!, said(value!)];
  for (const [, name, value] of record.matchAll(NAMED_IN_TEXT)) {
    const inner = said(value!);
    yield [KINDS[name!]!, inner === null ? null : said(inner)];
  }
}

/** @returns whether an attempt is one of theirs: an id elsewhere, such as a page's name that is the same, is none */
export function createAttemptFilter(
  visitors: readonly VisitorToErase[],
): (attempt: RecordedAttempt) => boolean {
  const latest = new Map<string, number>();
  const keyOf = (kind: VisitorKind, id: string | null) => `${kind} ${id}`;
  for (const { kind, id, until } of visitors) {
    const key = keyOf(kind, id);
    latest.set(key, Math.max(until, latest.get(key) ?? 0));
  }
  return ({ receivedAt, anonymousId, record }) => {
    const isWanted = (kind: VisitorKind, id: string | null) =>
      id !== null && receivedAt <= (latest.get(keyOf(kind, id)) ?? -1);
    if (isWanted("anonymousId", anonymousId)) return true;
    for (const [kind, id] of idsIn(record)) if (isWanted(kind, id)) return true;
    return false;
  };
}
