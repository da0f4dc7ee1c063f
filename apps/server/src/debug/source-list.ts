/** The sources of a workspace with their health (docs/api/sources.md): searched, filtered, sorted and cut into pages here. */
import type { ListSourcesQuery, SourceListStatus, SourceOrder, SourceWithHealth } from "@headwater/contract";
import { SOURCE_LIST_STATUSES } from "@headwater/contract/source-status";
import { SERVER_LIMITS } from "../core/limits.ts";
import { DAY_MS, HOUR_MS, startOfHour } from "../core/time.ts";
import type { Call, Handler } from "../http/handler.ts";
import type { AttemptLedger, Catalog } from "../ledger/ledger.ts";
import type { AttemptCount, SourceRecord } from "../ledger/records.ts";
import { renderSource } from "../sources/render.ts";
import { healthSince, healthStatusOf, sumOf, topCodes } from "./health.ts";
import type { Recorder } from "./recorder.ts";

export interface SourceListDeps {
  readonly ledger: Pick<AttemptLedger, "attemptSums"> & Pick<Catalog, "sources">;
  readonly recorder: Pick<Recorder, "flush">;
}

type CountsBySource = ReadonlyMap<string, readonly AttemptCount[]>;

/** A source, and what decides its place in the list. */
interface RankedSource {
  readonly source: SourceRecord;
  readonly status: SourceListStatus;
}

const isNew = ({ lastBootstrapAt, lastEventAt }: SourceRecord) =>
  lastBootstrapAt === null && lastEventAt === null;
const idsOf = (sources: readonly SourceRecord[]) => sources.map(({ sourceId }) => sourceId);

/** @returns the sums of the sources' counters since that hour */
async function readSums(
  { ledger }: SourceListDeps,
  sources: readonly SourceRecord[],
  asked: { sinceHour: number; names: "outcomes" | "all" },
): Promise<CountsBySource> {
  const sums = sources.length === 0 ? [] : await ledger.attemptSums({ sourceIds: idsOf(sources), ...asked });
  return Map.groupBy(sums, ({ sourceId }) => sourceId);
}

/**
 * The status of a source from its counters of this hour and the last. Only a source that never received anything
 * needs those of the week too.
 */
function statusOf(source: SourceRecord, counts: readonly AttemptCount[], now: number): SourceListStatus {
  if (!source.isActive) return "off";
  const status = healthStatusOf(source, counts, now);
  const lastAt = Math.max(source.lastBootstrapAt ?? 0, source.lastEventAt ?? 0);
  return status === "receiving" && lastAt > 0 && lastAt < now - DAY_MS ? "quiet" : status;
}

async function rankSources(
  deps: SourceListDeps,
  { sources, seesAttempts, now }: { sources: readonly SourceRecord[]; seesAttempts: boolean; now: number },
): Promise<RankedSource[]> {
  const outcomesSince = (hour: number, of: readonly SourceRecord[]) =>
    readSums(deps, seesAttempts ? of : [], { sinceHour: hour, names: "outcomes" });
  const [recent, week] = await Promise.all([
    outcomesSince(startOfHour(now - HOUR_MS), sources),
    outcomesSince(healthSince(now), sources.filter(isNew)),
  ]);
  const countsOf = ({ sourceId }: SourceRecord) => [
    ...(recent.get(sourceId) ?? []),
    ...(week.get(sourceId) ?? []),
  ];
  return sources.map((source) => ({ source, status: statusOf(source, countsOf(source), now) }));
}

const byName = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
const newerEvent = ({ source: a }: RankedSource, { source: b }: RankedSource) =>
  (b.lastEventAt ?? 0) - (a.lastEventAt ?? 0);

