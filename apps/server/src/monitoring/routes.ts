/** The operator's routes, the served scripts, and the facts for a support report (docs/api/service.md). */
import type { WarehouseCompleteness } from "../clickhouse/completeness.ts";
import type { WarehouseHealth } from "../clickhouse/problems.ts";
import type { Warehouse } from "../clickhouse/warehouse.ts";
import { Refusal } from "../core/refusal.ts";
import { SECOND_MS } from "../core/time.ts";
import { createDocument } from "../http/document.ts";
import type { Handler } from "../http/handler.ts";
import { lagSeconds } from "./metrics.ts";
import type { ReadinessState } from "./readiness.ts";

interface OperationsDeps {
  readiness(): ReadinessState;
  warehouse: Pick<Warehouse, "state">;
  completeness: Pick<WarehouseCompleteness, "report" | "isIncomplete">;
  warehouseHealth: Pick<WarehouseHealth, "problems">;
  clock(): number;
  /** Days whose rollup could not be built. */
  failedRollups(): number;
  /** How far the clock has jumped, while deletions by age wait for it; else 0. */
  clockJumpMs(): number;
  metrics: { render(): Promise<string>; contentType: string };
  /** The built browser client. */
  sdk: Buffer;
  /** The same with its optional part `engagement`. */
  sdkWithEngagement: Buffer;
  /** The browser client's optional scripts, by file name. */
  sdkExtras: ReadonlyMap<string, Buffer>;
  /** The settings as text, without secrets and paths. */
  settings: Readonly<Record<string, string>>;
}

/** The answer of a service that is not ready is a refusal with the reason. */
const readyz =
  ({
    readiness,
    warehouse,
    completeness,
    warehouseHealth,
    failedRollups,
    clock,
    clockJumpMs,
  }: OperationsDeps): Handler<"readyz"> =>
  async () => {
    const state = readiness();
    if (state.refusal !== null) throw new Refusal(state.refusal, { message: state.problems.join(" ") });
    const connected = warehouse.state();
    const warehouseState = connected === "up" && completeness.isIncomplete() ? "incomplete" : connected;
    const contents = {
      missingEvents: completeness.report().missingEvents,
      waitingEvents: state.status?.outboxEvents ?? 0,
      lagSeconds: lagSeconds(state, clock()),
      failedRollups: failedRollups(),
      problems: warehouseHealth.problems().map(({ text }) => text),
    };
    const jumpMs = clockJumpMs();
    return {
      body: {
        status: "ready",
        warehouse: { state: warehouseState, ...contents },
        clock: { state: jumpMs === 0 ? "trusted" : "jumped", jumpSeconds: jumpMs / SECOND_MS },
      },
    };
  };

/** Browsers cache the scripts for five minutes: few requests, and a new version still arrives soon. */
const SDK_CACHE = "public, max-age=300";

const SCRIPT_HEADERS = {
  "Cache-Control": SDK_CACHE,
  "Access-Control-Allow-Origin": "*",
  "Cross-Origin-Resource-Policy": "cross-origin",
};

const createScript = (bytes: Buffer) =>
  createDocument({
    mediaType: "text/javascript; charset=utf-8",
    headers: SCRIPT_HEADERS,
    render: () => bytes,
  });

function sdk({ sdk: bytes, sdkWithEngagement }: OperationsDeps): Handler<"sdk"> {
  const [script, withEngagement] = [createScript(bytes), createScript(sdkWithEngagement)];
  return async ({ query }) => ({
    document: await (query.with === "engagement" ? withEngagement : script)(),
  });
}

function sdkExtra({ sdkExtras }: OperationsDeps): Handler<"sdkExtra"> {
  const scripts = new Map([...sdkExtras].map(([file, bytes]) => [file, createScript(bytes)]));
  return async ({ params }) => {
    const script = scripts.get(params.file ?? "");
    if (!script) throw new Refusal("route_not_found");
    return { document: await script() };
  };
}

export function createOperations(deps: OperationsDeps) {
  const { metrics } = deps;
  return {
    readyz: readyz(deps),
    sdk: sdk(deps),
    sdkExtra: sdkExtra(deps),
    metrics: (async () => ({
      text: await metrics.render(),
      mediaType: metrics.contentType,
    })) satisfies Handler<"metrics">,
    support: async () => {
      const { ready, problems, freeBytes } = deps.readiness();
      const runtime = { node: process.version, platform: process.platform, arch: process.arch };
      return {
        settings: deps.settings,
        health: {
          ready,
          problems: [...problems, ...deps.warehouseHealth.problems().map(({ text }) => text)],
        },
        facts: {
          ...runtime,
          uptimeSeconds: Math.round(process.uptime()),
          memory: process.memoryUsage(),
          // the outbox belongs to all workspaces, so its size is not for one of them; /metrics has it
          freeBytes,
        },
      };
    },
  };
}
