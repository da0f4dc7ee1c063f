/** The operator's routes, the served scripts, and the bundle for a support report (docs/api/service.md). */
import type { OperationId } from "@headwater/contract";
import type { WarehouseCompleteness } from "../clickhouse/completeness.ts";
import type { WarehouseHealth } from "../clickhouse/problems.ts";
import type { Warehouse } from "../clickhouse/warehouse.ts";
import type { BuildInfo } from "../config/build-info.ts";
import type { Config } from "../config/settings.ts";
import { Refusal } from "../core/refusal.ts";
import { DAY_MS, SECOND_MS, toIsoTime } from "../core/time.ts";
import type { Call, Handler, HandlerWith } from "../http/handler.ts";
import { findClient, findExtra, type ServedScripts } from "../http/scripts.ts";
import { lagSeconds } from "./metrics.ts";
import type { Readiness } from "./readiness.ts";

export interface OperationsServices {
  readonly readiness: Pick<Readiness, "state">;
  readonly warehouse: Pick<Warehouse, "state">;
  readonly completeness: Pick<WarehouseCompleteness, "report" | "isIncomplete">;
  readonly warehouseHealth: Pick<WarehouseHealth, "problems">;
  readonly clock: () => number;
  /** Days whose rollup could not be built. */
  readonly failedRollups: { count(): number };
  /** How far the clock has jumped, while deletions by age wait for it; else 0. */
  readonly deletionTime: { jumpMs(): number };
  readonly metrics: { render(): Promise<string>; contentType: string };
  readonly scripts: ServedScripts;
  readonly build: BuildInfo;
  /** The settings as text, without secrets and paths. */
  readonly settings: Readonly<Record<string, string>>;
  /** The names of those that are not at their defaults. */
  readonly changedSettings: readonly string[];
  readonly isOperator: (call: Call<"getSupport">) => Promise<boolean>;
}
type OperationsHandler<Id extends OperationId> = HandlerWith<OperationsServices, Id>;

export const healthz: Handler<"healthz"> = async () => ({ body: { status: "ok" } });

/** The answer of a service that is not ready is a refusal with the reason. */
export const readyz: OperationsHandler<"readyz"> = async (_call, services) => {
  const { readiness, warehouse, completeness, warehouseHealth, failedRollups, clock, deletionTime } =
    services;
  const state = readiness.state();
  if (state.refusal !== null) throw new Refusal(state.refusal, { message: state.problems.join(" ") });
  const connected = warehouse.state();
  const warehouseState = connected === "up" && completeness.isIncomplete() ? "incomplete" : connected;
  const contents = {
    missingEvents: completeness.report().missingEvents,
    waitingEvents: state.status?.outboxEvents ?? 0,
    lagSeconds: lagSeconds(state, clock()),
    failedRollups: failedRollups.count(),
    problems: warehouseHealth.problems().map(({ text }) => text),
  };
  const jumpMs = deletionTime.jumpMs();
  return {
    body: {
      status: "ready",
      warehouse: { state: warehouseState, ...contents },
      clock: { state: jumpMs === 0 ? "trusted" : "jumped", jumpSeconds: jumpMs / SECOND_MS },
    },
  };
};

export const metrics: OperationsHandler<"metrics"> = async (_call, services) => ({
  text: await services.metrics.render(),
  mediaType: services.metrics.contentType,
});

/**
 * The support bundle, to attach to a bug report: version, settings without secrets, health. Only operators see the details of
 * the machine and its settings.
 */
export const getSupport: OperationsHandler<"getSupport"> = async (call, services) => {
  const { build, settings, changedSettings, readiness, warehouseHealth } = services;
  const { ready, problems, freeBytes } = readiness.state();
  const head = { generatedAt: toIsoTime(call.now), ...build };
  const isOperator = await services.isOperator(call);
  const answer = { organizationId: call.organizationId, ...build, isOperator };
  if (!isOperator) {
    const shown = { settings: {}, health: { ready, problems: [] } };
    return { body: { ...answer, ...shown, changedSettings: [], bundle: { ...head, ...shown } } };
  }
  const found = [...problems, ...warehouseHealth.problems().map(({ text }) => text)];
  const shown = { settings, health: { ready, problems: found } };
  const machine = {
    node: process.version,
    platform: process.platform,
    arch: process.arch,
    uptimeSeconds: Math.round(process.uptime()),
    memory: process.memoryUsage(),
    // the outbox belongs to all workspaces, so its size is not for one of them; /metrics has it
    freeBytes,
  };
  const bundle = { ...head, ...shown, ...machine };
  return { body: { ...answer, ...shown, changedSettings: [...changedSettings], bundle } };
};

/** How long the contact is good for. RFC 9116 recommends less than a year. */
const CONTACT_DAYS = 90;

interface SecurityTxtServices {
  readonly config: Pick<Config, "SECURITY_CONTACT">;
  readonly addresses: () => { readonly baseUrl: string };
}

/** `/.well-known/security.txt` (RFC 9116): whom to tell about a security problem of this installation. */
export const securityTxt: HandlerWith<SecurityTxtServices, "securityTxt"> = async ({ now }, services) => {
  const { SECURITY_CONTACT: contact } = services.config;
  if (contact === null) throw new Refusal("route_not_found");
  // a whole day, so that the text changes once a day
  const expires = toIsoTime(Math.ceil(now / DAY_MS) * DAY_MS + CONTACT_DAYS * DAY_MS);
  const canonical = `${services.addresses().baseUrl}/.well-known/security.txt`;
  const text = `Contact: ${contact}\nExpires: ${expires}\nCanonical: ${canonical}\n`;
  return { text, mediaType: "text/plain; charset=utf-8" };
};

export const sdk: OperationsHandler<"sdk"> = async ({ query }, { scripts }) => ({
  document: await findClient(scripts, query.with),
});

export const sdkExtra: OperationsHandler<"sdkExtra"> = async ({ params }, { scripts }) => ({
  document: await findExtra(scripts, params.file ?? ""),
});
