/** `headwater move-warehouse`: the events of one warehouse into another, as of the embedded one into a cluster. */
import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { defineCommand } from "citty";
import { JSON_FLAG } from "../../src/cli/arguments.ts";
import { CommandFailed, UsageError } from "../../src/cli/failure.ts";
import { createProgress } from "../../src/cli/numbers.ts";
import { type Report, table } from "../../src/cli/report.ts";
import { withEndpoint } from "../../src/cli/warehouse.ts";
import type { WarehouseClient } from "../../src/clickhouse/client.ts";
import type { Endpoint } from "../../src/clickhouse/warehouse.ts";
import { type Config, ConfigError, processEnvironment, readConfig } from "../../src/config/config.ts";
import { clickhouseUrl, clusterName } from "../../src/config/values.ts";
import { embeddedFolder, startEmbeddedFor } from "../../src/open-warehouse.ts";
import {
  allDays,
  copySpan,
  type Held,
  heldOf,
  isDoubled,
  isSame,
  type Span,
  sourcesOf,
  spansOf,
} from "./copy.ts";

interface Month {
  sourceId: string;
  month: string;
  from: number;
  to: number;
  /** So many were not there before. */
  moved: number;
}

const args = {
  to: {
    type: "string",
    valueHint: "url",
    description: "http://user:password@host:8123/database; default: CLICKHOUSE_URL",
  },
  cluster: {
    type: "string",
    valueHint: "name",
    description: "The cluster there whose nodes hold the tables; default: CLICKHOUSE_CLUSTER",
  },
  from: {
    type: "string",
    valueHint: "url",
    description: "Another server or its node; default: the embedded warehouse of DATA_DIR",
  },
  ...JSON_FLAG,
} as const;

function endpointOf(flag: string, text: string, cluster: string | null): Endpoint {
  try {
    const address = clickhouseUrl(text);
    if (address !== null) return { ...address, cluster };
  } catch {
    // said below, without the password that may be in it
  }
  throw new ConfigError(`${flag} must be an address such as https://user:password@host:8443/database.`);
}

function targetOf(config: Config, given: string | undefined, name: string | undefined): Endpoint {
  const cluster = name === undefined ? config.CLICKHOUSE_CLUSTER : clusterOf(name);
  if (given !== undefined) return endpointOf("--to", given, cluster);
  if (config.CLICKHOUSE_URL === null)
    throw new UsageError("--to is missing: the address of the warehouse to move to, or CLICKHOUSE_URL.");
  return { ...config.CLICKHOUSE_URL, cluster };
}

function clusterOf(name: string): string | null {
  try {
    return clusterName(name);
  } catch (error) {
    throw new UsageError(`--cluster ${(error as Error).message}.`);
  }
}

/** A replica of a cluster may take its time to have what the others have. */
const LOOKS = 20;
const LOOK_MS = 500;

/** @returns whether every event of it is there, and none twice */
async function isThere(from: WarehouseClient, to: WarehouseClient, span: Span): Promise<boolean> {
  const [here, there] = [await heldOf(from, span), byDay(await heldOf(to, span))];
  const differing = here.filter((held) => !isSame(held, there.get(held.day)));
  if (differing.some(({ day, events }) => (there.get(day)?.events ?? 0) < events)) return false;
  return differing.length === 0 || !(await isDoubled(to, span));
}

/** @throws CommandFailed */
async function moveSpan(
  from: WarehouseClient,
  to: WarehouseClient,
  span: Span,
  isEmpty: boolean,
  onEvents: (events: number) => void,
): Promise<void> {
  await copySpan(from, to, span, isEmpty, onEvents);
  for (let look = 0; look < LOOKS; look++) {
    if (await isThere(from, to, span)) return;
    await pause(LOOK_MS);
  }
  const { sourceId, first, last } = span;
  throw new CommandFailed(
    `Of ${sourceId} from ${first} to ${last} some events are there twice, or are missing: does something else write ` +
      "there? Nothing was taken away here.",
  );
}

const byDay = (days: readonly Held[]) => new Map(days.map((held) => [held.day, held]));

