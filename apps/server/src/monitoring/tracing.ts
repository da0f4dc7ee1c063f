/**
 * OpenTelemetry traces: one span for each request, sent to the collector of OTEL_EXPORTER_OTLP_ENDPOINT (OTLP over HTTP). The
 * SDK is not installed by default (24 MB), and nothing of it is loaded without that setting.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { ConfigError } from "../config/config.ts";
import type { TracedRequest } from "../http/trace-context.ts";

/** How long a stop waits until the last spans are sent to the collector of traces. */
const TRACE_FLUSH_MS = 1_000;

export interface RequestTracer {
  record(request: TracedRequest): void;
  /** Sends the spans that are still waiting. */
  close(): Promise<void>;
}

interface TracerOptions {
  /** The collector's address, without `/v1/traces`. */
  endpoint: string;
  version: string;
  /** For tests: imports a package. */
  load?: LoadPackage;
}

type LoadPackage = <T>(name: string) => Promise<T>;
const loadInstalled: LoadPackage = (name) => import(name);

/** The used parts of the packages. They are optional, so their own types may be missing. */
interface TracingPackages {
  api: {
    ROOT_CONTEXT: object;
    trace: { setSpanContext(context: object, parent: object): object };
  };
  sdk: {
    TracerProvider: new (
      options: object,
    ) => {
      getTracer(name: string, version: string): { startSpan(...span: [string, object, object]): OpenSpan };
      shutdown(): Promise<void>;
    };
    BatchSpanProcessor: new (options: { exporter: object }) => object;
  };
  resources: { resourceFromAttributes(attributes: object): object };
  exporter: { OTLPTraceExporter: new (options: { url: string }) => object };
}
interface OpenSpan {
  setStatus(status: { code: number }): void;
  end(time: number): void;
}

const INSTALL =
  "npm install --no-save --omit=dev @opentelemetry/api@1 @opentelemetry/sdk-trace@3 @opentelemetry/resources@3 @opentelemetry/exporter-trace-otlp-http@0.301";

/** @throws ConfigError when a package is missing */
async function loadPackages(load: LoadPackage): Promise<TracingPackages> {
  try {
    const [api, sdk, resources, exporter] = await Promise.all([
      load<TracingPackages["api"]>("@opentelemetry/api"),
      load<TracingPackages["sdk"]>("@opentelemetry/sdk-trace"),
      load<TracingPackages["resources"]>("@opentelemetry/resources"),
      load<TracingPackages["exporter"]>("@opentelemetry/exporter-trace-otlp-http"),
    ]);
    return { api, sdk, resources, exporter };
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
    if (!isMissing) throw error;
    throw new ConfigError(
      `OTEL_EXPORTER_OTLP_ENDPOINT needs packages that are not installed. Run \`${INSTALL}\` in Headwater's folder, or unset it.`,
    );
  }
}

/** Values of the API's enums. */
const SPAN_KIND_SERVER = 1;
const SPAN_STATUS_ERROR = 2;

function parentOf(traceparent: string) {
  const [, traceId, spanId, flags = "00"] = traceparent.split("-");
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

/** @throws ConfigError when the SDK is not installed */
export async function openTracer({
  endpoint,
  version,
  load = loadInstalled,
}: TracerOptions): Promise<RequestTracer> {
  const { api, sdk, resources, exporter } = await loadPackages(load);
  const sender = new exporter.OTLPTraceExporter({ url: `${endpoint}/v1/traces` });
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({ "service.name": "headwater", "service.version": version }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: sender })],
  });
  const tracer = provider.getTracer("headwater", version);

  return {
    record({ operation, method, status, requestId, traceparent, startedAt, endedAt }) {
      const context =
        traceparent === null
          ? api.ROOT_CONTEXT
          : api.trace.setSpanContext(api.ROOT_CONTEXT, parentOf(traceparent));
      const attributes = {
        "http.request.method": method,
        "http.response.status_code": status,
        "headwater.operation": operation,
        "headwater.request_id": requestId,
      };
      const options = { kind: SPAN_KIND_SERVER, startTime: startedAt, attributes };
      const span = tracer.startSpan(operation, options, context);
      if (status >= 500) span.setStatus({ code: SPAN_STATUS_ERROR });
      span.end(endedAt);
    },
    // a collector that is down must not delay the stop
    close: async () => {
      const sent = provider.shutdown().catch(() => undefined);
      await Promise.race([sent, sleep(TRACE_FLUSH_MS, undefined, { ref: false })]);
    },
  };
}
