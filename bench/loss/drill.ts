/** A drill: a service that takes 100 events per second with counted ids, a fault, and what became of each event. */
import { type Child, createSource, startChild } from "../../apps/server/test/faults/child.ts";
import { createRandom } from "../../apps/server/test/faults/random.ts";
import { Trickle, type TrickleAnswer } from "../../apps/server/test/faults/trickle.ts";
import { storedEvents } from "../../apps/server/test/ledger/reader.ts";
import { until } from "../../apps/server/test/support/until.ts";
import type { TestSource } from "../../apps/server/test/support/world.ts";

const READY = "ready";
const BEFORE = 200;

/** The messages to the operator while the fault lasted. */
interface FaultReport {
  /** The first line of level error about it; null: none. */
  errorLine: string | null;
  /** The metric that says it; null: none. */
  metric: string | null;
  /** Status and code of /readyz. */
  readyz: string;
}

export interface DrillFigures {
  acknowledged: number;
  lost: number;
  doubled: number;
  /** Milliseconds from the fault to the first refusal; null: nothing was refused. */
  noticedMs: number | null;
  /** Events that were acknowledged between the fault and the first refusal. */
  acknowledgedUnnoticed: number;
  /** Events that were sent after the first refusal and acknowledged before the fault was mended. */
  acknowledgedAfterKnown: number;
  refused: number;
  report: FaultReport | null;
  /** Further remarks. */
  note: string;
}

interface TrickledService extends AsyncDisposable {
  child: Child;
  source: TestSource;
  trickle: Trickle;
}

/** Starts a service and its events, and waits for the first 200. @param source of an earlier service on the same ledger */
export async function startTrickled(
  dataDir: string,
  environment: Record<string, string> = {},
  source?: TestSource,
): Promise<TrickledService> {
  const child = await startChild(dataDir, { environment: { LOG_LEVEL: "warn", ...environment } });
  const to = source ?? (await createSource(child.url));
  const trickle = await Trickle.start(child, to, createRandom());
  await until("events are accepted", () => trickle.count("accepted") >= BEFORE);
  const close = async () => {
    await trickle[Symbol.asyncDispose]();
    await child.end("SIGKILL");
  };
  return { child, source: to, trickle, [Symbol.asyncDispose]: close };
}

export const refusalsOf = ({ answers }: Trickle) =>
  answers.filter(({ outcome }) => outcome.startsWith("503")).length;

/** Waits until at least that many further events are accepted. */
export function waitForAccepted(trickle: Trickle, further: number): Promise<unknown> {
  const wanted = trickle.count("accepted") + further;
  return until("events are accepted", () => trickle.count("accepted") >= wanted);
}

const METRIC =
  /^(headwater_storage_failing\{kind="\w+"\} 1|headwater_(?:clock_jump_seconds|warehouse_missing_events) -?[1-9].*)$/m;

/** The answer of /readyz. */
export async function readReadiness({ url }: Child) {
  const response = await fetch(`${url}/readyz`);
  const { code, warehouse, clock } = (await response.json()) as {
    code?: string;
    warehouse?: { state: string; waitingEvents: number };
    clock?: { state: string };
  };
  return { status: response.status, code, warehouse, clock };
}

/** A remark about the body of a 200. */
function remarkOf({ warehouse, clock }: Awaited<ReturnType<typeof readReadiness>>): string {
  if (warehouse?.state === "incomplete") return "warehouse incomplete";
  return clock?.state === "jumped" ? "clock jumped" : READY;
}

export async function readReport(child: Child): Promise<FaultReport> {
  const readiness = await readReadiness(child);
  const metrics = await (await fetch(`${child.url}/metrics`)).text();
  const lines = child.logged().split("\n").filter(Boolean);
  const errors = lines.map((line) => JSON.parse(line) as { level: number; msg: string });
  return {
    errorLine: errors.find(({ level }) => level >= 50)?.msg ?? null,
    metric: METRIC.exec(metrics)?.[1] ?? null,
    readyz: `${readiness.status} ${readiness.code ?? remarkOf(readiness)}`,
  };
}

/** Whether a log line, a metric and /readyz said it. */
export const isReported = (report: FaultReport | null) =>
  report !== null && report.errorLine !== null && report.metric !== null && report.readyz !== `200 ${READY}`;

/** Times by `performance.now()`. */
interface FaultTimes {
  faultAt: number;
  /** Default: the fault was not mended. */
  mendedAt?: number;
}

export function countLoss(acknowledged: readonly string[], stored: readonly string[]) {
  const times = new Map<string, number>();
  for (const id of stored) times.set(id, (times.get(id) ?? 0) + 1);
  return {
    acknowledged: acknowledged.length,
    lost: acknowledged.filter((id) => !times.has(id)).length,
    doubled: [...times.values()].filter((count) => count > 1).length,
  };
}

/** The ids of the stored events. The ledger must not be in use. */
export const storedIds = (dataDir: string): string[] =>
  storedEvents(dataDir).map(({ eventId }) => eventId as string);

interface Answered {
  answers: readonly TrickleAnswer[];
  stored: readonly string[];
  times: FaultTimes;
  report: FaultReport | null;
  note?: string;
}

export function toFigures({ answers, stored, times, report, note = "" }: Answered): DrillFigures {
  const { faultAt, mendedAt = Number.POSITIVE_INFINITY } = times;
  const accepted = answers.filter(({ outcome }) => outcome === "accepted");
  const refused = answers.filter(({ outcome }) => outcome !== "accepted");
  const during = refused.filter(({ answeredAt }) => answeredAt > faultAt).map(({ answeredAt }) => answeredAt);
  const knownAt = Math.min(...during);
  return {
    ...countLoss(
      accepted.map(({ eventId }) => eventId),
      stored,
    ),
    noticedMs: during.length === 0 ? null : Math.round(knownAt - faultAt),
    acknowledgedUnnoticed:
      during.length === 0 ? 0 : accepted.filter(({ sentAt }) => sentAt > faultAt && sentAt <= knownAt).length,
    acknowledgedAfterKnown: accepted.filter(
      ({ sentAt, answeredAt }) => sentAt > knownAt && answeredAt < mendedAt,
    ).length,
    refused: refused.length,
    report,
    note,
  };
}
