/** The pipeline of ingest: every stage that a request passes, from its public key to its answer. */
import { Refusal } from "../core/refusal.ts";
import type { EventLearner } from "../event-catalog/learner.ts";
import { type IngestBody, readIngestBody } from "../http/body.ts";
import { toRefusal } from "../http/failure.ts";
import type { RequestIds } from "../http/trace-context.ts";
import type { IngestLedger } from "../ledger/ledger.ts";
import type { Admission } from "../overload/admission.ts";
import type { ForeignReply } from "./adapter.ts";
import { buildAnswer } from "./answer.ts";
import type { AnsweredOutcome, Attempt, Outcome } from "./attempt.ts";
import { type AttemptDraft, startAttempt } from "./attempt-draft.ts";
import { checkKey, checkRequest } from "./checks.ts";
import {
  type BatchDeps,
  buildCommit,
  buildResults,
  type CommitInput,
  type EvaluatedEvent,
  evaluateBatch,
  learnEvents,
  recordCommit,
  rejectInvalid,
  rejectionOf,
} from "./evaluate-batch.ts";
import {
  buildForeignBatch,
  type ForeignBatch,
  foreignEnvelope,
  inOrder,
  toForeignRequest,
  translate,
} from "./foreign-batch.ts";
import type { ForeignCall, IngestRequest } from "./ingest-request.ts";
import { decodeBody, NO_BODY, parseJson } from "./json.ts";
import { type BodyParser, readEnvelope } from "./parse.ts";
import type { PlanCache } from "./plan-cache.ts";
import type { Quotas } from "./quotas.ts";
import type { RateChecks } from "./rates.ts";
import { readSender, type SenderDeps } from "./sender.ts";
import type { SessionCache } from "./session-cache.ts";
import type { CachedSource, SourceCache } from "./source-cache.ts";
import { unstoredOf, unstoredOfRefused } from "./unstored.ts";
import type { RequestWithBody } from "./unstored-event.ts";
import { findForeignVisits, findVisit, type KeyedRequest, type Visit } from "./visit.ts";
import type { DeviceOf } from "./visitor.ts";
import type { VisitorIds } from "./visitor-ids.ts";

export interface IngestDeps {
  readonly ledger: IngestLedger;
  readonly sources: SourceCache;
  readonly sessions: SessionCache;
  readonly plans: PlanCache;
  readonly visitorIds: VisitorIds;
  readonly rates: RateChecks;
  readonly quotas: Quotas;
  readonly learner: EventLearner;
  /** Slots for requests that are processed, by source. */
  readonly admission: Admission;
  readonly parseBody: BodyParser;
  readonly placeOf: SenderDeps["placeOf"];
  readonly deviceOf: DeviceOf;
  readonly isDataCentre: SenderDeps["isDataCentre"];
  readonly propertyNames: BatchDeps["propertyNames"];
  readonly isSpamReferrer: BatchDeps["isSpamReferrer"];
  /** Throws a 401 or 403 refusal unless the token may send events of the source. */
  readonly authenticateSender: (authorization: string, sourceId: string, now: number) => Promise<void>;
  readonly newId: (prefix: string) => string;
  /** Why the node accepts nothing now. null: it accepts requests. */
  readonly unavailable: () => "storage_unavailable" | "storage_full" | "shutting_down" | null;
  /** Makes a log line, counters and a debug record of a finished attempt. */
  readonly observe: (attempt: Attempt) => void;
  /** Logs a storage failure or a bug. */
  readonly report: (error: unknown, ids: RequestIds) => void;
  /** Milliseconds, monotonic. */
  readonly stopwatch: () => number;
}

