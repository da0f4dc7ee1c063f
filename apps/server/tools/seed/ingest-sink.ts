/** Sends generated visits to the ingest API. Each visit is one bootstrap request that contains its events. */
import { setTimeout as pause } from "node:timers/promises";
import type { BootstrapAnswer } from "@headwater/contract";
import { CommandFailed } from "../../src/cli/errors.ts";
import { describeFetchError, describeRefusal } from "../http-errors.ts";
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
}

const buildBody = ({ visitor, sessionId, events }: GeneratedVisit) => ({
  ingestVersion: 2,
  sdkVersion: "seed",
  anonymousId: visitor.anonymousId,
  userId: visitor.userId,
  page: events[0]?.event.page,
  context: { locale: visitor.locale, timezone: visitor.timezone },
  batchId: `batch-${sessionId}`,
  sentAt: new Date().toISOString(),
  events: events.map(({ event }) => event),
});

/** Tries again when the service answers 429 or 503. @throws CommandFailed */
async function sendVisit(visit: GeneratedVisit, { url, key, site }: IngestTarget): Promise<IngestCounts> {
  const address = `${url}/api/ingest/v2/${encodeURIComponent(key)}/bootstrap`;
  const headers = { origin: site, "user-agent": visit.visitor.userAgent, "content-type": "text/plain" };
  for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
    const body = JSON.stringify(buildBody(visit));
    const response = await fetch(address, { method: "POST", headers, body }).catch((error: unknown) => {
      throw new CommandFailed(describeFetchError(url, error));
    });
    if (response.ok) {
      // unchecked cast: the URL is that of a Headwater service, whose answers have this type
      const answer = (await response.json()) as Partial<BootstrapAnswer>;
      const { accepted = 0, duplicates = 0, rejected = 0 } = answer;
      return { accepted, duplicates, rejected };
    }
    if (response.status !== 429 && response.status !== 503)
      throw new CommandFailed(await describeRefusal(url, response));
    await response.body?.cancel();
    await pause(1_000 * Number(response.headers.get("retry-after") ?? 1));
  }
  throw new CommandFailed(
    `${url} was too busy for ${MAX_TRIES} tries. Run the same command again to continue.`,
  );
}

/** Sends several visits at once. The first failure is thrown by the next call. */
export function createIngestSink(target: IngestTarget) {
  const counts: IngestCounts = { accepted: 0, duplicates: 0, rejected: 0 };
  const pending = new Set<Promise<void>>();
  let failure: unknown = null;
  const send = async (visit: GeneratedVisit) => {
    try {
      const { accepted, duplicates, rejected } = await sendVisit(visit, target);
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
      if (pending.size >= MAX_CONCURRENT) await Promise.race(pending);
    },
    finish: async (): Promise<void> => {
      await Promise.all(pending);
      throwFailure();
    },
  };
}
