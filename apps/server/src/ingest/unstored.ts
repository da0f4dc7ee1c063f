/**
 * The events of a request that were not stored and that a change of the source's settings can mend. Each is a bootstrap body
 * with one event, besides what a replay cannot ask again (docs/api/quarantine.md).
 */
import { Event, isKeptCode, type KeptCode } from "@headwater/contract";
import { NO_ID } from "../core/ids.ts";
import type { Refusal } from "../core/refusal.ts";
import { toIsoTime } from "../core/time.ts";
import type { SessionRecord } from "../ledger/records.ts";
import { type EvaluatedEvent, keptRejectionOf } from "./evaluate-batch.ts";
import { buildForeignBatch, toForeignRequest, translate } from "./foreign-batch.ts";
import type { RequestHead } from "./ingest-request.ts";
import { decodeBody, parseJson } from "./json.ts";
import { maskSentAddress, titleOf } from "./page-address.ts";
import { type BodyParser, type BootstrapFields, isInvalid, type ParsedBody } from "./parse.ts";
import { readSender, type SenderDeps, type SenderFacts } from "./sender.ts";
import type { RequestWithBody, Unstored, UnstoredBody, UnstoredEvent } from "./unstored-event.ts";
import { derivedId } from "./visit.ts";
import type { VisitorIds } from "./visitor-ids.ts";

type SentPage = NonNullable<Event["page"]>;

function maskPage({ url, path, title, referrer, hashRouting }: SentPage): SentPage {
  const mask = (address: string | null | undefined) => (address ? maskSentAddress(address) : null);
  const own = { url: mask(url), path: mask(path), referrer: mask(referrer) };
  return { ...own, title: title ? titleOf(title) : null, ...(hashRouting === true && { hashRouting }) };
}

/** The known members of an event, whose names `Object.keys` has lost. Its session is kept beside it. */
const KEPT_MEMBERS = (Object.keys(Event.properties) as (keyof Event)[]).filter(
  (name) => name !== "sessionId",
);

function toKeptMembers(event: Event): UnstoredBody["events"][0] {
  const members = Object.fromEntries(KEPT_MEMBERS.map((name) => [name, event[name]]));
  return { ...members, page: event.page ? maskPage(event.page) : null };
}

function toBody({ body, batch }: ParsedBody, event: Event): UnstoredBody {
  const { sdkVersion = null, anonymousId, userId = null, context = null } = body;
  const page = "page" in body && body.page ? maskPage(body.page) : {};
  const { batchId = "", sentAt = 0 } = batch ?? {};
  const envelope = { sdkVersion, anonymousId, userId, page, context, batchId, sentAt: toIsoTime(sentAt) };
  return { ...envelope, events: [toKeptMembers(event)] };
}

interface FoundEvent {
  readonly code: KeptCode;
  readonly event: Event;
  readonly parsed: ParsedBody;
  readonly sender: SenderFacts;
  readonly session: SessionRecord | null;
  readonly sessionId: string | null;
  /** The visitor of a client without storage. */
  readonly dailyId: string | null;
}

function toUnstored({ code, event, parsed, sender, session, sessionId, dailyId }: FoundEvent): UnstoredEvent {
  const givenId = event.anonymousId || parsed.body.anonymousId;
  const isDaily = givenId === NO_ID;
  return {
    code,
    body: toBody(parsed, event),
    event,
    sender,
    anonymousId: isDaily ? (session?.anonymousId ?? dailyId ?? NO_ID) : givenId,
    userId: parsed.body.userId || (isDaily ? null : (session?.userId ?? null)),
    session,
    sessionId,
  };
}

/** A rejected event that its source keeps, with its session as it is now. */
function findRejected(evaluated: EvaluatedEvent): FoundEvent[] {
  const kept = keptRejectionOf(evaluated);
  if (kept === null) return [];
  const { code, event, batch, sessionId } = kept;
  const { parsed, sender, session } = batch;
  const own =
    sessionId === session.sessionId
      ? { session: { ...session }, sessionId: null }
      : { session: null, sessionId };
  return [{ code, event, parsed, sender, ...own, dailyId: session.anonymousId }];
}

/** The rejected events of an answered request. null: its source keeps none. @param bytes of its body, which is held as a whole */
export function unstoredOf(events: readonly EvaluatedEvent[], bytes: number): Unstored | null {
  const found = events.flatMap(findRejected);
  if (found.length === 0) return null;
  return { bytes, read: async () => found.map(toUnstored) };
}

interface UnstoredDeps extends SenderDeps {
  readonly parseBody: BodyParser;
  readonly visitorIds: VisitorIds;
}

/** The events of a refused request. null: its source does not keep them. */
export function unstoredOfRefused(
  { request, keyed, body }: RequestWithBody,
  { code }: Refusal,
  deps: UnstoredDeps,
): Unstored | null {
  if (keyed.source.keepRejected === 0 || !isKeptCode(code) || body.problem !== null) return null;
  // thousands may wait: they must not hold their connections
  const { stream: _, ...head } = request;
  return { bytes: body.sizeBytes, read: () => readRefused({ request: head, keyed, body }, code, deps) };
}

/** A refused request that waits to be read. */
type RefusedRequest = Omit<RequestWithBody, "request"> & { readonly request: RequestHead };

async function readRefused(
  sent: RefusedRequest,
  code: KeptCode,
  deps: UnstoredDeps,
): Promise<UnstoredEvent[]> {
  const sender = readSender(sent.request, sent.keyed, deps);
  // excluded on purpose
  if (sender.isAddressExcluded) return [];
  const facts = { code, sender, session: null };
  const { sourceId } = sent.keyed.source;
  const unstored: UnstoredEvent[] = [];
  for (const { parsed, clientSession, context } of parseRefused(sent, deps.parseBody)) {
    const { body, batch } = parsed;
    const isDaily = body.anonymousId === NO_ID;
    const dailyIds = isDaily ? await deps.visitorIds.of(sent.request, { context }, sourceId) : null;
    const dailyId = dailyIds?.[0] ?? null;
    const visitor = { anonymousId: dailyId ?? body.anonymousId };
    for (const event of batch?.events ?? []) {
      if (isInvalid(event)) continue;
      const named = event.event.sessionId || body.sessionId || null;
      const sessionId = clientSession === null ? named : derivedId(sourceId, visitor, clientSession);
      unstored.push(toUnstored({ ...facts, event: event.event, parsed, sessionId, dailyId }));
    }
  }
  return unstored;
}

interface RefusedPart {
  readonly parsed: ParsedBody;
  /** The own session of another tool's client. */
  readonly clientSession: string | null;
  /** With the user agent of the visitor. */
  readonly context: NonNullable<BootstrapFields["context"]> | null;
}

/** @throws Refusal when no event can be read */
function parseRefused({ request, keyed, body }: RefusedRequest, parseBody: BodyParser): RefusedPart[] {
  const { bodyText } = decodeBody(body);
  if (request.foreign === null) {
    const lenient = { ...request, lenient: true };
    const parsed = parseBody(parseJson(bodyText), lenient, keyed.limits.maxBatchSize);
    return [{ parsed, clientSession: null, context: parsed.body.context ?? null }];
  }
  const translation = translate(request.foreign.adapter, toForeignRequest(request.foreign, bodyText));
  const { groups } = buildForeignBatch({ request, translation, limits: keyed.limits, parseBody });
  return groups.flatMap(({ parts, session: { clientSession } }) =>
    parts.map(({ parsed, firstContext }) => ({ parsed, clientSession, context: firstContext })),
  );
}