/** Handles an ingest request. Never rejects: the attempt contains the answer or the refusal. */
export async function handleIngest(request: IngestRequest, deps: IngestDeps): Promise<Attempt> {
  const draft = startAttempt(request, deps);
  let outcome: Outcome;
  try {
    outcome = await runStages(request, draft, deps);
  } catch (error) {
    const refusal = toRefusal(error);
    if (refusal.cause !== undefined) deps.report(refusal.cause, request);
    outcome = { kind: "refused", refusal };
    const sent = draft.sent();
    if (sent) draft.note({ unstored: unstoredOfRefused(sent, refusal, deps) });
  }
  const attempt = draft.finish(outcome);
  const isCounted = outcome.kind === "refused" || !request.foreign?.fixedReply;
  if (isCounted) observeSafely(attempt, deps);
  return attempt;
}

/**
 * The stages in order; the first that throws a refusal ends the request (docs/api/ingest.md). The draft notes
 * what each stage learned, so that the debug view shows refused requests too.
 */
async function runStages(
  request: IngestRequest,
  draft: AttemptDraft,
  deps: IngestDeps,
): Promise<AnsweredOutcome> {
  const { publicKey, clientKey, receivedAt } = request;
  const keyed = deps.sources.cached(publicKey) ?? (await findSource(request, deps));
  const { sourceId } = keyed.source;
  const keyRefusal = checkKey(keyed, receivedAt);
  draft.note({ source: keyed.source, publicKey, keyState: keyRefusal ? "retired" : keyed.keyState });
  const rateRefusal = deps.rates.checkSource(keyed, clientKey, receivedAt);
  if (rateRefusal) throw keyRefusal ?? rateRefusal;
  if (request.foreign?.fixedReply) {
    if (keyRefusal) throw keyRefusal;
    return answerWithoutEvents(request.foreign.fixedReply, draft.attemptId, sourceId);
  }
  const quotaRefusal = keyed.hasQuota ? await deps.quotas.check(keyed, receivedAt) : null;
  if (quotaRefusal && keyed.source.keepRejected === 0) throw keyRefusal ?? quotaRefusal;
  requireAvailable(sourceId, deps);
  const tokenRefusal = request.authorization === null ? null : await checkToken(request, sourceId, deps);

  // the body of a refused request is read too, so that the debug view can show it and the source can keep its events
  const body = await readIngestBody(request.stream, keyed.limits.maxPayloadBytes, { clientKey, sourceId });
  const { sizeBytes } = body;
  draft.note({ payloadBytes: sizeBytes });
  deps.rates.countBytes(clientKey, receivedAt, sizeBytes);
  const sent = { request, keyed, body };
  // without a valid token, nobody knows that the events are a server's
  if (tokenRefusal === null) draft.receive(sent);
  const refusal = keyRefusal ?? quotaRefusal ?? tokenRefusal ?? checkRequest(request, keyed, body);
  if (refusal) {
    draft.note(describeBody(body));
    throw refusal;
  }

  return deps.admission.run(sourceId, () => processBody(sent, draft, deps));
}

function answerWithoutEvents(reply: ForeignReply, attemptId: string, sourceId: string): AnsweredOutcome {
  const counts = { accepted: 0, duplicates: 0, rejected: 0, results: [] };
  const answer = { ok: true, attemptId, sourceId, sessionId: "", ...counts } as const;
  return { kind: "answered", answer, results: [], normalized: () => [], rejections: () => [], reply };
}

