/** The operator's routes, and what support may attach to a report (CONTRACT sections 3 and 8). */
import { createHash } from "node:crypto";
import type { Handler } from "../core/handler.ts";
import { Refusal } from "../core/refusal.ts";
import { lagSeconds, type ShippingStatus } from "./metrics.ts";
import type { Readiness } from "./readiness.ts";

export interface OperationsDeps {
  readiness(): Readiness;
  shipping(): ShippingStatus | null;
  clock(): number;
  metrics: { render(): Promise<string>; contentType: string };
  /** The built browser client. */
  sdk: Buffer;
  /** Its optional parts, by the name of their file. */
  sdkExtras: ReadonlyMap<string, Buffer>;
  /** As text, without secrets and paths. */
  settings: Readonly<Record<string, string>>;
}

/** Not ready is a failure like every other; which one says what to do about it. */
const readyz =
  ({ readiness, shipping, clock }: OperationsDeps): Handler<"readyz"> =>
  async () => {
    const found = readiness();
    const { refusal, problems, status } = found;
    if (refusal !== null) throw new Refusal(refusal, { message: problems.join(" ") });
    const warehouse = {
      state: shipping()?.state() ?? "starting",
      waitingEvents: status?.outboxEvents ?? 0,
      lagSeconds: lagSeconds(found, clock()),
    };
    return { body: { status: "ready", warehouse } };
  };

/** Pages keep it for five minutes: long enough to spare requests, short enough for a new version to arrive. */
const SDK_CACHE = "public, max-age=300";

function script(bytes: Buffer) {
  const headers = {
    "Cache-Control": SDK_CACHE,
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
    ETag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`,
  };
  return { text: bytes, mediaType: "text/javascript; charset=utf-8", headers };
}

function sdk({ sdk: bytes }: OperationsDeps): Handler<"sdk"> {
  const answer = script(bytes);
  return async () => answer;
}

function sdkExtra({ sdkExtras }: OperationsDeps): Handler<"sdkExtra"> {
  const answers = new Map([...sdkExtras].map(([file, bytes]) => [file, script(bytes)]));
  return async ({ params }) => {
    const answer = answers.get(params.file ?? "");
    if (!answer) throw new Refusal("route_not_found");
    return answer;
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
      const { ready, problems, status } = deps.readiness();
      const runtime = { node: process.version, platform: process.platform, arch: process.arch };
      return {
        settings: deps.settings,
        health: { ready, problems },
        facts: {
          ...runtime,
          uptimeSeconds: Math.round(process.uptime()),
          memory: process.memoryUsage(),
          // the outbox is of all workspaces: its totals stand in /metrics, for the operator
          freeBytes: status?.freeBytes ?? null,
        },
      };
    },
  };
}
