/** The events that `headwater plan check` checks: of a file of JSON lines, or of a source's recent attempts. */
import { readFileSync } from "node:fs";
import { type DebugData, type Event, LIMITS } from "@headwater/contract";
import type { HeadwaterApi } from "../../../../packages/api/src/index.ts";
import { CommandFailed } from "../../src/cli/errors.ts";
import { systemCode } from "../../src/core/errors.ts";
import { isRecord, memberOf } from "../../src/core/members.ts";

type PlannedFields = Pick<Event, "type" | "name" | "passive" | "properties">;

/** An event with where it was recorded. */
export interface RecordedEvent {
  readonly event: PlannedFields;
  /** Such as `recorded.ndjson:3`, or the id of an attempt. */
  readonly place: string;
  readonly clientVersion: string | null;
  readonly page: string | null;
}

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

function toEvent(value: unknown): PlannedFields | null {
  const [type, name] = [textOf(memberOf(value, "type")), textOf(memberOf(value, "name"))];
  if (type === null || (type === "track" && name === null)) return null;
  const properties = memberOf(value, "properties");
  return {
    type,
    name,
    passive: memberOf(value, "passive") === true,
    properties: isRecord(properties) ? properties : null,
  };
}

const listIn = (value: unknown, name: string): readonly unknown[] | null => {
  const list = memberOf(value, name);
  return Array.isArray(list) ? list : null;
};

/** The events of an event, of a batch, or of an attempt of the debug view. An attempt's body may be another tool's. */
function eventsIn(value: unknown): readonly unknown[] {
  const isForeign = textOf(memberOf(value, "endpoint")) !== null;
  const inBody = isForeign ? null : (listIn(memberOf(value, "raw"), "events") ?? listIn(value, "events"));
  return inBody ?? listIn(value, "normalized") ?? [value];
}

/** Attempts and bootstraps can be without events. */
const isKnown = (value: unknown): boolean =>
  toEvent(value) !== null ||
  listIn(value, "events") !== null ||
  ["attemptId", "ingestVersion"].some((name) => memberOf(value, name) !== undefined);

function readValue(value: unknown, place: string): RecordedEvent[] {
  const clientVersion = textOf(memberOf(value, "sdkVersion"));
  return eventsIn(value).flatMap((one) => {
    const event = toEvent(one);
    const page = memberOf(one, "page");
    const shown = textOf(memberOf(page, "path")) ?? textOf(memberOf(page, "url"));
    return event ? [{ event, place, clientVersion, page: shown }] : [];
  });
}

function parseLine(line: string, place: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new CommandFailed(`${place}: the line is not JSON. Write one event, batch or attempt a line.`);
  }
}

/** @throws CommandFailed for a line that is neither an event, a batch nor an attempt */
export function readEventLines(path: string): RecordedEvent[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new CommandFailed(`--events ${path} cannot be read (${systemCode(error)}).`);
  }
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    const place = `${path}:${index + 1}`;
    const value = parseLine(line, place);
    if (isKnown(value)) return readValue(value, place);
    throw new CommandFailed(
      `${place}: the line is not an event, batch or attempt of Headwater. To check events of another tool's client, check the attempts of a source with --api.`,
    );
  });
}

const MAX_PAGES = 20;

interface RecentEvents {
  readonly events: RecordedEvent[];
  /** Attempts whose body is too long for the debug view. */
  readonly cut: number;
}

/** The events of the attempts that the debug view lists, masked. */
export async function readRecentEvents(
  api: HeadwaterApi,
  sourceId: string,
  sinceMs: number,
): Promise<RecentEvents> {
  const attempts: DebugData["eventAttempts"] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = { limit: LIMITS.maxDebugPageSize, ...(cursor === undefined ? {} : { cursor }) };
    const data = await api.getDebug({ params: { sourceId }, query });
    const listed = [...data.bootstrapAttempts, ...data.eventAttempts];
    const recent = listed.filter(({ receivedAt }) => Date.parse(receivedAt) >= sinceMs);
    attempts.push(...recent);
    if (data.nextCursor === null || recent.length < listed.length) break;
    cursor = data.nextCursor;
  }
  const events = attempts.flatMap((attempt) => readValue(attempt, `attempt ${attempt.attemptId}`));
  return { events, cut: attempts.filter(({ truncated }) => truncated).length };
}
