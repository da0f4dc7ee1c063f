/** Measures the closed loop with batches of 1, 10 and 50 events, bootstraps and a mix, each compared with the bare server. */
import type { Traffic } from "../bodies.ts";
import {
  type BenchContext,
  type BenchSection,
  describeFailures,
  describeTarget,
  figure,
  median,
  spread,
} from "../section.ts";
import { type Headwater, RAISED_LIMITS, startHeadwater } from "../server.ts";
import { CONNECTIONS } from "../wrk.ts";
import { type BareServer, type ComparedRound, compareInRounds, startBare } from "./compare.ts";
import { withWarehouse } from "./with-warehouse.ts";

const NAMES: Record<Traffic, string> = {
  1: "events, 1 per batch",
  10: "events, 10 per batch",
  50: "events, 50 per batch",
  bootstraps: "bootstraps, each a new session",
  mix: "1 bootstrap per 3 batches of 10",
};
/** The share of the bare server's rate that is the target. */
const MIN_RATIOS: Partial<Record<Traffic, number>> = { 1: 0.7, 10: 0.35, 50: 0.25 };
const MIN_EVENTS_PER_SECOND = 20_000;
const COLUMNS = [
  "requests",
  "bare req/s",
  "Headwater req/s",
  "events/s",
  "share of bare",
  "p50 ms",
  "p99 ms",
  "CPU s per 1,000 req",
  "failed",
  "target",
];

const EVENTS_PER_REQUEST: Record<Traffic, number> = { 1: 1, 10: 10, 50: 50, bootstraps: 0, mix: 7.5 };

/** Acknowledged events per second, at most as many as the ledger has accepted. (The ledger also holds the last few whose response wrk did not wait for.) */
const eventRate =
  (traffic: Traffic) =>
  ({ headwater, accepted }: ComparedRound) =>
    headwater.requestsPerSecond * Math.min(EVENTS_PER_REQUEST[traffic], accepted / headwater.requests);

function targetOf(traffic: Traffic, rounds: readonly ComparedRound[]): string {
  const ratio = MIN_RATIOS[traffic];
  const targets =
    ratio === undefined
      ? []
      : [describeTarget(median(rounds.map((one) => one.ratio)) >= ratio, `≥ ${ratio}`)];
  if (traffic === 10)
    targets.unshift(
      describeTarget(median(rounds.map(eventRate(traffic))) >= MIN_EVENTS_PER_SECOND, "≥ 20,000 events/s"),
    );
  return targets.join("; ") || "-";
}

function rowOf(traffic: Traffic, rounds: readonly ComparedRound[]): string[] {
  const of = (read: (one: ComparedRound) => number, show = figure) => spread(rounds.map(read), show);
  return [
    NAMES[traffic],
    of((one) => one.bare.requestsPerSecond),
    of((one) => one.headwater.requestsPerSecond),
    traffic === "bootstraps" ? "-" : of(eventRate(traffic)),
    of((one) => one.ratio),
    of((one) => one.headwater.p50),
    of((one) => one.headwater.p99),
    of((one) => one.cpuPerThousand),
    describeFailures(rounds.flatMap(({ bare, headwater }) => [bare, headwater])),
    targetOf(traffic, rounds),
  ];
}

async function measure(
  traffics: readonly Traffic[],
  context: BenchContext,
  bare: BareServer,
  server: Headwater,
) {
  const found = new Map<Traffic, ComparedRound[]>();
  for (const traffic of traffics) found.set(traffic, await compareInRounds(traffic, bare, server, context));
  const ten = found.get(10);
  if (ten) context.peak.requestsPerSecond = median(ten.map((one) => one.headwater.requestsPerSecond));
  return found;
}

export async function closedLoops(
  title: string,
  traffics: readonly Traffic[],
  context: BenchContext,
): Promise<BenchSection & { data: Record<string, readonly ComparedRound[]> }> {
  const { options } = context;
  const server = await startHeadwater({ settings: RAISED_LIMITS });
  const bare = await startBare(server);
  const found = await measure(traffics, context, bare, server);
  await bare.stop();
  await server.stop();
  const rounds = [...found.values()].flat();
  return {
    title,
    date: new Date().toISOString(),
    settings: server.settings,
    tables: [{ columns: COLUMNS, rows: [...found].map(([traffic, one]) => rowOf(traffic, one)) }],
    notes: [
      `${CONNECTIONS} connections, ${options.rounds} rounds of ${options.seconds} s each. Steal time during these rounds: ${figure(rounds.reduce((sum, one) => sum + one.stolenSeconds, 0))} CPU seconds.`,
    ],
    data: Object.fromEntries(found),
  };
}

/** The closed loop of events without a warehouse, and then beside the embedded one. */
export async function throughput(context: BenchContext): Promise<BenchSection> {
  const section = await closedLoops("Closed loop: events", [1, 10, 50], context);
  const { table, rounds } = await withWarehouse(context);
  const note = `Second table: the same loop on a service that ships to its embedded warehouse meanwhile. Its CPU time includes the shipping after the load; "shipped after" counts from the end of the load.`;
  return {
    ...section,
    tables: [...section.tables, table],
    notes: [...section.notes, note],
    data: { ...section.data, withWarehouse: rounds },
  };
}
