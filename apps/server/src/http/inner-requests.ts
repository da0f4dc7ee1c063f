/** Requests that a handler makes for its caller, within the request that it handles. */
import { Refusal } from "../core/refusal.ts";
import type { RequestBytes } from "./body.ts";
import { renderFailure, toRefusal } from "./failure.ts";
import type { Guard } from "./guard.ts";
import type { Caller, InnerReply, InnerRequest } from "./handler.ts";
import { NO_BODY } from "./json-body.ts";
import type { HandlerAnswer } from "./reply.ts";
import type { RequestIds } from "./trace-context.ts";

/** A handler of any operation. The guard has checked the call against the same entry of the table. */
export type AnyHandler = (call: unknown) => Promise<HandlerAnswer>;

interface InnerRequestDeps {
  readonly guard: Pick<Guard, "admit">;
  readonly handlers: ReadonlyMap<string, AnyHandler>;
  readonly clock: () => number;
  /** Logs a storage failure or a bug. */
  readonly report: (error: unknown, ids: RequestIds) => void;
}

/** The request that is being handled. */
interface OuterRequest {
  readonly ids: RequestIds;
  readonly caller: Caller | null;
  /** The members that every call has. */
  readonly call: object;
}

const HEADERS = { "content-type": "application/json" };

function bytesOf(body: unknown): RequestBytes {
  if (body === undefined) return NO_BODY;
  const bytes = Buffer.from(JSON.stringify(body));
  return { bytes, sizeBytes: bytes.length };
}

function jsonOf(answer: HandlerAnswer): unknown {
  if ("body" in answer) return answer.body;
  if ("text" in answer) return JSON.parse(Buffer.from(answer.text).toString());
  throw new Error("the response to an inner request is not JSON");
}

/** @returns a function that answers a refusal as HTTP does, with its status and its body */
export function createInnerRequests({ guard, handlers, clock, report }: InnerRequestDeps) {
  async function answer({ caller, call }: OuterRequest, request: InnerRequest): Promise<InnerReply> {
    const { operation, body, ...rest } = request;
    const handle = handlers.get(operation.id);
    if (!handle) throw new Refusal("route_not_found");
    const now = clock();
    const incoming = { ...rest, headers: HEADERS, body: bytesOf(body) };
    const admitted = await guard.admit(operation, caller, incoming, now);
    const answered = await handle({ ...call, ...admitted, operation, now });
    return { status: answered.status ?? operation.status, body: jsonOf(answered) };
  }

  return async (outer: OuterRequest, request: InnerRequest): Promise<InnerReply> => {
    try {
      return await answer(outer, request);
    } catch (error) {
      const refusal = toRefusal(error);
      if (refusal.cause !== undefined) report(refusal.cause, outer.ids);
      const { status, body } = renderFailure(refusal, { requestId: outer.ids.requestId });
      return { status, body };
    }
  };
}
