/** Measures latency at half the peak rate in an open loop, with ten events per batch. */
import { type OpenLoopResult, offer, ok } from "../plan.ts";
import { type BenchContext, type BenchSection, describeTarget, figure, median, spread } from "../section.ts";
import { type Headwater, RAISED_LIMITS, startHeadwater } from "../server.ts";
import { CONNECTIONS, closedLoop } from "../wrk.ts";
import { templateFile } from "./compare.ts";

const MAX_P50_MS = 10;
const MAX_P99_MS = 50;
const MAX_CONNECTIONS = 2_000;

/** The peak rate in requests per second; measured here when the throughput part was not run. */
async function peakOf(server: Headwater, templates: string, context: BenchContext): Promise<number> {
  const { options, peak, say } = context;
  await closedLoop(server.url, templates, options.quick ? 1 : 3);
  if (peak.requestsPerSecond !== null) return peak.requestsPerSecond;
  const { requestsPerSecond } = await closedLoop(server.url, templates, options.seconds);
  say(`  closed loop first: ${Math.round(requestsPerSecond)} requests/s`);
  return requestsPerSecond;
}

export async function openLoop(context: BenchContext): Promise<BenchSection> {
  const { options, say } = context;
  const server = await startHeadwater({ settings: RAISED_LIMITS });
  const templates = templateFile(10, server);
  const rate = Math.round((await peakOf(server, templates, context)) / 2);
  const found: OpenLoopResult[] = [];
  for (let round = 0; round < options.rounds; round++) {
    const plan = {
      warmupSeconds: 1,
      seconds: options.seconds,
      connections: CONNECTIONS,
      maxConnections: MAX_CONNECTIONS,
    };
    const [one] = await offer(server.url, { ...plan, streams: [{ name: "half", rate, templates }] });
    found.push(one!);
    say(
      `  round ${round + 1}: ${figure(one!.offered)} req/s offered, p50 ${figure(one!.all.p50)} ms, p99 ${figure(one!.all.p99)} ms`,
    );
  }
  await server.stop();
  const of = (read: (one: OpenLoopResult) => number) => spread(found.map(read));
  const p50 = median(found.map(({ all }) => all.p50));
  const p99 = median(found.map(({ all }) => all.p99));
  const lost = found.reduce(
    (sum, one) => sum + one.all.count - ok(one).count + one.broken + one.unanswered + one.unsent,
    0,
  );
  return {
    title: "Open loop at half the peak rate, 10 events per batch",
    date: new Date().toISOString(),
    settings: server.settings,
    tables: [
      {
        columns: [
          "scheduled req/s",
          "offered req/s",
          "events/s accepted",
          "p50 ms",
          "p90 ms",
          "p99 ms",
          "max ms",
          "generator late, p99 ms",
          "not 200",
          "target",
        ],
        rows: [
          [
            figure(rate),
            of((one) => one.offered),
            of((one) => one.events),
            of(({ all }) => all.p50),
            of(({ all }) => all.p90),
            of(({ all }) => all.p99),
            of(({ all }) => all.max),
            of(({ lag }) => lag.p99),
            String(lost),
            `${describeTarget(p50 < MAX_P50_MS, `p50 < ${MAX_P50_MS} ms`)}; ${describeTarget(p99 < MAX_P99_MS, `p99 < ${MAX_P99_MS} ms`)}`,
          ],
        ],
      },
    ],
    notes: ["The generator wakes once per millisecond; its delay is part of the latency."],
    data: { rate, found },
  };
}
