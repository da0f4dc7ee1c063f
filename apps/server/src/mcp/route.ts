/** `POST /mcp` (docs/mcp.md). The protocol's SDK is loaded by the first request: it takes 25 MB. */
import type { BuildInfo } from "../config/build-info.ts";
import { Refusal } from "../core/refusal.ts";
import type { Call, HandlerWith } from "../http/handler.ts";

interface McpServices {
  readonly build: BuildInfo;
  /** The public addresses of the service and of its console. */
  readonly addresses: () => { readonly baseUrl: string; readonly appUrl: string };
}

/** A page of another origin may have reached this service by a host name that it controls (DNS rebinding). */
function requireOwnOrigin(origin: string | undefined, addresses: McpServices["addresses"]): void {
  if (origin === undefined) return;
  const { baseUrl, appUrl } = addresses();
  if ([baseUrl, appUrl].some((url) => URL.parse(url)?.origin === origin)) return;
  throw new Refusal("origin_not_allowed", {
    message: "Pages of this origin may not call /mcp.",
    hint: "Call /mcp from a program, without an Origin header.",
  });
}

/**
 * The request for the SDK, with the headers that the protocol reads. The SDK refuses a client that does not accept both media
 * types; we answer JSON to every client.
 */
function requestOf({ headers, signal }: Call<"mcp">, url: string): Request {
  const read = Object.entries(headers).filter(([name]) => name.startsWith("mcp-"));
  const sent = new Headers(read.map(([name, value]): [string, string] => [name, String(value)]));
  sent.set("content-type", "application/json");
  sent.set("accept", "application/json, text/event-stream");
  return new Request(url, { method: "POST", headers: sent, signal });
}

export const mcp: HandlerWith<McpServices, "mcp"> = async (call, { build, addresses }) => {
  requireOwnOrigin(call.headers.origin, addresses);
  const { answerMessage, createMcpServer } = await import("./server.ts");
  const request = requestOf(call, `${addresses().baseUrl}/mcp`);
  const response = await answerMessage(() => createMcpServer(call.ask, build.version), request, call.body);
  return {
    status: response.status,
    text: await response.text(),
    mediaType: response.headers.get("content-type") ?? "application/json",
  };
};