/** @param onEvents told of what was stored */
async function moveSource(
  from: WarehouseClient,
  to: WarehouseClient,
  sourceId: string,
  onEvents: (events: number) => void,
): Promise<Month[]> {
  const days = allDays(sourceId);
  const here = await heldOf(from, days);
  const before = byDay(await heldOf(to, days));
  for (const span of spansOf(here.filter((held) => !isSame(held, before.get(held.day))))) {
    const isEmpty = ![...before.keys()].some((day) => span.first <= day && day <= span.last);
    await moveSpan(from, to, span, isEmpty, onEvents);
  }
  const there = byDay(await heldOf(to, days));
  const months = new Map<string, Month>();
  for (const { day, events } of here) {
    const name = day.slice(0, 7);
    const month = months.get(name) ?? { sourceId, month: name, from: 0, to: 0, moved: 0 };
    const [now, then] = [there.get(day)?.events ?? 0, before.get(day)?.events ?? 0];
    months.set(name, {
      ...month,
      from: month.from + events,
      to: month.to + now,
      moved: month.moved + now - then,
    });
  }
  return [...months.values()];
}

async function move(from: WarehouseClient, to: WarehouseClient, isSilent: boolean): Promise<Month[]> {
  const tell = createProgress(isSilent);
  const months: Month[] = [];
  let events = 0;
  for (const sourceId of await sourcesOf(from)) {
    const moved = await moveSource(from, to, sourceId, (stored) => {
      events += stored;
      tell(() => `${events} events moved; now of ${sourceId} …`);
    });
    months.push(...moved);
  }
  return months;
}

const sum = (months: readonly Month[], of: (month: Month) => number) =>
  months.reduce((total, month) => total + of(month), 0);

function reportOf(months: Month[]): Report {
  const [here, there, moved] = [
    sum(months, (one) => one.from),
    sum(months, (one) => one.to),
    sum(months, (one) => one.moved),
  ];
  const rows = months.map(({ sourceId, month, from, to, moved: now }) => [sourceId, month, from, to, now]);
  const text = table(
    ["source", "month", "here", "there", "moved now"],
    [...rows, ["all", "", here, there, moved]],
  );
  const more =
    there > here
      ? ` There are ${there - here} more there: shipped there since, or erased here since an earlier move, of which the same must be erased there.`
      : "";
  return {
    json: { events: here, moved, there, months },
    text,
    note: `Every event is there, once.${more} Start the service with CLICKHOUSE_URL set to it; what is here stays until you remove it.`,
  };
}

const isInUse = (error: unknown) => /cannot be opened/.test((error as Error).message);

export const moveWarehouse = defineCommand({
  meta: {
    name: "move-warehouse",
    description:
      "Take the events of the embedded warehouse to a ClickHouse server or cluster, while no service uses the embedded one. Interrupted, it goes on when asked again",
  },
  args,
  run: async ({ args: flags }): Promise<Report> => {
    const { from: given, to, cluster } = flags;
    const config = readConfig(processEnvironment());
    const target = targetOf(config, to, cluster);
    const origin = given === undefined ? null : endpointOf("--from", given, null);
    if (origin?.url === target.url && origin.database === target.database)
      throw new UsageError("--from and --to are the same warehouse.");
    const work = (from: WarehouseClient) =>
      withEndpoint(target, async (there) => reportOf(await move(from, there, flags.json === true)));
    if (origin !== null) return withEndpoint(origin, work);
    // or an empty one would be made, and moved, and every event said to be there
    if (!existsSync(embeddedFolder(config)))
      throw new CommandFailed(
        `There is no warehouse in DATA_DIR ${config.DATA_DIR}. Set it to the folder that has one, or give --from.`,
      );
    const life = await startEmbeddedFor(config)().catch((error: unknown) => {
      if (!isInUse(error)) throw error;
      throw new CommandFailed(
        `${(error as Error).message}. Where a service holds it: stop that, or start it with CLICKHOUSE_URL set to where the events move.`,
      );
    });
    try {
      return await withEndpoint(life.endpoint, work);
    } finally {
      life.end();
      await life.ended;
    }
  },
});
