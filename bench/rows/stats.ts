/** Ten questions of a dashboard over a month of ten million events, and the same on PostgreSQL, with the same answers. */
import { join } from "node:path";
import { connect, type WarehouseClient } from "../../apps/server/src/clickhouse/client.ts";
import { startEmbedded } from "../../apps/server/src/clickhouse/embedded/start.ts";
import { migrate } from "../../apps/server/src/clickhouse/migrate.ts";
import type { WarehouseProcess } from "../../apps/server/src/clickhouse/warehouse.ts";
import { answerQuery } from "../../apps/server/src/stats/query.ts";
import { createQueryRunner, type RunQuery } from "../../apps/server/src/stats/run-query.ts";
import { type Context, figure, median, type Section, spread, verdict } from "../section.ts";
import { newFolder } from "../server.ts";
import {
  COMMAND_MS,
  DAYS,
  ENGINE,
  EVENTS,
  fill,
  merged,
  QUICK_EVENTS,
  range,
  settle,
  UNTIL,
} from "./month.ts";
import { openPostgres, type PostgresSubject } from "./stats-postgres.ts";
import { type BenchQuestion, type Figures, QUESTIONS } from "./stats-questions.ts";

const SOURCE_ID = "src_bench";
const ROUNDS = 5;
/** Of the tables of Umami on PostgreSQL, indexes included, as this project found it. */
const UMAMI_BYTES = 1_300;
const WANTED = { sumMs: 1_000, slowestMs: 400 };

async function bytesOf(client: WarehouseClient, tables: readonly string[]): Promise<number> {
  const query = `SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = currentDatabase() AND table IN (${tables.map((one) => `'${one}'`)})`;
  const [row] = await (await client.query({ query, format: "JSONCompactEachRow" })).json<[string]>();
  return Number(row?.[0]);
}

async function askWarehouse(ask: RunQuery, { body }: BenchQuestion): Promise<{ ms: number; rows: Figures }> {
  const startedAt = performance.now();
  const asked = { ...body, sourceId: SOURCE_ID, dateRange: range, timezone: "UTC" };
  const { results } = await answerQuery(ask, asked as never, UNTIL);
  const rows = results.map(({ dimensions, metrics }) => [...dimensions, ...metrics] as Figures[number]);
  return { ms: performance.now() - startedAt, rows };
}

const isSame = (one: Figures, other: Figures): boolean =>
  one.length === other.length &&
  one.every((row, at) =>
    row.every((value, index) => {
      const wanted = other[at]![index];
      if (typeof value !== "number" || typeof wanted !== "number") return value === wanted;
      return Math.abs(value - wanted) <= 1e-6 * Math.max(1, Math.abs(value));
    }),
  );

interface Asked {
  name: string;
  settled: number[];
  derived: number[];
  postgres: number;
}

async function askAll(
  ask: RunQuery,
  rounds: number,
  compared: (question: BenchQuestion, rows: Figures) => void,
) {
  const times = new Map(QUESTIONS.map(({ name }) => [name, [] as number[]]));
  for (let round = 0; round <= rounds; round++)
    for (const question of QUESTIONS) {
      const { ms, rows } = await askWarehouse(ask, question);
      compared(question, rows);
      // the first round is for warming up
      if (round > 0) times.get(question.name)!.push(ms);
    }
  return times;
}

/** All of them asked at the same time, as a page of numbers asks them. @returns milliseconds until the last is answered, a round each */
async function askAtOnce(ask: RunQuery, rounds: number): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now();
    await Promise.all(QUESTIONS.map((question) => askWarehouse(ask, question)));
    times.push(performance.now() - startedAt);
  }
  return times;
}

async function timed<T>({ say }: Context, what: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  say(`  ${what}: ${figure((performance.now() - startedAt) / 1_000)} s`);
  return result;
}

async function askPostgres(
  context: Context,
  postgres: PostgresSubject,
): Promise<Map<string, { ms: number; rows: Figures }>> {
  const answers = new Map<string, { ms: number; rows: Figures }>();
  for (const question of QUESTIONS) {
    await postgres.ask(question);
    const answer = await postgres.ask(question);
    answers.set(question.name, answer);
    context.say(`  PostgreSQL · ${question.name}: ${figure(answer.ms)} ms`);
  }
  return answers;
}

