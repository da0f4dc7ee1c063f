/** Makes the requests of the tools to a running service. */
import type { InnerReply, InnerRequest } from "../../src/core/handler.ts";
import { SERVER_LIMITS } from "../../src/core/limits.ts";
import { describeFetchError } from "../http-errors.ts";
import { remoteUrl } from "../remote-service.ts";

interface ServiceAccess {
  readonly api: string;
  readonly token: string;
}

const failed = (code: string, message: string, hint: string): InnerReply => ({
  status: 502,
  body: { code, message, hint },
});

function urlOf(api: string, { operation, params, query }: InnerRequest): URL {
  const path = operation.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const url = remoteUrl(api, path);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

/** @returns a failure when the service does not answer, so that an agent reads what to do */
export async function askService({ api, token }: ServiceAccess, request: InnerRequest): Promise<InnerReply> {
  const { operation, body } = request;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const signal = AbortSignal.timeout(SERVER_LIMITS.mcpAnswerMs);
  const sent = { method: operation.method, headers, signal, body: JSON.stringify(body) ?? null };
  try {
    const response = await fetch(urlOf(api, request), sent);
    const answer: unknown = await response.json().catch(() => null);
    if (answer instanceof Object) return { status: response.status, body: answer };
    const message = `${api} answered ${response.status}, but not with JSON.`;
    return failed("unexpected_answer", message, "Check that --api is the address of Headwater.");
  } catch (error) {
    const hint = "Start the service, or give its address with --api.";
    return failed("service_unreachable", describeFetchError(api, error), hint);
  }
}