/** The stages of a request that was admitted. */
async function processBody(
  { request, keyed, body }: RequestWithBody,
  draft: AttemptDraft,
  deps: IngestDeps,
): Promise<AnsweredOutcome> {
  const { receivedAt } = request;
  const { sourceId } = keyed.source;
  const { sizeBytes } = body;
  draft.note({ body: () => decodeBody(body) });
  const { bodyText } = decodeBody(body);
  if (request.foreign)
    return processForeign({ request, keyed, body }, { call: request.foreign, bodyText }, draft, deps);
  const json = parseJson(bodyText);
  draft.note({ envelope: readEnvelope(json) });
  const parsed = deps.parseBody(json, request, keyed.limits.maxBatchSize);
  if (parsed.batch) draft.note({ clockSkewMs: receivedAt - parsed.batch.sentAt });

  const visit = await findVisit(parsed, request, keyed, deps);
  const { events, commit, committed } = await visit.store(async () => {
    const sender = readSender(request, keyed, deps);
    const events = await evaluateBatch({ sender, keyed, parsed, session: visit.session }, deps);
    const userId = parsed.body.userId || null;
    const stored = await storeEvents(
      { sourceId, receivedAt, visits: [visit], userId, events, sizeBytes },
      keyed,
      deps,
    );
    return { events, ...stored };
  });
  recordCommit(commit, committed, [visit], deps.sessions);

  const results = buildResults(events, committed, sourceId, request.authorization !== null);
  if (results.rejected > 0) draft.note({ unstored: unstoredOf(events, sizeBytes) });
  const { attemptId } = draft;
  const answer = buildAnswer({ attemptId, request, keyed, parsed, visit, results });
  return { kind: "answered", answer, results: results.results, ...detailsOf(events), reply: null };
}

const detailsOf = (
  events: readonly EvaluatedEvent[],
): Pick<AnsweredOutcome, "normalized" | "rejections"> => ({
  normalized: () =>
    events.map(({ outcome }) => (outcome.status === "candidate" ? outcome.line.toString("utf8") : null)),
  rejections: () => events.map(({ parsed, outcome }) => rejectionOf(parsed, outcome)),
});

async function storeEvents(input: CommitInput, keyed: CachedSource, { ledger, quotas, learner }: IngestDeps) {
  const commit = buildCommit(input);
  const store = () => ledger.commit(commit);
  const committed = await (keyed.hasQuota ? quotas.store(keyed, commit, store) : store());
  learnEvents(input, committed, learner);
  return { commit, committed };
}

/** The stages of an admitted request of another tool's client. Its events can be of many visitors. */
async function processForeign(
  { request, keyed, body: { sizeBytes } }: RequestWithBody,
  foreign: { readonly call: ForeignCall; readonly bodyText: string | null },
  draft: AttemptDraft,
  deps: IngestDeps,
): Promise<AnsweredOutcome> {
  const { adapter } = foreign.call;
  const { receivedAt } = request;
  const { sourceId } = keyed.source;
  const asked = toForeignRequest(foreign.call, foreign.bodyText);
  // of a request without a body, the debug view shows the query
  if (asked.bodyText === "") draft.note({ body: () => ({ ...NO_BODY, bodyText: asked.queryText }) });
  const translation = translate(adapter, asked);
  draft.note({ envelope: foreignEnvelope(translation) });
  const { limits } = keyed;
  const batch = buildForeignBatch({ request, translation, limits, parseBody: deps.parseBody });
  const sentAt = translation.sentAt === null ? undefined : batch.groups[0]?.parts[0].parsed.batch?.sentAt;
  if (sentAt !== undefined) draft.note({ clockSkewMs: receivedAt - sentAt });
  const { visits, events, commit, committed } = await inVisits(
    batch,
    { request, keyed },
    deps,
    async (visits) => {
      const events = await evaluateForeign(batch, visits, { request, keyed }, deps);
      const input = { sourceId, receivedAt, visits, userId: null, events, sizeBytes };
      return { visits, events, ...(await storeEvents(input, keyed, deps)) };
    },
  );
  recordCommit(commit, committed, visits, deps.sessions);
  const results = buildResults(events, committed, sourceId, request.authorization !== null);
  if (results.rejected > 0) draft.note({ unstored: unstoredOf(events, sizeBytes) });
  const { attemptId } = draft;
  const sessionId = visits[0]?.session.sessionId ?? "";
  const answer = { ok: true, attemptId, sourceId, sessionId, ...results } as const;
  const reply = adapter.reply({ attemptId, sessionId, ...results }, asked);
  return { kind: "answered", answer, results: results.results, ...detailsOf(events), reply };
}

