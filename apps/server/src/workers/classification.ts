/**
 * The worker that gives a source and a channel to events that were stored without: by a version that knew neither. Each round
 * updates events of one month, the newest first, and goes on when ClickHouse has finished. What is done is done: only events
 * without a channel are read, so a restart resumes, and several nodes may run it.
 */
import { SOURCE_DEFAULTS } from "@headwater/contract";
import type { WarehouseClient } from "../clickhouse/client.ts";
import {
  type EventOrigin,
  isUpdating,
  readOrigins,
  startUpdate,
  unclassifiedMonths,
} from "../clickhouse/unclassified.ts";
import { readCampaign } from "../core/channels/campaign.ts";
import type { VisitSource } from "../core/channels/classify-visit.ts";
import type { SourceLists } from "../core/channels/source-lists.ts";
import { createVisitClassifier, type VisitClassifier } from "../core/channels/visit-classifier.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import { maskAddress } from "../core/masking/mask-address.ts";
import { HOUR_MS, SECOND_MS } from "../core/time.ts";
import type { Catalog } from "../ledger/catalog.ts";
import { startWorker, type Worker, type WorkerLog } from "./worker.ts";

export interface ClassificationDeps {
  readonly ledger: Pick<Catalog, "source">;
  readonly warehouse: { client(): WarehouseClient | null };
  readonly sourceLists: SourceLists;
  clock(): number;
  readonly log: WorkerLog & { info(fields: object, message: string): void };
}

export interface ClassificationWorker extends Worker {
  /** How many stored events have no source and channel yet. */
  remaining(): number;
}

/** An update takes seconds. */
const IDLE_MS = 2 * SECOND_MS;
/** Events without a channel can arrive later: from the outbox, and from nodes of a former version. */
const CHECK_MS = HOUR_MS;
const MAX_RETRY_MS = 60 * SECOND_MS;

/** As ingest would have classified the event. */
function classify({ pageHost, referrer, campaign }: EventOrigin, classifier: VisitClassifier): VisitSource {
  const query = maskAddress(`https://host.invalid/?${campaign}`).split("?")[1] ?? "";
  return classifier({
    pageHost: pageHost || null,
    referrer: referrer === "" ? null : `https://${referrer}`,
    campaign: readCampaign(query),
  });
}

export function startClassificationWorker(deps: ClassificationDeps): ClassificationWorker {
  const { ledger, warehouse, sourceLists, clock, log } = deps;
  let remaining = 0;
  let checkedAt = Number.NEGATIVE_INFINITY;

  /** A deleted source has neither allowed origins nor rules. */
  const classifierOf = async (sourceId: string) => {
    const source = await ledger.source({ sourceId, now: clock() });
    return createVisitClassifier(sourceLists, source ?? SOURCE_DEFAULTS);
  };

  async function classifyAll(origins: readonly EventOrigin[]): Promise<Map<string, VisitSource>> {
    const classifiers = new Map<string, VisitClassifier>();
    const visits = new Map<string, VisitSource>();
    for (const origin of origins) {
      const classifier = classifiers.get(origin.sourceId) ?? (await classifierOf(origin.sourceId));
      classifiers.set(origin.sourceId, classifier);
      visits.set(origin.key, classify(origin, classifier));
    }
    return visits;
  }

  const round = async (cutOff: AbortSignal) => {
    const client = warehouse.client();
    const isDue = remaining > 0 || Math.abs(clock() - checkedAt) >= CHECK_MS;
    if (client === null || !isDue || (await isUpdating(client, cutOff))) return false;
    const months = await unclassifiedMonths(client, cutOff);
    const [newest] = months;
    const events = months.reduce((sum, one) => sum + one.events, 0);
    if (events > 0 || remaining > 0)
      log.info({ events, month: newest?.month ?? null }, "stored events without a source and channel");
    remaining = events;
    checkedAt = clock();
    if (newest === undefined) return false;
    const labels = sourceLists.labelsWithPaths();
    const origins = await readOrigins(client, newest.month, labels, cutOff);
    if (origins.length > 0) await startUpdate(client, newest.month, labels, await classifyAll(origins));
    return false;
  };

  const worker = startWorker({
    name: "sources and channels",
    round: async (cutOff) => {
      try {
        return await round(cutOff);
      } catch (error) {
        // the warehouse monitor reports that it is down
        if (warehouse.client() === null) return false;
        throw error;
      }
    },
    idleMs: IDLE_MS,
    retryMs: IDLE_MS,
    maxRetryMs: MAX_RETRY_MS,
    stopMs: SERVER_LIMITS.workerStopMs,
    consequence: "events of an earlier version have no source and channel yet",
    log,
  });
  return { ...worker, remaining: () => remaining };
}
