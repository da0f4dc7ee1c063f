/** `headwater seed`: made-up traffic for development and for measuring, the same again for the same words. */
import { LIMITS } from "@headwater/contract";
import { defineCommand } from "citty";
import { JSON_FLAG } from "../../src/cli/arguments.ts";
import { UsageError } from "../../src/cli/failure.ts";
import { createProgress, moment, wholeNumber } from "../../src/cli/numbers.ts";
import { withLedger } from "../../src/cli/operator.ts";
import type { Report } from "../../src/cli/report.ts";
import { withWarehouse } from "../../src/cli/warehouse.ts";
import { Refusal } from "../../src/core/refusal.ts";
import { DAY_MS, HOUR_MS, toIsoTime } from "../../src/core/time.ts";
import { openIngest, type Taken, type Target } from "./to-ingest.ts";
import { openSink, type WarehouseSink } from "./to-warehouse.ts";
import { type TrafficPlan, type Visit, visitsOf } from "./traffic.ts";

const MOST_EVENTS = 1_000_000_000;
/** What is sent last is still to be young enough when it comes. */
const MARGIN_MS = HOUR_MS;

const args = {
  source: {
    type: "string",
    valueHint: "id",
    description: "The source's id, src_…; for what goes into the warehouse",
  },
  "to-warehouse": {
    type: "boolean",
    description:
      "Straight into the warehouse, for millions; an embedded one only while the service is stopped",
  },
  url: {
    type: "string",
    valueHint: "url",
    description: "Through the ingest API of the service that is there",
  },
  key: { type: "string", valueHint: "pk_…", description: "With --url: the source's public key" },
  events: { type: "string", valueHint: "n", default: "10000", description: "How many" },
  // Of the seven days that ingest takes, the one that runs and an hour are too many at times.
  days: { type: "string", valueHint: "n", default: "5", description: "Over how many days" },
  seed: { type: "string", valueHint: "n", default: "1", description: "Another number makes other traffic" },
  until: {
    type: "string",
    valueHint: "time",
    description: "Where the days end; default: the last midnight, UTC",
  },
  site: {
    type: "string",
    valueHint: "origin",
    default: "https://shop.example",
    description: "The origin of the pages; with --url the source must let it in",
  },
  ...JSON_FLAG,
} as const;

interface Flags {
  events: string;
  days: string;
  seed: string;
  until?: string | undefined;
  site: string;
}

function planOf({ events, days, seed, until, site }: Flags, now: number): TrafficPlan {
  const url = URL.parse(site);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(
      `--site must be an origin such as https://shop.example, not ${JSON.stringify(site)}.`,
    );
  return {
    events: wholeNumber("--events", events, 1, MOST_EVENTS),
    days: wholeNumber("--days", days, 1, 3_650),
    seed: wholeNumber("--seed", seed, 0, 2 ** 32 - 1),
    until: until === undefined ? now - (now % DAY_MS) : moment("--until", until),
    site: url.origin,
  };
}

interface Sink {
  take(visit: Visit): Promise<void>;
}

/** @param sinkOf who takes visits that began then */
async function play(
  plan: TrafficPlan,
  isSilent: boolean,
  sinkOf: (startedAt: number) => Sink,
): Promise<number> {
  const tell = createProgress(isSilent);
  let [visits, events] = [0, 0];
  for (const visit of visitsOf(plan)) {
    const { at } = visit.events[0]!;
    await sinkOf(at).take(visit);
    visits += 1;
    events += visit.events.length;
    tell(() => `${events} of ${plan.events} events, ${toIsoTime(at)}`);
  }
  return visits;
}

const NONE: Taken = { accepted: 0, duplicates: 0, rejected: 0 };

function reportOf(
  { events, days, seed, until }: TrafficPlan,
  visits: number,
  stored: number,
  taken: Taken,
): Report {
  const json = { events, visits, days, seed, until: toIsoTime(until), intoWarehouse: stored, ...taken };
  const parts = [
    ...(stored > 0 ? [`${stored} straight into the warehouse`] : []),
    ...(stored < events
      ? [`${taken.accepted} accepted, ${taken.duplicates} duplicates, ${taken.rejected} rejected by ingest`]
      : []),
  ];
  return { json, text: `${events} events of ${visits} visits until ${json.until}: ${parts.join("; ")}.` };
}

function targetOf(
  { url: given = "", key }: { url?: string | undefined; key?: string | undefined },
  site: string,
): Target {
  const url = URL.parse(given);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError("--url must be the service's address, such as http://127.0.0.1:8790.");
  if (key === undefined) throw new UsageError("--key is missing: the public key of the source.");
  return { url: url.href.replace(/\/+$/, ""), key, site };
}

/** @param work with the warehouse of the settings */
function inWarehouse(
  sourceId: string | undefined,
  site: string,
  work: (sink: WarehouseSink) => Promise<Report>,
) {
  if (sourceId === undefined)
    throw new UsageError("--source is missing: the id of the source, for the warehouse.");
  return withLedger(async ({ config, ledger, now, newId }) => {
    if (!(await ledger.source({ sourceId, now }))) throw new Refusal("source_not_found");
    return withWarehouse(config, async (client) => work(await openSink(client, sourceId, site, newId)));
  });
}

export const seed = defineCommand({
  meta: {
    description:
      "Make up traffic for development: visits with referrers, campaigns, devices, bots and tracked events. The same words make the same events, so that twice is once",
  },
  args,
  run: async ({ args: flags }): Promise<Report> => {
    const now = Date.now();
    const plan = planOf(flags, now);
    const isSilent = flags.json === true;
    const isDirect = flags["to-warehouse"] === true;
    if (isDirect === (flags.url !== undefined))
      throw new UsageError("Give --to-warehouse, or --url and --key: one of the two.");
    if (!isDirect && plan.until > now)
      throw new UsageError(
        "--until must not lie ahead with --url: ingest takes no events of a time to come.",
      );

    const ingest = isDirect ? null : openIngest(targetOf(flags, plan.site));
    const youngest = now - LIMITS.maxEventAgeSeconds * 1_000 + MARGIN_MS;
    const work = async (sink: WarehouseSink | null) => {
      const visits = await play(plan, isSilent, (at) => (ingest && at >= youngest ? ingest : sink!));
      await ingest?.end();
      await sink?.end();
      return reportOf(plan, visits, sink?.stored() ?? 0, ingest?.taken ?? NONE);
    };
    if (ingest && plan.until - plan.days * DAY_MS >= youngest) return work(null);
    if (ingest && !isSilent)
      process.stderr.write(
        `Ingest takes nothing from before ${toIsoTime(youngest)}: that goes straight into the warehouse.\n`,
      );
    return inWarehouse(flags.source, plan.site, work);
  },
});