/** Finds the sessions of all groups, opens those that are missing in turn, and then runs the work that stores their events. */
async function inVisits<T>(
  { groups }: ForeignBatch,
  keyed: KeyedRequest,
  deps: IngestDeps,
  work: (visits: readonly Visit[]) => Promise<T>,
): Promise<T> {
  const asked = groups.map(
    ({ parts: [{ parsed, firstContext }], session }) =>
      [{ ...parsed.body, context: firstContext }, session] as const,
  );
  const open = await findForeignVisits(asked, keyed, deps);
  const visits: Visit[] = [];
  const next = async (): Promise<T> => {
    const visit = await open[visits.length]?.();
    if (!visit) return work(visits);
    visits.push(visit);
    // if a later step fails, requests that wait for the opened session are told
    return visit.store(next);
  };
  return next();
}

async function evaluateForeign(
  { groups, invalid, total }: ForeignBatch,
  visits: readonly Visit[],
  { request, keyed }: KeyedRequest,
  deps: IngestDeps,
): Promise<EvaluatedEvent[]> {
  const sender = readSender(request, keyed, deps);
  const rejected = [...invalid].map(
    ([index, parsed]) => [index, { parsed, outcome: rejectInvalid(parsed), batch: null }] as const,
  );
  const evaluated = await Promise.all(
    visits.flatMap(({ session }, at) =>
      (groups[at]?.parts ?? []).map(async ({ parsed, indexes }) => {
        const events = await evaluateBatch({ sender, keyed, parsed, session }, deps);
        return events.map((event, place) => [indexes[place] ?? 0, event] as const);
      }),
    ),
  );
  return inOrder(total, [...evaluated.flat(), ...rejected]);
}

/**
 * Finds the source of a key for which no source is cached.
 * @throws Refusal 404 when no source has the key, 429 when the client tries too many unknown keys.
 * @throws StorageError while the ledger does not answer, because nobody knows then whether a key is unknown
 */
async function findSource(request: IngestRequest, { sources, rates }: IngestDeps): Promise<CachedSource> {
  const { publicKey, clientKey, receivedAt } = request;
  if (sources.cached(publicKey) === undefined) {
    // made-up keys must not cost the ledger an unlimited number of look-ups; requests that share one cost one
    const isShared = sources.isFinding(publicKey);
    const tooManyLookUps = isShared ? null : rates.checkLookUp(clientKey, receivedAt);
    if (tooManyLookUps) {
      await sources.requireAnswer();
      throw tooManyLookUps;
    }
    const found = await sources.find(publicKey).catch((error: unknown) => {
      if (!isShared) rates.returnLookUp(clientKey, receivedAt);
      throw error;
    });
    if (found) return found;
  }
  throw rates.checkUnknownKey(clientKey, receivedAt) ?? new Refusal("unknown_public_key");
}

/** Checks the token of a server. Tokens that fail are limited like those of the workspace API. */
async function checkToken(
  { authorization, clientKey, receivedAt }: IngestRequest,
  sourceId: string,
  { authenticateSender, rates }: IngestDeps,
): Promise<Refusal | null> {
  try {
    await authenticateSender(authorization ?? "", sourceId, receivedAt);
    return null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.status === 401 ? (rates.checkBadToken(clientKey, receivedAt) ?? error) : error;
  }
}

/** @throws Refusal 503 */
function requireAvailable(sourceId: string, { unavailable, admission }: IngestDeps): void {
  const code = unavailable() ?? (admission.isFull(sourceId) ? "overloaded" : null);
  if (code) throw new Refusal(code);
}

/** The body of a refused request, for the debug view. */
function describeBody(body: IngestBody) {
  const { bodyText } = decodeBody(body);
  return {
    body: () => decodeBody(body),
    envelope: bodyText === null ? null : readEnvelope(tryParseJson(bodyText)),
  };
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A failure of the observers is logged and does not fail the request. */
function observeSafely(attempt: Attempt, { observe, report }: IngestDeps): void {
  try {
    observe(attempt);
  } catch (error) {
    report(error, attempt);
  }
}
