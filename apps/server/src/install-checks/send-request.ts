/** The doctor's HTTP requests. Each has a timeout, all share a deadline, and the address guard may forbid one. */
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { Readable } from "node:stream";
import { TEST_AGENT } from "@headwater/contract/attempts";
import { SERVER_LIMITS } from "../core/limits.ts";
import type { AddressGuard } from "./address-guard.ts";
import { MAX_POLICY_LENGTH } from "./policy.ts";

interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Rejects as `fetch` does, and does not follow redirects. */
export type SendRequest = (url: string, options?: RequestOptions) => Promise<Response>;

const STATUS_WITHOUT_BODY = [101, 204, 205, 304];

function toResponse(incoming: IncomingMessage): Response {
  const { statusCode: status = 0, headersDistinct } = incoming;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct))
    for (const value of values) headers.append(name, value);
  if (STATUS_WITHOUT_BODY.includes(status)) {
    incoming.destroy();
    return new Response(null, { status, headers });
  }
  // Node's stream and the one of the DOM types are the same at run time
  return new Response(Readable.toWeb(incoming) as ReadableStream, { status, headers });
}

/** @param deadline aborts every request that is still open */
export const createSender =
  (guard: AddressGuard, deadline: AbortSignal): SendRequest =>
  (address, { method = "GET", headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      const signal = AbortSignal.any([deadline, AbortSignal.timeout(SERVER_LIMITS.doctorTimeoutMs)]);
      const url = new URL(address);
      const lookup = guard(url);
      const request = (url.protocol === "https:" ? requestHttps : requestHttp)(url, {
        method,
        // identity: nothing here decompresses a body
        headers: { "User-Agent": TEST_AGENT, "Accept-Encoding": "identity", ...headers },
        agent: false,
        // longer headers are an error, so a policy is never cut
        maxHeaderSize: MAX_POLICY_LENGTH,
        signal,
        ...(lookup && { lookup }),
      });
      request.once("response", (incoming) => {
        try {
          resolve(toResponse(incoming));
        } catch (error) {
          // such as a status that HTTP does not have
          incoming.destroy();
          reject(error);
        }
      });
      request.once("error", (error) => reject(signal.aborted ? signal.reason : error));
      request.end(body);
    });
