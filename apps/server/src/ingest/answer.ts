/** The answer to a request that was processed (spec 2.5 and 2.8). */
import type { BootstrapAnswer, EventsAnswer } from "@headwater/contract";
import { NO_ID } from "../core/ids.ts";
import { toIsoTime } from "../core/time.ts";
import type { BatchResults } from "./evaluate-batch.ts";
import { type IngestRequest, ingestPath, legacyIngestPath } from "./ingest-request.ts";
import type { BootstrapFields, ParsedBody } from "./parse.ts";
import { expiresAt } from "./session-cache.ts";
import type { CachedSource } from "./source-cache.ts";
import type { Visit } from "./visit.ts";

interface AnswerInput {
  readonly attemptId: string;
  readonly request: IngestRequest;
  readonly keyed: CachedSource;
  readonly parsed: ParsedBody;
  readonly visit: Visit;
  readonly results: BatchResults;
}

/**
 * The user of a session that the request does not name is not revealed, because anyone may know a visitor's id. Several people may share the id
 * of a visitor without browser storage.
 */
const identifiedUserId = ({ sessionId, userId, anonymousId }: BootstrapFields, { session }: Visit) =>
  sessionId === session.sessionId && anonymousId !== NO_ID ? session.userId : userId || null;

function buildBootstrapAnswer(
  { attemptId, request, keyed, visit }: AnswerInput,
  body: BootstrapFields,
): BootstrapAnswer {
  const { session, state } = visit;
  const { maxBatchSize, maxPayloadBytes, maxEventBytes, maxEventAgeSeconds, sessionTimeoutSeconds } =
    keyed.limits;
  return {
    ok: true,
    attemptId,
    ingestVersion: 2,
    sourceId: session.sourceId,
    sessionId: session.sessionId,
    anonymousId: body.anonymousId,
    identifiedUserId: identifiedUserId(body, visit),
    // what the client left out in this request it leaves out in the next one too
    ingestUrl: (request.legacy ? legacyIngestPath : ingestPath)(keyed.publicKey, "events"),
    sessionResumed: state === "resumed",
    sessionExpiresAt: toIsoTime(expiresAt(session)),
    serverTime: toIsoTime(request.receivedAt),
    limits: { maxBatchSize, maxPayloadBytes, maxEventBytes, maxEventAgeSeconds, sessionTimeoutSeconds },
    privacy: keyed.source.privacy,
  };
}

export function buildAnswer(input: AnswerInput): BootstrapAnswer | EventsAnswer {
  const { attemptId, parsed, visit, results } = input;
  const { sourceId, sessionId } = visit.session;
  if (parsed.kind === "events") return { ok: true, attemptId, sourceId, sessionId, ...results };
  const answer = buildBootstrapAnswer(input, parsed.body);
  return parsed.body.events ? { ...answer, ...results } : answer;
}