function tableOf(asked: readonly Asked[], atOnce: readonly number[]) {
  const sum = (read: (one: Asked) => number) => asked.reduce((total, one) => total + read(one), 0);
  const slowest = Math.max(...asked.map(({ settled }) => median(settled)));
  const together = sum(({ settled }) => median(settled));
  const rows = asked.map(({ name, settled, derived, postgres }) => [
    name,
    spread(settled),
    spread(derived),
    figure(postgres),
    "-",
  ]);
  const isSoon = (ms: number) => verdict(ms <= WANTED.sumMs, "≤ 1 s together");
  rows.push(
    [
      "all ten, one after the other",
      figure(together),
      figure(sum(({ derived }) => median(derived))),
      figure(sum(({ postgres }) => postgres)),
      `${isSoon(together)}; ${verdict(slowest < WANTED.slowestMs, "the slowest < 400 ms")}`,
    ],
    ["all ten at once, as the console asks", spread(atOnce), "-", "-", isSoon(median(atOnce))],
  );
  return { columns: ["question", "settled, ms", "not settled, ms", "PostgreSQL, ms", "asked for"], rows };
}

export async function stats(context: Context): Promise<Section> {
  const life = await startEmbedded({ folder: join(newFolder(), "warehouse"), ...ENGINE });
  try {
    return await measure(context, life);
  } finally {
    life.end();
    await life.ended;
  }
}

async function measure(context: Context, life: WarehouseProcess): Promise<Section> {
  const { quick } = context.options;
  const events = quick ? QUICK_EVENTS : EVENTS;
  await migrate(life.endpoint);
  const client = connect(life.endpoint, COMMAND_MS);
  await timed(context, `${figure(events)} events in the warehouse`, () => fill(client, SOURCE_ID, events));
  const postgres = await timed(context, "the same in PostgreSQL", () =>
    openPostgres(client, [SOURCE_ID, ...range]),
  );
  const expected = await askPostgres(context, postgres);
  const compared = ({ name }: BenchQuestion, rows: Figures) => {
    const { rows: wanted } = expected.get(name)!;
    if (!isSame(rows, wanted))
      throw new Error(
        `${name}: the warehouse says ${JSON.stringify(rows)}, PostgreSQL ${JSON.stringify(wanted)}`,
      );
  };
  const ask = createQueryRunner({ state: () => "up", client: () => client })({
    organizationId: "org_bench",
    signal: new AbortController().signal,
  });
  const derived = await askAll(ask, 1, compared);
  await timed(context, `${DAYS} days settled`, () => settle(client));
  await merged(client);
  const settled = await askAll(ask, quick ? 1 : ROUNDS, compared);
  const atOnce = await askAtOnce(ask, quick ? 1 : ROUNDS);
  const [own, more] = [
    await bytesOf(client, ["events"]),
    await bytesOf(client, ["sessionRollups", "eventRollups"]),
  ];
  await postgres.stop();
  await client.close();
  const asked = QUESTIONS.map(
    ({ name }): Asked => ({
      name,
      settled: settled.get(name)!,
      derived: derived.get(name)!,
      postgres: expected.get(name)!.ms,
    }),
  );
  return {
    title: `Questions: ${figure(events)} events of one source in ${DAYS} days`,
    date: new Date().toISOString(),
    settings: {
      WAREHOUSE_MEMORY_BYTES: String(ENGINE.memoryBytes),
      WAREHOUSE_THREADS: String(ENGINE.threads),
    },
    tables: [
      tableOf(asked, atOnce),
      {
        columns: ["store", "bytes on disk an event"],
        rows: [
          ["warehouse: events", figure(own / events)],
          ["warehouse: what settled days add", figure(more / events)],
          ["PostgreSQL: a plain table, three indexes", figure(postgres.bytes / events)],
          ["Umami's PostgreSQL, for reference", figure(UMAMI_BYTES)],
        ],
      },
    ],
    notes: [
      `Made-up traffic of \`headwater seed\`, straight into the warehouse. Every answer of the warehouse is held to PostgreSQL's. Warm: median (lowest–highest) of ${quick ? 1 : ROUNDS}, of PostgreSQL and of days that have not settled the second time of two.`,
    ],
    data: { asked, atOnce },
  };
}
