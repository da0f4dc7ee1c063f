/** Sends generated visits to the ingest API. Each visit is one bootstrap request that contains its events. */
import { createApi, type Schemas } from "../../../../packages/api/src/index.ts";
import type { GeneratedVisit } from "./traffic.ts";

const MAX_CONCURRENT = 8;
const MAX_TRIES = 20;

export interface IngestCounts {
  accepted: number;
  duplicates: number;
  rejected: number;
}

export interface IngestTarget {
  /** The address of the service. */
  url: string;
  /** The public key of the source. */
  key: string;
  /** The origin of the pages. */
  site: string;
  /** Further headers of a visit's request. */
  headersOf?: (visit: GeneratedVisit) => Record<string, string>;
  /** Requests at the same time. */
  concurrency?: number;
  /** The time at which a request is sent. */
  clock?: () => number;
}

export const buildBody = ({ visitor, sessionId, events }: GeneratedVisit): Schemas["StartSession"] => ({
  ingestVersion: 2,
  sdkVersion: "seed",
  anonymousId: visitor.anonymousId,
  userId: visitor.userId,
  page: events[0]?.event.page ?? {},
  context: { locale: visitor.locale, timezone: visitor.timezone },
  batchId: `batch-${sessionId}`,
  // the client sets it again when it sends the request
  sentAt: new Date().toISOString(),
  events: events.map(({ event }) => event),
});

/** Sends several visits at once. The first failure is thrown by the next call. */
export function createIngestSink({
  url,
  key,
  site,
  headersOf = () => ({}),
  concurrency = MAX_CONCURRENT,
  clock = Date.now,
}: IngestTarget) {
  const api = createApi({ baseUrl: url, maxTries: MAX_TRIES, clock });
  const counts: IngestCounts = { accepted: 0, duplicates: 0, rejected: 0 };
  const pending = new Set<Promise<void>>();
  let failure: unknown = null;
  const send = async (visit: GeneratedVisit) => {
    try {
      const headers = { Origin: site, "User-Agent": visit.visitor.userAgent, ...headersOf(visit) };
      const request = { params: { publicKey: key }, headers, body: buildBody(visit) };
      const { accepted = 0, duplicates = 0, rejected = 0 } = await api.bootstrap(request);
      counts.accepted += accepted;
      counts.duplicates += duplicates;
      counts.rejected += rejected;
    } catch (error) {
      failure ??= error;
    }
  };
  const throwFailure = () => {
    if (failure !== null) throw failure;
  };
  return {
    counts,
    add: async (visit: GeneratedVisit): Promise<void> => {
      throwFailure();
      const sending = send(visit).finally(() => pending.delete(sending));
      pending.add(sending);
      if (pending.size >= concurrency) await Promise.race(pending);
    },
    finish: async (): Promise<void> => {
      await Promise.all(pending);
      throwFailure();
    },
  };
}
