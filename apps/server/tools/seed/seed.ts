/** `headwater seed`: generates traffic for development and measurements. The same options generate the same events. */
import { LIMITS } from "@headwater/contract";
import {
  type Command,
  type CommandContext,
  defineCommand,
  flag,
  ORGANIZATION_OPTION,
  parsed,
  text,
  wholeNumber,
  withDefault,
} from "../../src/cli/command.ts";
import { UsageError } from "../../src/cli/errors.ts";
import { findSource } from "../../src/cli/find-named.ts";
import { withLedger, withWorkspace } from "../../src/cli/ledger-access.ts";
import type { CommandReport } from "../../src/cli/report.ts";
import { withWarehouse } from "../../src/cli/warehouse-access.ts";
import { localUrl } from "../../src/config/config.ts";
import { Refusal } from "../../src/core/refusal.ts";
import { DAY_MS, HOUR_MS, toIsoTime } from "../../src/core/time.ts";
import { parseTime } from "../../src/ingest/parse-time.ts";
import { refuseWarehouseElsewhere } from "../../src/open-warehouse.ts";
import { parseHttpUrl } from "../remote-service.ts";
import { createIngestSink, type IngestCounts, type IngestTarget } from "./ingest-sink.ts";
import { type GeneratedVisit, generateVisits, type TrafficPlan } from "./traffic.ts";
import { openWarehouseSink, type WarehouseSink } from "./warehouse-sink.ts";

/** Events this close to ingest's age limit could become too old before they are sent. */
const AGE_MARGIN_MS = HOUR_MS;
const NO_COUNTS: IngestCounts = { accepted: 0, duplicates: 0, rejected: 0 };
const DAY = /^\d{4}-\d\d-\d\d$/;

/** A day stands for its start in UTC. */
function parseMoment(given: string, name: string): number {
  const time = parseTime(DAY.test(given) ? `${given}T00:00:00.000Z` : given)?.time;
  if (time !== undefined) return time;
  throw new UsageError(
    `${name} must be a day or a time such as 2026-11-21T12:00:00Z, not ${JSON.stringify(given)}.`,
  );
}

const parseOrigin = (given: string, name: string) => parseHttpUrl(given, name).origin;
const parseBaseUrl = (given: string, name: string) => parseHttpUrl(given, name).href;

/** Feeds every visit of the plan to the sink that `sinkFor` returns for the time at which it began. */
async function feedVisits(
  plan: TrafficPlan,
  { progress }: CommandContext,
  sinkFor: (startedAt: number) => { add(visit: GeneratedVisit): Promise<void> },
): Promise<number> {
  let visits = 0;
  let events = 0;
  for (const visit of generateVisits(plan)) {
    await sinkFor(visit.startedAt).add(visit);
    visits += 1;
    events += visit.events.length;
    progress(() => `${events} of ${plan.events} events, ${toIsoTime(visit.startedAt)}`);
  }
  return visits;
}

interface SeedCounts {
  visits: number;
  /** Events that were written to the warehouse. */
  stored: number;
  ingest: IngestCounts;
}

function reportSeed(plan: TrafficPlan, { visits, stored, ingest }: SeedCounts): CommandReport {
  const { events, days, seed: number } = plan;
  const until = toIsoTime(plan.until);
  const { accepted, duplicates, rejected } = ingest;
  const parts = [
    ...(stored > 0 ? [`${stored} written to the warehouse`] : []),
    ...(stored < events
      ? [`ingest: ${accepted} accepted, ${duplicates} duplicates, ${rejected} rejected`]
      : []),
  ];
  return {
    json: { events, visits, days, seed: number, until, intoWarehouse: stored, ...ingest },
    text: `Generated ${events} events of ${visits} visits until ${until}: ${parts.join("; ")}.`,
  };
}

/** Opens the configured warehouse for the visits of a source. */
function withWarehouseSink(
  sourceId: string | undefined,
  site: string,
  run: (sink: WarehouseSink) => Promise<CommandReport>,
): Promise<CommandReport> {
  if (sourceId === undefined)
    throw new UsageError("Missing option --source <id|name>: the source of events for the warehouse.");
  return withLedger(async ({ config, ledger, now, newId }) => {
    if (!(await ledger.source({ sourceId, now }))) throw new Refusal("source_not_found");
    await refuseWarehouseElsewhere(config, ledger);
    return withWarehouse(config, async (client) =>
      run(await openWarehouseSink({ client, sourceId, site, newId })),
    );
  });
}

interface SeedTask {
  readonly plan: TrafficPlan;
  readonly sourceId: string | undefined;
  readonly context: CommandContext;
}

async function seedWarehouse({ plan, sourceId, context }: SeedTask): Promise<CommandReport> {
  return withWarehouseSink(sourceId, plan.site, async (sink) => {
    const visits = await feedVisits(plan, context, () => sink);
    await sink.finish();
    return reportSeed(plan, { visits, stored: sink.stored(), ingest: NO_COUNTS });
  });
}

