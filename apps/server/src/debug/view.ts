/** The debug view of a source (spec 2.3): its limits, its health, and its recent attempts of both kinds. */

import {
  type AppliedLimits,
  ATTEMPT_KINDS,
  type AttemptKind,
  type DebugData,
  type DebugQuery,
  ERRORS,
  type Source,
} from "@headwater/contract";
import type { Static } from "typebox";
import { SERVER_LIMITS } from "../core/limits.ts";
import type { AttemptFilter, SourceRecord, StoredAttempt } from "../core/records.ts";
import type { AttemptLedger } from "../ledger/ledger.ts";
import { healthOf, healthSince } from "./health.ts";
import { maskString } from "./mask.ts";
import type { Recorder } from "./recorder.ts";

export interface DebugRoom {
  view(source: SourceRecord, query: DebugQuery): Promise<DebugData>;
  /** The same as JSON text: the attempts are JSON in the ledger already, and are not parsed to be shown. */
  viewJson(source: SourceRecord, query: DebugQuery): Promise<string>;
}

export interface DebugParts {
  ledger: AttemptLedger;
  recorder: Pick<Recorder, "flush">;
  clock: () => number;
  /** The source as the contract shows it. */
  render: (source: SourceRecord) => Static<typeof Source>;
  limitsOf: (source: SourceRecord) => AppliedLimits;
}

/** Where a page begins: attempts of each kind that are older than these; 0 for a kind that is at its end. */
type Position = Record<AttemptKind, number | undefined>;

export function createDebugRoom({ ledger, recorder, clock, render, limitsOf }: DebugParts): DebugRoom {
  async function pageOf(
    source: SourceRecord,
    query: DebugQuery,
    kind: AttemptKind,
    before: number | undefined,
  ) {
    const limit = query.limit ?? SERVER_LIMITS.debugPageSize;
    if ((query.kind !== undefined && query.kind !== kind) || before === 0) return { rows: [], next: 0 };
    const found = await ledger.attempts({ ...filterOf(source, query), kind, before, limit: limit + 1 });
    const rows = found.slice(0, limit);
    return { rows, next: found.length > limit ? rows.at(-1)!.seq : 0 };
  }

  async function viewJson(source: SourceRecord, query: DebugQuery): Promise<string> {
    await recorder.flush();
    const now = clock();
    const position = positionOf(query.cursor);
    const [bootstraps, events, counts] = await Promise.all([
      pageOf(source, query, "bootstrap", position.bootstrap),
      pageOf(source, query, "events", position.events),
      ledger.attemptCounts({ sourceId: source.sourceId, sinceHour: healthSince(now) }),
    ]);
    const health = healthOf(source, counts, now);
    await sharpenHints(ledger, source, health.topCodes);
    const head = JSON.stringify({ source: render(source), limits: limitsOf(source), health });
    const nextCursor = JSON.stringify(cursorOf({ bootstrap: bootstraps.next, events: events.next }));
    return `${head.slice(0, -1)},"bootstrapAttempts":${listOf(bootstraps.rows)},"eventAttempts":${listOf(events.rows)},"nextCursor":${nextCursor}}`;
  }

  return {
    viewJson,
    view: async (source, query) => JSON.parse(await viewJson(source, query)) as DebugData,
  };
}

/** What the view and the stream ask for alike. Ids are masked as they are when they are kept. */
export function filterOf(source: SourceRecord, query: DebugQuery): Omit<AttemptFilter, "limit"> {
  const masked = (text: string | undefined) => (text === undefined ? undefined : maskString(text));
  return {
    sourceId: source.sourceId,
    kind: query.kind,
    outcome: query.outcome,
    code: query.code,
    origin: masked(query.origin),
    sessionId: masked(query.sessionId),
    anonymousId: masked(query.anonymousId),
  };
}

/** The newest refusal with a code has a hint with the value to paste; it is the better one. */
async function sharpenHints(
  ledger: AttemptLedger,
  { sourceId }: SourceRecord,
  topCodes: DebugData["health"]["topCodes"],
): Promise<void> {
  const refusals = topCodes.filter(({ code }) => Object.hasOwn(ERRORS, code));
  await Promise.all(
    refusals.map(async (top) => {
      const [newest] = await ledger.attempts({ sourceId, code: top.code, limit: 1 });
      if (newest) top.hint = (JSON.parse(newest.record) as { hint: string | null }).hint ?? top.hint;
    }),
  );
}

const listOf = (rows: readonly StoredAttempt[]) => `[${rows.map((row) => row.record).join()}]`;

/**
 * Both kinds are paged at once, each from its own place, so that many attempts of one kind hide none of the
 * other and none is shown twice. The cursor holds both numbers as digits: how many the first has, then each.
 */
function cursorOf(next: Record<AttemptKind, number>): string | null {
  if (ATTEMPT_KINDS.every((kind) => next[kind] === 0)) return null;
  const bootstrap = String(next.bootstrap);
  return `${String(bootstrap.length).padStart(2, "0")}${bootstrap}${next.events}`;
}

function positionOf(cursor: string | undefined): Position {
  if (cursor === undefined) return { bootstrap: undefined, events: undefined };
  const end = 2 + Number(cursor.slice(0, 2));
  return { bootstrap: safeNumber(cursor.slice(2, end)), events: safeNumber(cursor.slice(end)) };
}

/** A cursor that nobody was given leads to the end. */
function safeNumber(digits: string): number {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : 0;
}
