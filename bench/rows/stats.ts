/** Runs ten dashboard queries over a month of ten million events, on ClickHouse and on PostgreSQL, and compares the results. */
import { join } from "node:path";
import { connect, type WarehouseClient } from "../../apps/server/src/clickhouse/client.ts";
import { startEmbedded } from "../../apps/server/src/clickhouse/embedded/start.ts";
import { migrate } from "../../apps/server/src/clickhouse/migrate.ts";
import type { WarehouseProcess } from "../../apps/server/src/clickhouse/warehouse.ts";
import { answerQuery } from "../../apps/server/src/stats/query.ts";
import { createQueryRunner } from "../../apps/server/src/stats/run-query.ts";
import type { RunQuery } from "../../apps/server/src/stats/sql/run-on.ts";
import { type BenchContext, type BenchSection, describeTarget, figure, median, spread } from "../section.ts";
import { newFolder } from "../server.ts";
import {
  buildRollups,
  COMMAND_MS,
  DAYS,
  ENGINE,
  EVENTS,
  fill,
  QUICK_EVENTS,
  range,
  UNTIL,
  waitForMerges,
} from "./month.ts";
import { openPostgres, type PostgresCopy } from "./stats-postgres.ts";
import { type BenchQuery, QUERIES, type QueryRows } from "./stats-queries.ts";

const SOURCE_ID = "src_bench";
const ROUNDS = 5;
/** Bytes per event of Umami's tables on PostgreSQL, indexes included, as measured by this project. */
const UMAMI_BYTES = 1_300;
const TARGETS = { sumMs: 1_000, slowestMs: 400 };

async function bytesOf(client: WarehouseClient, tables: readonly string[]): Promise<number> {
  const query = `SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = currentDatabase() AND table IN (${tables.map((one) => `'${one}'`)})`;
  const [row] = await (await client.query({ query, format: "JSONCompactEachRow" })).json<[string]>();
  return Number(row?.[0]);
}

async function queryWarehouse(
  runQuery: RunQuery,
  { body }: BenchQuery,
): Promise<{ ms: number; rows: QueryRows }> {
  const startedAt = performance.now();
  const question = { ...body, sourceId: SOURCE_ID, dateRange: range, timezone: "UTC", accuracy: "exact" };
  const { results } = await answerQuery(runQuery, question as never, null, UNTIL);
  const rows = results.map(({ dimensions, metrics }) => [...dimensions, ...metrics] as QueryRows[number]);
  return { ms: performance.now() - startedAt, rows };
}

const isSame = (one: QueryRows, other: QueryRows): boolean =>
  one.length === other.length &&
  one.every((row, at) =>
    row.every((value, index) => {
      const wanted = other[at]![index];
      if (typeof value !== "number" || typeof wanted !== "number") return value === wanted;
      return Math.abs(value - wanted) <= 1e-6 * Math.max(1, Math.abs(value));
    }),
  );

interface QueryTimes {
  name: string;
  rollup: number[];
  noRollup: number[];
  postgres: number;
}

async function runAll(
  runQuery: RunQuery,
  rounds: number,
  compare: (query: BenchQuery, rows: QueryRows) => void,
) {
  const times = new Map(QUERIES.map(({ name }) => [name, [] as number[]]));
  for (let round = 0; round <= rounds; round++)
    for (const query of QUERIES) {
      const { ms, rows } = await queryWarehouse(runQuery, query);
      compare(query, rows);
      // the first round is the warm-up
      if (round > 0) times.get(query.name)!.push(ms);
    }
  return times;
}

/** Runs all queries at the same time, as the stats page does. @returns milliseconds until the last result, one number per round */
async function runAllAtOnce(runQuery: RunQuery, rounds: number): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now();
    await Promise.all(QUERIES.map((query) => queryWarehouse(runQuery, query)));
    times.push(performance.now() - startedAt);
  }
  return times;
}

async function timed<T>({ say }: BenchContext, what: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  say(`  ${what}: ${figure((performance.now() - startedAt) / 1_000)} s`);
  return result;
}

async function queryPostgres(
  context: BenchContext,
  postgres: PostgresCopy,
): Promise<Map<string, { ms: number; rows: QueryRows }>> {
  const answers = new Map<string, { ms: number; rows: QueryRows }>();
  for (const query of QUERIES) {
    await postgres.run(query);
    const answer = await postgres.run(query);
    answers.set(query.name, answer);
    context.say(`  PostgreSQL · ${query.name}: ${figure(answer.ms)} ms`);
  }
  return answers;
}

