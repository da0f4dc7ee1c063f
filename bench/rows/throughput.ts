/** The closed-loop rows: batches of 1, 10 and 50 events, bootstraps, and the mix, each beside the bare server. */
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
import { type BareServer, type ComparedRound, duel, startBare } from "./duel.ts";

const NAMES: Record<Traffic, string> = {
  1: "events, 1 a batch",
  10: "events, 10 a batch",
  50: "events, 50 a batch",
  bootstraps: "bootstraps, each a new session",
  mix: "1 bootstrap to 3 batches of 10",
};
/** Share of the bare server's rate that is asked for. */
const RATIOS: Partial<Record<Traffic, number>> = { 1: 0.7, 10: 0.35, 50: 0.25 };
const EVENTS_A_SECOND = 20_000;
const COLUMNS = [
  "requests",
  "bare req/s",
  "Headwater req/s",
  "events/s",
  "of bare",
  "p50 ms",
  "p99 ms",
  "CPU s per 1,000 req",
  "failed",
  "asked for",
];

const EVENTS_A_REQUEST: Record<Traffic, number> = { 1: 1, 10: 10, 50: 50, bootstraps: 0, mix: 7.5 };

/** Answered events a second, and no more than the ledger has (which holds a last few that nobody waited for). */
const eventRate =
  (traffic: Traffic) =>
  ({ headwater, accepted }: ComparedRound) =>
    headwater.requestsPerSecond * Math.min(EVENTS_A_REQUEST[traffic], accepted / headwater.requests);

function askedFor(traffic: Traffic, bouts: readonly ComparedRound[]): string {
  const ratio = RATIOS[traffic];
  const asked =
    ratio === undefined ? [] : [describeTarget(median(bouts.map((one) => one.ratio)) >= ratio, `≥ ${ratio}`)];
  if (traffic === 10)
    asked.unshift(
      describeTarget(median(bouts.map(eventRate(traffic))) >= EVENTS_A_SECOND, "≥ 20,000 events/s"),
    );
  return asked.join("; ") || "-";
}

function rowOf(traffic: Traffic, bouts: readonly ComparedRound[]): string[] {
  const of = (read: (one: ComparedRound) => number, show = figure) => spread(bouts.map(read), show);
  return [
    NAMES[traffic],
    of((one) => one.bare.requestsPerSecond),
    of((one) => one.headwater.requestsPerSecond),
    traffic === "bootstraps" ? "-" : of(eventRate(traffic)),
    of((one) => one.ratio),
    of((one) => one.headwater.p50),
    of((one) => one.headwater.p99),
    of((one) => one.cpuPerThousand),
    describeFailures(bouts.flatMap(({ bare, headwater }) => [bare, headwater])),
    askedFor(traffic, bouts),
  ];
}

async function measure(
  traffics: readonly Traffic[],
  context: BenchContext,
  bare: BareServer,
  server: Headwater,
) {
  const found = new Map<Traffic, ComparedRound[]>();
  for (const traffic of traffics) found.set(traffic, await duel(traffic, bare, server, context));
  const ten = found.get(10);
  if (ten) context.peak.requestsPerSecond = median(ten.map((one) => one.headwater.requestsPerSecond));
  return found;
}

export async function closedLoops(
  title: string,
  traffics: readonly Traffic[],
  context: BenchContext,
): Promise<BenchSection> {
  const { options } = context;
  const server = await startHeadwater({ settings: RAISED_LIMITS });
  const bare = await startBare(server);
  const found = await measure(traffics, context, bare, server);
  await bare.stop();
  await server.stop();
  const bouts = [...found.values()].flat();
  return {
    title,
    date: new Date().toISOString(),
    settings: server.settings,
    tables: [{ columns: COLUMNS, rows: [...found].map(([traffic, one]) => rowOf(traffic, one)) }],
    notes: [
      `Closed loop of ${CONNECTIONS} connections, ${options.rounds} rounds of ${options.seconds} s each, bare and Headwater in turns; median (lowest–highest); "of bare" is worked out round by round.`,
      `Answers of the bare server are as long as Headwater's: ${bare.lengths.map(([events, bytes]) => `${bytes} bytes for ${events === 0 ? "a bootstrap" : `${events} events`}`).join(", ")}.`,
      `Events/s are those the ledger acknowledged (/api/usage before and after). The host took ${figure(bouts.reduce((sum, one) => sum + one.stolenSeconds, 0))} CPU seconds away during these rounds.`,
    ],
    data: Object.fromEntries(found),
  };
}
