/** The debug view of a source (spec 2.3): its limits, its health, and its recent attempts of both kinds. */
import {
  type AppliedLimits,
  ATTEMPT_KINDS,
  type AttemptKind,
  type DebugData,
  type DebugQuery,
  isErrorCode,
} from "@headwater/contract";
import { DAY_MS, toIsoTime } from "../core/time.ts";
import type { AttemptLedger, Catalog } from "../ledger/ledger.ts";
import type { AttemptFilter, PlanViolationRecord, SourceRecord, StoredAttempt } from "../ledger/records.ts";
import { maskString } from "../masking/mask.ts";
import { createAdmission } from "../overload/admission.ts";
import { renderSource } from "../sources/render.ts";
import { healthOf, healthSince } from "./health.ts";
import type { Recorder } from "./recorder.ts";

/** Views of the debug history at once, half of them of one workspace: a view has up to 6 MB, which the main thread copies. */
const MAX_ACTIVE_DEBUG_VIEWS = 2;
const MAX_WAITING_DEBUG_VIEWS = 100;
const DEBUG_PAGE_SIZE = 50;

/**
 * The view as JSON text (`DebugData`). The ledger has attempts as JSON, and they are not parsed to be shown. Views wait for
 * their turn, fair between workspaces.
 * @param signal ends the waiting
 * @throws AdmissionFull when too many views wait
 */
export type DebugView = (source: SourceRecord, query: DebugQuery, signal?: AbortSignal) => Promise<string>;

interface DebugViewDeps {
  readonly ledger: AttemptLedger & Pick<Catalog, "planViolations">;
  readonly recorder: Pick<Recorder, "flush">;
  readonly clock: () => number;
  readonly limitsOf: (source: SourceRecord) => AppliedLimits;
}

/**
 * Where a page starts, for each kind: at attempts older than this sequence number. undefined: at the newest attempt.
 * 0: there are no more of this kind.
 */
type PageStart = Record<AttemptKind, number | undefined>;

export function createDebugView(deps: DebugViewDeps): DebugView {
  const { ledger, recorder, clock, limitsOf } = deps;
  const admission = createAdmission({
    maxActive: MAX_ACTIVE_DEBUG_VIEWS,
    maxActivePerKey: Math.ceil(MAX_ACTIVE_DEBUG_VIEWS / 2),
    maxAdmitted: MAX_ACTIVE_DEBUG_VIEWS + MAX_WAITING_DEBUG_VIEWS,
    maxAdmittedPerKey: Math.ceil((MAX_ACTIVE_DEBUG_VIEWS + MAX_WAITING_DEBUG_VIEWS) / 2),
  });

  const render = async (source: SourceRecord, query: DebugQuery): Promise<string> => {
    await recorder.flush();
    const now = clock();
    const start = readCursor(query.cursor);
    const pageOf = (kind: AttemptKind) => readPage(ledger, { source, query, kind, before: start[kind] });
    const { sourceId } = source;
    const [bootstraps, events, groups, counts, violations] = await Promise.all([
      pageOf("bootstrap"),
      pageOf("events"),
      ledger.attemptGroups({ ...filterOf(source, query), since: now - DAY_MS }),
      ledger.attemptCounts({ sourceId, sinceHour: healthSince(now) }),
      ledger.planViolations({ sourceId }),
    ]);
    const health = healthOf(source, counts, now);
    await replaceHints(ledger, source, health.topCodes);
    const planViolations = violations.map(renderViolation);
    const facts = { source: renderSource(source, now), limits: limitsOf(source), health, planViolations };
    const requestGroups = groups.map((group) => ({ ...group, lastSeenAt: toIsoTime(group.lastSeenAt) }));
    const head = JSON.stringify({ ...facts, requestGroups });
    const nextCursor = JSON.stringify(toCursor({ bootstrap: bootstraps.next, events: events.next }));
    return `${head.slice(0, -1)},"bootstrapAttempts":${toJsonList(bootstraps.rows)},"eventAttempts":${toJsonList(events.rows)},"nextCursor":${nextCursor}}`;
  };
  return (source, query, signal) => admission.run(source.organizationId, () => render(source, query), signal);
}

const renderViolation = ({ count, firstSeenAt, lastSeenAt, ...violation }: PlanViolationRecord) => ({
  ...violation,
  events: count,
  firstSeenAt: toIsoTime(firstSeenAt),
  lastSeenAt: toIsoTime(lastSeenAt),
});

interface PageAsked {
  source: SourceRecord;
  query: DebugQuery;
  kind: AttemptKind;
  before: number | undefined;
}

/** One page of one kind, and where the next page starts. */
async function readPage(ledger: AttemptLedger, { source, query, kind, before }: PageAsked) {
  const limit = query.limit ?? DEBUG_PAGE_SIZE;
  if ((query.kind !== undefined && query.kind !== kind) || before === 0) return { rows: [], next: 0 };
  const found = await ledger.attempts({ ...filterOf(source, query), kind, before, limit: limit + 1 });
  const rows = found.slice(0, limit);
  return { rows, next: found.length > limit ? (rows.at(-1)?.seq ?? 0) : 0 };
}

/** The filter that the view and the stream share. Ids are masked, because they are stored masked. */
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

/** Replaces general hints by the hint of the newest refusal with the same code, which has the value to paste. */
async function replaceHints(
  ledger: AttemptLedger,
  { sourceId }: SourceRecord,
  topCodes: DebugData["health"]["topCodes"],
): Promise<void> {
  const refusals = topCodes.filter(({ code }) => isErrorCode(code));
  await Promise.all(
    refusals.map(async (top) => {
      const [newest] = await ledger.attempts({ sourceId, code: top.code, limit: 1 });
      const { hint }: { hint?: unknown } = newest ? JSON.parse(newest.record) : {};
      if (typeof hint === "string") top.hint = hint;
    }),
  );
}

const toJsonList = (rows: readonly StoredAttempt[]) => `[${rows.map((row) => row.record).join()}]`;

/**
 * Both kinds are paged at once, each from its own start, so that many attempts of one kind do not hide the other. The
 * cursor has digits only: two for the length of the first number, then both numbers.
 */
function toCursor(next: Record<AttemptKind, number>): string | null {
  if (ATTEMPT_KINDS.every((kind) => next[kind] === 0)) return null;
  const bootstrap = String(next.bootstrap);
  return `${String(bootstrap.length).padStart(2, "0")}${bootstrap}${next.events}`;
}

function readCursor(cursor: string | undefined): PageStart {
  if (cursor === undefined) return { bootstrap: undefined, events: undefined };
  const end = 2 + Number(cursor.slice(0, 2));
  return { bootstrap: readSeq(cursor.slice(2, end)), events: readSeq(cursor.slice(end)) };
}

/** A cursor that the service did not issue leads to an empty page. */
function readSeq(digits: string): number {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : 0;
}
