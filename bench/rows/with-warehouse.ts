/** Measures the closed loop on a service that ships to its embedded warehouse, as most users run it. */
import { cpuSecondsOf, cpuSecondsWithChildren } from "../machine.ts";
import { type BenchContext, describeFailures, figure, type ResultTable, spread } from "../section.ts";
import { type Headwater, RAISED_LIMITS, startHeadwater } from "../server.ts";
import { type ClosedLoopResult, closedLoop } from "../wrk.ts";
import { templateFile } from "./compare.ts";
import { waitForWarehouse, waitUntilShipped } from "./warehouse.ts";

const EVENTS = 10;
const WARMUP_SECONDS = 3;

interface ShippingLoop {
  loop: ClosedLoopResult;
  /** CPU seconds per thousand requests. */
  cpu: { service: number; warehouse: number };
  /** From the end of the load until the warehouse has every event. */
  lagSeconds: number;
}

async function measureRound(server: Headwater, templates: string, seconds: number): Promise<ShippingLoop> {
  const read = () => ({ service: cpuSecondsOf(server.pid), both: cpuSecondsWithChildren(server.pid) });
  const before = read();
  const loop = await closedLoop(server.url, templates, seconds);
  const endedAt = performance.now();
  const { accepted } = await server.acknowledged();
  await waitUntilShipped(server, accepted);
  const lagSeconds = (performance.now() - endedAt) / 1_000;
  const after = read();
  const service = ((after.service - before.service) * 1_000) / loop.requests;
  const both = ((after.both - before.both) * 1_000) / loop.requests;
  return { loop, cpu: { service, warehouse: both - service }, lagSeconds };
}

export async function withWarehouse({
  options,
  say,
}: BenchContext): Promise<{ table: ResultTable; rounds: ShippingLoop[] }> {
  const server = await startHeadwater({ settings: { ...RAISED_LIMITS, WAREHOUSE: "embedded" } });
  await waitForWarehouse(server);
  const templates = templateFile(EVENTS, server);
  await measureRound(server, templates, options.quick ? 1 : WARMUP_SECONDS);
  const rounds: ShippingLoop[] = [];
  for (let round = 0; round < options.rounds; round++) {
    const one = await measureRound(server, templates, options.seconds);
    rounds.push(one);
    say(
      `  with the warehouse · round ${round + 1}: ${figure(one.loop.requestsPerSecond * EVENTS)} events/s, shipped ${figure(one.lagSeconds)} s after the load`,
    );
  }
  await server.stop();
  const of = (read: (one: ShippingLoop) => number) => spread(rounds.map(read));
  const table = {
    columns: [
      "requests",
      "events/s",
      "p99 ms",
      "CPU s per 1,000 req, service",
      "CPU s per 1,000 req, warehouse",
      "shipped after s",
      "failed",
    ],
    rows: [
      [
        `events, ${EVENTS} per batch, with the embedded warehouse`,
        of(({ loop }) => loop.requestsPerSecond * EVENTS),
        of(({ loop }) => loop.p99),
        of(({ cpu }) => cpu.service),
        of(({ cpu }) => cpu.warehouse),
        of(({ lagSeconds }) => lagSeconds),
        describeFailures(rounds.map(({ loop }) => loop)),
      ],
    ],
  };
  return { table, rounds };
}
