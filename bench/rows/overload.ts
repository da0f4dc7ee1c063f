/** Measures five times the load that one core can serve, from many sources below their own limits; and a quiet source beside one that floods. */
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { buildTemplates, type OpenVisit, writeTemplates } from "../bodies.ts";
import { cpuSecondsOf, generatorCore } from "../machine.ts";
import { type OpenLoopResult, offer, ok } from "../plan.ts";
import {
  type BenchContext,
  type BenchSection,
  describeTarget,
  figure,
  median,
  percent,
  type ResultTable,
  spread,
} from "../section.ts";
import { BASE_SETTINGS, type Headwater, RAISED_LIMITS, startHeadwater, workFolder } from "../server.ts";
import { type ClosedLoopResult, CONNECTIONS, closedLoop } from "../wrk.ts";
import { startRefusing, templateFile } from "./compare.ts";

const TIMES = 5;
const SOURCES = 200;
const SERVER_CORE = 0;
const GOODPUT = 0.6;
/** A request waits three seconds for its turn, and some time to be read and answered. */
const REFUSED_MS = 4_500;
const QUIET_RATE = 50;
const QUIET_MS = 150;
const OPEN_AT_START = 2_000;
const MAX_CONNECTIONS = 8_000;
/** Time for the after-effects of an overload: closing connections, a checkpoint. */
const REST_MS = 3_000;
const MAX_ROUNDS = 3;
/** With more waiting requests the server commits larger groups, so the peak is the better of two closed loops. */
const MANY_CONNECTIONS = 256;

interface OverloadRound {
  /** Requests per second of the better closed loop on that core, measured just before. */
  capacity: number;
  /** Refusals per second that this core could send at the cost of a bare server under the same load. */
  refusable: number;
  overload: OpenLoopResult;
}

const refusals = ({ byOutcome }: OpenLoopResult) =>
  Object.entries(byOutcome)
    .filter(([outcome]) => outcome.startsWith("503"))
    .map(([, times]) => times);
const highest = (values: readonly number[]) => (values.length === 0 ? Number.NaN : Math.max(...values));
const describeOthers = (found: OpenLoopResult) => {
  const codes = Object.entries(found.byOutcome).filter(([outcome]) => !/^(200|503)/.test(outcome));
  const lost = Object.entries({ broken: found.broken, unanswered: found.unanswered, unsent: found.unsent });
  const described = [
    ...codes.map(([outcome, { count }]) => `${count} × ${outcome}`),
    ...lost.filter(([, count]) => count > 0).map(([what, count]) => `${count} ${what}`),
  ];
  return described.join(", ") || "none";
};

const takenPerSecond = ({ requests, refused, requestsPerSecond }: ClosedLoopResult) =>
  requestsPerSecond * (1 - refused / requests);

function flood(rate: number, templates: string, seconds: number) {
  return {
    warmupSeconds: 2,
    seconds,
    connections: OPEN_AT_START,
    maxConnections: MAX_CONNECTIONS,
    streams: [{ name: "flood", rate, templates }],
  };
}

/** The goodput, as a share of the peak, of a server whose successes cost what they cost at the peak and whose refusals cost what a bare server's cost. It is the limit that Node.js sets. */
const possibleGoodput = ({ capacity, refusable, overload }: OverloadRound) =>
  Math.max(0, (1 - overload.offered / refusable) / (1 - capacity / refusable));

/** Measured with an open loop, because over thousands of connections each response costs a third more than in a closed loop. */
async function refusedPerSecond(rate: number, templates: string, seconds: number): Promise<number> {
  const refusing = await startRefusing(pinnedCore);
  const before = cpuSecondsOf(refusing.pid);
  const plan = { ...flood(rate, templates, seconds), warmupSeconds: 0 };
  const [offered] = await offer(refusing.url, plan);
  const cpuSeconds = cpuSecondsOf(refusing.pid) - before;
  await refusing.stop();
  return offered!.all.count / cpuSeconds;
}