function tableOf(queryTimes: readonly QueryTimes[], atOnce: readonly number[]) {
  const sum = (read: (one: QueryTimes) => number) => queryTimes.reduce((total, one) => total + read(one), 0);
  const slowest = Math.max(...queryTimes.map(({ rollup }) => median(rollup)));
  const together = sum(({ rollup }) => median(rollup));
  const rows = queryTimes.map(({ name, rollup, noRollup, postgres }) => [
    name,
    spread(rollup),
    spread(noRollup),
    figure(postgres),
    "-",
  ]);
  const isSoon = (ms: number) => describeTarget(ms <= TARGETS.sumMs, "≤ 1 s in total");
  rows.push(
    [
      "all ten, one after another",
      figure(together),
      figure(sum(({ noRollup }) => median(noRollup))),
      figure(sum(({ postgres }) => postgres)),
      `${isSoon(together)}; ${describeTarget(slowest < TARGETS.slowestMs, "the slowest < 400 ms")}`,
    ],
    ["all ten at once, as the console sends them", spread(atOnce), "-", "-", isSoon(median(atOnce))],
  );
  return { columns: ["query", "with rollups, ms", "without rollups, ms", "PostgreSQL, ms", "target"], rows };
}

export async function stats(context: BenchContext): Promise<BenchSection> {
  const engine = await startEmbedded({ folder: join(newFolder(), "warehouse"), ...ENGINE });
  try {
    return await measure(context, engine);
  } finally {
    engine.end();
    await engine.ended;
  }
}

async function measure(context: BenchContext, engine: WarehouseProcess): Promise<BenchSection> {
  const { quick } = context.options;
  const events = quick ? QUICK_EVENTS : EVENTS;
  await migrate(engine.endpoint);
  const client = connect(engine.endpoint, COMMAND_MS);
  await timed(context, `${figure(events)} events in the warehouse`, () => fill(client, SOURCE_ID, events));
  const postgres = await timed(context, "the same in PostgreSQL", () =>
    openPostgres(client, [SOURCE_ID, ...range]),
  );
  try {
    return await compareBoth(context, events, client, postgres);
  } finally {
    await postgres.stop();
    await client.close();
  }
}

async function compareBoth(
  context: BenchContext,
  events: number,
  client: WarehouseClient,
  postgres: PostgresCopy,
): Promise<BenchSection> {
  const { quick } = context.options;
  const expected = await queryPostgres(context, postgres);
  const compare = ({ name }: BenchQuery, rows: QueryRows) => {
    const { rows: wanted } = expected.get(name)!;
    if (!isSame(rows, wanted))
      throw new Error(
        `${name}: the warehouse returned ${JSON.stringify(rows)}, PostgreSQL ${JSON.stringify(wanted)}`,
      );
  };
  const runQuery = createQueryRunner({ state: () => "up", client: () => client })({
    organizationId: "org_bench",
    signal: new AbortController().signal,
  });
  const noRollup = await runAll(runQuery, 1, compare);
  await timed(context, `rollups of ${DAYS} days built`, () => buildRollups(client));
  await waitForMerges(client);
  const rollup = await runAll(runQuery, quick ? 1 : ROUNDS, compare);
  const atOnce = await runAllAtOnce(runQuery, quick ? 1 : ROUNDS);
  const [own, more] = [
    await bytesOf(client, ["events"]),
    await bytesOf(client, ["sessionRollups", "eventRollups"]),
  ];
  const queryTimes = QUERIES.map(
    ({ name }): QueryTimes => ({
      name,
      rollup: rollup.get(name)!,
      noRollup: noRollup.get(name)!,
      postgres: expected.get(name)!.ms,
    }),
  );
  return {
    title: `Queries: ${figure(events)} events of one source in ${DAYS} days`,
    date: new Date().toISOString(),
    settings: {
      WAREHOUSE_MEMORY_BYTES: String(ENGINE.memoryBytes),
      WAREHOUSE_THREADS: String(ENGINE.threads),
    },
    tables: [
      tableOf(queryTimes, atOnce),
      {
        columns: ["store", "bytes on disk per event"],
        rows: [
          ["warehouse: events", figure(own / events)],
          ["warehouse: rollups", figure(more / events)],
          ["PostgreSQL: a plain table, three indexes", figure(postgres.bytes / events)],
          ["Umami's PostgreSQL, for reference", figure(UMAMI_BYTES)],
        ],
      },
    ],
    notes: [
      `Generated traffic of \`headwater seed\`, written directly to the warehouse. With rollups: the median (lowest–highest) of ${quick ? 1 : ROUNDS} warm rounds. PostgreSQL and the queries without rollups: the second of two runs.`,
    ],
    data: { queryTimes, atOnce },
  };
}
