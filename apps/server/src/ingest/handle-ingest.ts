/** The pipeline of ingest: every stage that a request passes, from its public key to its answer. */

import type { Admission } from "../core/admission.ts";
import type { AnsweredOutcome, Attempt, Outcome } from "../core/attempt.ts";
import { type IngestBody, readIngestBody } from "../core/body.ts";
import type { IngestRequest } from "../core/ingest-request.ts";
import { Refusal } from "../core/refusal.ts";
import type { RequestIds } from "../core/trace-context.ts";
import type { IngestLedger } from "../ledger/ledger.ts";
import { toRefusal } from "../ledger/to-refusal.ts";
import { buildAnswer } from "./answer.ts";
import { type AttemptDraft, startAttempt } from "./attempt-draft.ts";
import { checkKey, checkRequest } from "./checks.ts";
import { type BatchDeps, buildCommit, buildResults, evaluateBatch, recordCommit } from "./evaluate-batch.ts";
import { decodeBody, parseJson } from "./json.ts";
import { type BodyParser, readEnvelope } from "./parse.ts";
import type { Quotas } from "./quotas.ts";
import type { RateChecks } from "./rates.ts";
import type { SessionCache } from "./session-cache.ts";
import type { CachedSource, SourceCache } from "./source-cache.ts";
import { findVisit } from "./visit.ts";
import type { CountryOf, DeviceOf } from "./visitor.ts";

export interface IngestDeps {
  readonly ledger: IngestLedger;
  readonly sources: SourceCache;
  readonly sessions: SessionCache;
  readonly rates: RateChecks;
  readonly quotas: Quotas;
  /** Slots for requests that are processed, by source. */
  readonly admission: Admission;
  readonly parseBody: BodyParser;
  readonly countryOf: CountryOf;
  readonly deviceOf: DeviceOf;
  readonly isDataCentre: BatchDeps["isDataCentre"];
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
  }
  const attempt = draft.finish(outcome);
  observeSafely(attempt, deps);
  return attempt;
}

/**
 * The stages in order; the first that throws a refusal ends the request (docs/contract.md section 4). The draft notes
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
  const quotaRefusal = keyed.hasQuota ? await deps.quotas.check(keyed, receivedAt) : null;
  if (quotaRefusal) throw keyRefusal ?? quotaRefusal;
  requireAvailable(sourceId, deps);
  const tokenRefusal = request.authorization === null ? null : await checkToken(request, sourceId, deps);

  // the body of a refused request is read too, so that the debug view can show it
  const body = await readIngestBody(request.stream, keyed.limits.maxPayloadBytes, { clientKey, sourceId });
  const { sizeBytes } = body;
  draft.note({ payloadBytes: sizeBytes });
  deps.rates.countBytes(clientKey, receivedAt, sizeBytes);
  const refusal = keyRefusal ?? tokenRefusal ?? checkRequest(request, keyed, body);
  if (refusal) {
    draft.note(describeBody(body));
    throw refusal;
  }

  return deps.admission.run(sourceId, () => processBody({ request, keyed, body }, draft, deps));
}

interface AdmittedRequest {
  readonly request: IngestRequest;
  readonly keyed: CachedSource;
  readonly body: IngestBody;
}

/** The stages of a request that was admitted. */
async function processBody(
  { request, keyed, body }: AdmittedRequest,
  draft: AttemptDraft,
  deps: IngestDeps,
): Promise<AnsweredOutcome> {
  const { receivedAt } = request;
  const { sourceId } = keyed.source;
  const decoded = decodeBody(body);
  draft.note(decoded);
  const json = parseJson(decoded.bodyText);
  draft.note({ envelope: readEnvelope(json) });
  const parsed = deps.parseBody(json, request, keyed.limits.maxBatchSize);
  if (parsed.batch) draft.note({ clockSkewMs: receivedAt - parsed.batch.sentAt });

  const visit = await findVisit(parsed, request, keyed, deps);
  const { events, commit, committed } = await visit.store(async () => {
    const events = await evaluateBatch({ request, keyed, parsed, session: visit.session }, deps);
    const { sizeBytes } = body;
    const commit = buildCommit({ request, visit, userId: parsed.body.userId || null, events, sizeBytes });
    const store = () => deps.ledger.commit(commit);
    const committed = await (keyed.hasQuota ? deps.quotas.store(keyed, commit, store) : store());
    return { events, commit, committed };
  });
  recordCommit(commit, committed, deps.sessions);

  const results = buildResults(events, committed, sourceId, request.authorization !== null);
  const { attemptId } = draft;
  const answer = buildAnswer({ attemptId, receivedAt, keyed, parsed, visit, results });
  const normalized = events.map(({ outcome }) => (outcome.status === "candidate" ? outcome.json : null));
  return { kind: "answered", answer, results: results.results, normalized };
}

/**
 * Finds the source of a key for which no source is cached.
 * @throws Refusal 404 when no source has the key, 429 when the client tries too many unknown keys
 */
async function findSource(request: IngestRequest, { sources, rates }: IngestDeps): Promise<CachedSource> {
  const { publicKey, clientKey, receivedAt } = request;
  if (sources.cached(publicKey) === undefined) {
    // made-up keys must not cost the ledger an unlimited number of look-ups
    const tooManyLookUps = rates.checkLookUp(clientKey, receivedAt);
    if (tooManyLookUps) throw tooManyLookUps;
    const found = await sources.find(publicKey);
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
  const decoded = decodeBody(body);
  const { bodyText } = decoded;
  return { ...decoded, envelope: bodyText === null ? null : readEnvelope(tryParseJson(bodyText)) };
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