async function roundOf(server: Headwater, templates: string, context: BenchContext): Promise<OverloadRound> {
  const { seconds } = context.options;
  const few = await closedLoop(server.url, templates, seconds);
  const many = await closedLoop(server.url, templates, seconds, MANY_CONNECTIONS);
  const capacity = Math.max(takenPerSecond(few), takenPerSecond(many));
  const rate = Math.round(capacity * TIMES);
  const [overload] = await offer(server.url, flood(rate, templates, seconds));
  await wait(REST_MS);
  const refusable = await refusedPerSecond(rate, templates, seconds);
  return { capacity, refusable, overload: overload! };
}

function overloadTable(rounds: readonly OverloadRound[]): ResultTable {
  const of = (read: (one: OverloadRound) => number, show = figure) => spread(rounds.map(read), show);
  const share = ({ overload, capacity }: OverloadRound) => overload.events / (capacity * 10);
  const refused = ({ overload }: OverloadRound) =>
    refusals(overload).reduce((sum, { count }) => sum + count, 0);
  const slowest = ({ overload }: OverloadRound) => highest(refusals(overload).map(({ max }) => max));
  const any = rounds.every((one) => refused(one) > 0);
  return {
    columns: [
      "peak events/s, one core",
      "scheduled req/s",
      "offered req/s",
      "× peak",
      "goodput events/s",
      "share of the peak",
      "bare 503s/s",
      "possible share",
      "503s",
      "503 p99 ms",
      "503 max ms",
      "200 p99 ms",
      "other outcomes",
      "connections",
      "generator late, p99 ms",
      "target",
    ],
    rows: [
      [
        of(({ capacity }) => capacity * 10),
        of(({ capacity }) => capacity * TIMES),
        of(({ overload }) => overload.offered),
        of(({ overload, capacity }) => overload.offered / capacity),
        of(({ overload }) => overload.events),
        of(share, percent),
        of(({ refusable }) => refusable),
        of(possibleGoodput, percent),
        of((one) => refused(one) / one.overload.all.count, percent),
        of(({ overload }) => highest(refusals(overload).map(({ p99 }) => p99))),
        of(slowest),
        of(({ overload }) => ok(overload).p99),
        [...new Set(rounds.map(({ overload }) => describeOthers(overload)))].join("; "),
        of(({ overload }) => overload.connections),
        of(({ overload }) => overload.lag.p99),
        `${describeTarget(median(rounds.map(share)) >= GOODPUT, `goodput ≥ ${percent(GOODPUT)}`)}; ${describeTarget(any && highest(rounds.map(slowest)) < REFUSED_MS, `503s in < ${REFUSED_MS} ms`)}`,
      ],
    ],
  };
}

/** Writes 500 templates, one per client address, of one source's visits. */
function templatesOfSource(name: string, visits: readonly OpenVisit[]): string {
  const file = join(workFolder, `templates-${name}`);
  writeTemplates(
    file,
    buildTemplates(
      10,
      Array.from({ length: 500 }, (_, index) => visits[index % visits.length]!),
    ),
  );
  return file;
}

interface QuietSourceRun {
  limits: string;
  alone: OpenLoopResult;
  beside: OpenLoopResult;
  flood: OpenLoopResult;
}

async function quietBesideFlood(
  limits: string,
  settings: Record<string, string>,
  rate: number,
  context: BenchContext,
): Promise<QuietSourceRun> {
  const server = await startHeadwater({ settings, core: pinnedCore, sources: 2, visits: 40 });
  const of = (source: number) => server.visits.filter((_, index) => index % 2 === source);
  const [quiet, loud] = [
    templatesOfSource(`quiet-${server.pid}`, of(0)),
    templatesOfSource(`flood-${server.pid}`, of(1)),
  ];
  const seconds = Math.max(context.options.seconds * 2, 4);
  const plan = {
    connections: 16,
    maxConnections: 500,
    streams: [{ name: "quiet", rate: QUIET_RATE, templates: quiet }],
  };
  await closedLoop(server.url, quiet, 1);
  const [alone] = await offer(server.url, { ...plan, warmupSeconds: 1, seconds });
  const [[beside], [flooding]] = await Promise.all([
    offer(server.url, { ...plan, warmupSeconds: 3, seconds }),
    offer(server.url, flood(rate, loud, seconds + 2)),
  ]);
  await server.stop();
  context.say(
    `  ${limits}: quiet p99 ${figure(alone!.all.p99)} ms alone, ${figure(ok(beside!).p99)} ms beside the flood`,
  );
  return { limits, alone: alone!, beside: beside!, flood: flooding! };
}

