/** Which debug attempts belong to a visitor that is erased, in both engines. Pure. */
import type { VisitorKind } from "@headwater/contract";
import type { VisitorToErase } from "./records.ts";

export interface RecordedAttempt {
  receivedAt: number;
  anonymousId: string | null;
  /** The attempt as JSON text. */
  record: string;
}

/** The JSON members that hold a visitor's id; `identifiedUserId` is the one of a bootstrap's answer. */
const KINDS: Readonly<Record<string, VisitorKind>> = {
  anonymousId: "anonymousId",
  userId: "userId",
  identifiedUserId: "userId",
};
const NAMES = Object.keys(KINDS).join("|");
const MEMBER = new RegExp(String.raw`"(${NAMES})"\s*:\s*"([^"\\]*(?:\\.[^"\\]*)*)"`, "g");
const SPACE = String.raw`(?:\s|\\[nrt])*`;
/** The same members inside a JSON string: a body that is not JSON, or is too large, is recorded as a string. */
const QUOTED_MEMBER = new RegExp(
  String.raw`\\"(${NAMES})\\"${SPACE}:${SPACE}\\"([^"\\]*(?:(?:\\\\(?:\\.|[^"\\])|\\[^"\\])[^"\\]*)*)\\"`,
  "g",
);

/** The value of a JSON string without its quotes; null when it is not valid. */
function parseStringContent(quoted: string): string | null {
  try {
    const value: unknown = JSON.parse(`"${quoted}"`);
    return typeof value === "string" ? value : null;
  } catch {
    return null;
  }
}

function* idsIn(record: string): Generator<readonly [kind: VisitorKind | undefined, id: string | null]> {
  for (const [, name = "", value = ""] of record.matchAll(MEMBER))
    yield [KINDS[name], parseStringContent(value)];
  for (const [, name = "", value = ""] of record.matchAll(QUOTED_MEMBER)) {
    const inner = parseStringContent(value);
    yield [KINDS[name], inner === null ? null : parseStringContent(inner)];
  }
}

/** Returns whether an attempt names one of the visitors. The same text elsewhere, such as in a page's title, does not count. */
export function createAttemptFilter(
  visitors: readonly VisitorToErase[],
): (attempt: RecordedAttempt) => boolean {
  const keyOf = (kind: VisitorKind, id: string) => `${kind} ${id}`;
  const eraseUntil = new Map<string, number>();
  for (const { kind, id, until } of visitors)
    eraseUntil.set(keyOf(kind, id), Math.max(until, eraseUntil.get(keyOf(kind, id)) ?? 0));
  return ({ receivedAt, anonymousId, record }) => {
    const ids = [["anonymousId", anonymousId] as const, ...idsIn(record)];
    return ids.some(
      ([kind, id]) =>
        kind !== undefined && id !== null && receivedAt <= (eraseUntil.get(keyOf(kind, id)) ?? -1),
    );
  };
}