/** Equal sources stay as the ledger lists them: the newest first. */
const COMPARE: Readonly<Record<SourceOrder, (one: RankedSource, other: RankedSource) => number>> = {
  created: () => 0,
  name: ({ source: a }, { source: b }) => byName.compare(a.name, b.name),
  lastEvent: newerEvent,
  status: (one, other) =>
    SOURCE_LIST_STATUSES.indexOf(one.status) - SOURCE_LIST_STATUSES.indexOf(other.status) ||
    newerEvent(one, other),
};

/** Whether a text of the source contains the search. */
function createSearch(search = ""): (source: SourceRecord) => boolean {
  const wanted = search.trim().toLowerCase();
  return ({ name, slug, allowedOrigins, sourceId, publicKey }) =>
    wanted === "" ||
    [name, slug, ...allowedOrigins, sourceId, publicKey].some((text) => text.toLowerCase().includes(wanted));
}

/**
 * A cursor has the place of the last row and its id. When the row has moved or gone, the next page starts at its
 * place.
 */
function pageOf<Row extends { readonly source: SourceRecord }>(
  rows: readonly Row[],
  query: ListSourcesQuery,
) {
  const [place = "", encoded = ""] = query.cursor?.split(".", 2) ?? [];
  const lastId = Buffer.from(encoded, "base64url").toString();
  const last = lastId === "" ? -1 : rows.findIndex(({ source }) => source.sourceId === lastId);
  const start = last >= 0 ? last + 1 : Number(place);
  const end = start + (query.limit ?? SERVER_LIMITS.maxSourcesPerWorkspace);
  const lastRow = end < rows.length ? rows[end - 1] : undefined;
  const nextCursor = lastRow
    ? `${end - 1}.${Buffer.from(lastRow.source.sourceId).toString("base64url")}`
    : null;
  return { page: rows.slice(start, end), nextCursor };
}

function toHealth(
  { status }: RankedSource,
  counts: readonly AttemptCount[] | null,
): SourceWithHealth["health"] {
  if (counts === null) return { status, last24h: null, topCode: null };
  const last24h = {
    accepted: sumOf(counts, "accepted"),
    duplicates: sumOf(counts, "duplicates"),
    rejected: sumOf(counts, "rejected"),
    failed: sumOf(counts, "failed"),
  };
  return { status, last24h, topCode: topCodes(counts)[0]?.code ?? null };
}

function countStatuses(ranked: readonly RankedSource[]): Record<SourceListStatus, number> {
  const counts = { failing: 0, quiet: 0, receiving: 0, waiting: 0, off: 0 };
  for (const { status } of ranked) counts[status] += 1;
  return counts;
}

async function listPage(deps: SourceListDeps, call: Call<"listSources">) {
  const { organizationId, query, permissions, now } = call;
  const seesAttempts = permissions.includes("debug:read");
  const limit = SERVER_LIMITS.maxSourcesPerWorkspace;
  const [{ rows }] = await Promise.all([
    deps.ledger.sources({ organizationId, limit, cursor: null }),
    deps.recorder.flush(),
  ]);
  const sources = rows.filter(createSearch(query.search));
  const ranked = await rankSources(deps, { sources, seesAttempts, now });
  const found = query.status === undefined ? ranked : ranked.filter(({ status }) => status === query.status);
  const { page, nextCursor } = pageOf(found.toSorted(COMPARE[query.order ?? "created"]), query);
  const day = await readSums(deps, seesAttempts ? page.map(({ source }) => source) : [], {
    sinceHour: startOfHour(now - DAY_MS),
    names: "all",
  });
  const listed = page.map((one) => ({
    ...renderSource(one.source, now),
    health: toHealth(one, seesAttempts ? (day.get(one.source.sourceId) ?? []) : null),
  }));
  return { sources: listed, nextCursor, statuses: countStatuses(ranked) };
}

/** The sources of a workspace, the newest first unless the query has an order. Without `limit` all of them. */
export const listSources =
  (deps: SourceListDeps): Handler<"listSources"> =>
  async (call) => ({ body: await listPage(deps, call) });
