/** Copies the events of every source, and checks that the target has each of them once. */
import { setTimeout as pause } from "node:timers/promises";
import { CommandFailed } from "../../src/cli/errors.ts";
import type { ProgressWriter } from "../../src/cli/report.ts";
import type { WarehouseClient } from "../../src/clickhouse/client.ts";
import {
  allDays,
  copySpan,
  type DayDigest,
  type DaySpan,
  groupIntoSpans,
  hasDuplicates,
  isSameDay,
  listSources,
  readDays,
} from "./copy.ts";

/** The number of events of a source in a month, in UTC. */
export interface MovedMonth {
  sourceId: string;
  month: string;
  eventsHere: number;
  eventsThere: number;
  /** Events that the target did not have before this run. A running service may have shipped some of them. */
  moved: number;
}

/** The two warehouses. */
interface Move {
  from: WarehouseClient;
  to: WarehouseClient;
  /** Called with the number of events that were stored. */
  onStored(events: number): void;
}

/** Checks of the target, ten seconds in all: a replica may need some time to get what the others have. */
const MAX_CHECKS = 20;
const CHECK_INTERVAL_MS = 500;

const toMap = (days: readonly DayDigest[]) => new Map(days.map((digest) => [digest.day, digest]));

/** Whether each day of the span is the same in the target, or has at least as many events there and no duplicates. */
async function isComplete({ from, to }: Move, span: DaySpan): Promise<boolean> {
  const here = await readDays(from, span);
  const there = toMap(await readDays(to, span));
  const differing = here.filter((digest) => !isSameDay(digest, there.get(digest.day)));
  if (differing.some(({ day, events }) => (there.get(day)?.events ?? 0) < events)) return false;
  return differing.length === 0 || !(await hasDuplicates(to, span));
}

/** @throws CommandFailed when the target does not have every event once */
async function moveSpan(move: Move, span: DaySpan, isSpanEmptyInTarget: boolean): Promise<void> {
  await copySpan({ ...move, span, isSpanEmptyInTarget });
  for (let check = 0; check < MAX_CHECKS; check++) {
    if (await isComplete(move, span)) return;
    await pause(CHECK_INTERVAL_MS);
  }
  const { sourceId, first, last } = span;
  throw new CommandFailed(
    `The target has some events of ${sourceId} from ${first} to ${last} twice, or lacks some. Does another process ` +
      "write to it? Nothing was deleted here.",
  );
}

async function moveSource(move: Move, sourceId: string): Promise<MovedMonth[]> {
  const span = allDays(sourceId);
  const here = await readDays(move.from, span);
  const before = toMap(await readDays(move.to, span));
  const differing = here.filter((digest) => !isSameDay(digest, before.get(digest.day)));
  for (const part of groupIntoSpans(differing)) {
    const isSpanEmptyInTarget = ![...before.keys()].some((day) => part.first <= day && day <= part.last);
    await moveSpan(move, part, isSpanEmptyInTarget);
  }
  const after = toMap(await readDays(move.to, span));
  const months = new Map<string, MovedMonth>();
  for (const { day, events } of here) {
    const name = day.slice(0, 7);
    const month = months.get(name) ?? { sourceId, month: name, eventsHere: 0, eventsThere: 0, moved: 0 };
    const eventsThere = after.get(day)?.events ?? 0;
    month.eventsHere += events;
    month.eventsThere += eventsThere;
    month.moved += eventsThere - (before.get(day)?.events ?? 0);
    months.set(name, month);
  }
  return [...months.values()];
}

export async function moveEvents(
  from: WarehouseClient,
  to: WarehouseClient,
  progress: ProgressWriter,
): Promise<MovedMonth[]> {
  const months: MovedMonth[] = [];
  let moved = 0;
  for (const sourceId of await listSources(from)) {
    const onStored = (events: number) => {
      moved += events;
      progress(() => `${moved} events moved; now moving ${sourceId} …`);
    };
    months.push(...(await moveSource({ from, to, onStored }, sourceId)));
  }
  return months;
}