/** Visits that are too old for ingest are written to the warehouse. */
async function seedIngest(
  { plan, sourceId, context }: SeedTask,
  target: IngestTarget,
): Promise<CommandReport> {
  const now = Date.now();
  if (plan.until > now)
    throw new UsageError("--until must not be in the future with --url, because ingest rejects such events.");
  const ingest = createIngestSink(target);
  const oldestAt = now - LIMITS.maxEventAgeSeconds * 1_000 + AGE_MARGIN_MS;
  if (plan.until - plan.days * DAY_MS >= oldestAt) {
    const visits = await feedVisits(plan, context, () => ingest);
    await ingest.finish();
    return reportSeed(plan, { visits, stored: 0, ingest: ingest.counts });
  }
  if (!context.isJson)
    process.stderr.write(
      `Ingest rejects events before ${toIsoTime(oldestAt)}. Older visits are written to the warehouse.\n`,
    );
  return withWarehouseSink(sourceId, plan.site, async (sink) => {
    const visits = await feedVisits(plan, context, (at) => (at >= oldestAt ? ingest : sink));
    await ingest.finish();
    await sink.finish();
    return reportSeed(plan, { visits, stored: sink.stored(), ingest: ingest.counts });
  });
}

const SITE = "https://shop.example";
const TARGETS = "Give --source, or --url and --key, or --to-warehouse and --source.";

interface GivenTarget {
  readonly source: string | undefined;
  readonly url: string | undefined;
  readonly key: string | undefined;
  readonly toWarehouse: boolean;
}

/** @throws UsageError */
function checkTarget({ source, url, key, toWarehouse }: GivenTarget): void {
  const isTwice = toWarehouse && url !== undefined;
  const isNothing = !toWarehouse && source === undefined && url === undefined;
  if (isTwice || isNothing) throw new UsageError(TARGETS);
  if (url !== undefined && source === undefined && key === undefined)
    throw new UsageError("Missing option --key <pk_…>: the public key of the source.");
}

/** The source in the ledger of this machine, one of its origins, and the address of the service. */
const findTarget = (given: string, organization: string | undefined) =>
  withWorkspace(organization, async (access) => {
    const { sourceId, publicKey, allowedOrigins } = await findSource(access, given);
    const { HOST, PORT } = access.config;
    // a wildcard stands for any subdomain or port
    const site = allowedOrigins[0]?.replace("*.", "www.").replace(/:\*$/, "");
    return { sourceId, publicKey, site, url: PORT === 0 ? undefined : localUrl(HOST, PORT) };
  });

export const seed: Command = defineCommand({
  description: "Generate traffic for development and measurements",
  details: [
    "With --source alone, the running service on this machine receives the events. With --url and --key, the service at that address receives them. Events too old for ingest are written directly to the warehouse; this needs --source.",
    "Visits have referrers, campaigns and devices; some are by bots, and some send custom events. The same options generate the same events, so running the command twice stores them once.",
  ],
  options: {
    source: text("id|name", "The source that gets the events"),
    "to-warehouse": flag(
      "Write to the warehouse directly, for millions of events. Stop the service first if the warehouse is embedded",
    ),
    url: parsed("url", "Send to the ingest API of the running service at this address", parseBaseUrl),
    key: text("pk_…", "With --url: the source's public key"),
    events: withDefault(wholeNumber("Events to generate", { min: 1, max: 1_000_000_000 }), 10_000),
    days: withDefault(wholeNumber("Days of traffic to generate", { min: 1, max: 3_650 }), 5),
    seed: withDefault(wholeNumber("Another number generates other traffic", { min: 0, max: 2 ** 32 - 1 }), 1),
    until: parsed("time", "End of the generated period (default: last midnight, UTC)", parseMoment),
    site: parsed(
      "origin",
      `Origin of the pages, which the source must allow (default: the source's first origin, or ${SITE})`,
      parseOrigin,
    ),
    ...ORGANIZATION_OPTION,
  },
  run: async (given, context) => {
    const { source, organization, url, key, "to-warehouse": toWarehouse, until, site, ...options } = given;
    checkTarget({ source, url, key, toWarehouse });
    const own = source === undefined ? null : await findTarget(source, organization);
    const now = Date.now();
    const origin = site ?? own?.site ?? SITE;
    const plan = { ...options, site: origin, until: until ?? now - (now % DAY_MS) };
    const task = { plan, sourceId: own?.sourceId, context };
    if (toWarehouse) return seedWarehouse(task);
    const target = { url: url ?? own?.url, key: key ?? own?.publicKey };
    if (target.url === undefined || target.key === undefined) throw new UsageError(TARGETS);
    return seedIngest(task, { url: target.url, key: target.key, site: origin });
  },
});