function quietTable(found: readonly QuietSourceRun[]): ResultTable {
  return {
    columns: [
      "limits",
      "flood offered req/s",
      "flood accepted events/s",
      "quiet alone p50 ms",
      "p99 ms",
      "beside the flood p50 ms",
      "p99 ms",
      "× alone",
      "quiet not 200",
      "generator late, p99 ms",
      "target",
    ],
    rows: found.map(({ limits, alone, beside, flood: loud }) => {
      const times = beside.all.p99 / alone.all.p99;
      const refused = (beside.all.count - ok(beside).count) / beside.all.count;
      return [
        limits,
        figure(loud.offered),
        figure(loud.events),
        figure(alone.all.p50),
        figure(alone.all.p99),
        figure(beside.all.p50),
        figure(beside.all.p99),
        figure(times),
        `${percent(refused)}; ${describeOthers(beside)}`,
        figure(beside.lag.p99),
        describeTarget(beside.all.p99 < QUIET_MS && refused === 0, `p99 < ${QUIET_MS} ms`),
      ];
    }),
  };
}

const pinnedCore = generatorCore === null ? null : SERVER_CORE;

export async function overload(context: BenchContext): Promise<BenchSection> {
  const { options, say } = context;
  const server = await startHeadwater({
    settings: BASE_SETTINGS,
    core: pinnedCore,
    sources: SOURCES,
    visits: SOURCES * 2,
  });
  const templates = templateFile(10, server);
  await closedLoop(server.url, templates, options.quick ? 1 : 3);
  const rounds: OverloadRound[] = [];
  for (let turn = 0; turn < Math.min(options.rounds, MAX_ROUNDS); turn++) {
    const one = await roundOf(server, templates, context);
    rounds.push(one);
    say(
      `  round ${turn + 1}: peak ${figure(one.capacity)} req/s, offered ${figure(one.overload.offered)}, goodput ${figure(one.overload.goodput)}, ${describeOthers(one.overload)}`,
    );
  }
  await server.stop();
  const rate = Math.round(median(rounds.map(({ capacity }) => capacity)) * TIMES);
  const beside = [
    await quietBesideFlood("default", BASE_SETTINGS, rate, context),
    await quietBesideFlood("raised", RAISED_LIMITS, rate, context),
  ];
  return {
    title: "Overload: the server on one core, the generator on the other, 10 events per batch",
    date: new Date().toISOString(),
    settings: server.settings,
    tables: [overloadTable(rounds), quietTable(beside)],
    notes: [
      pinnedCore === null
        ? "Pinning was not possible: the server and the generator shared all cores."
        : `Server on core ${SERVER_CORE}, generators on core ${generatorCore}.`,
      `${SOURCES} sources from 500 addresses: a source gets ${figure(rate / SOURCES)} requests per second, below the default limits. The quiet source sends ${QUIET_RATE}.`,
      `"bare 503s": refusals per second of a node:http server on one core that reads no request. "possible share": the goodput if refusals cost that.`,
      `"other outcomes": those besides 200 and 503, in each round. "generator late": after the planned time.`,
      `The peak is the better of two closed loops on that core, with ${CONNECTIONS} and ${MANY_CONNECTIONS} connections, just before each round.`,
    ],
    data: { rounds, beside },
  };
}
