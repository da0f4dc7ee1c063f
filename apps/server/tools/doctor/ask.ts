/** The doctor's requests: each within its own time, all within the whole's, and none where the guard forbids it. */

import { type IncomingMessage, request as overHttp } from "node:http";
import { request as overHttps } from "node:https";
import { Readable } from "node:stream";
import { SERVER_LIMITS } from "../../src/core/limits.ts";
import { MAX_POLICY_LENGTH } from "../../src/doctor/policy.ts";
import type { Guard } from "./address-guard.ts";

export interface Question {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Rejects as fetch does, and follows no redirect. */
export type Ask = (url: string, question?: Question) => Promise<Response>;

export const USER_AGENT = "headwater-doctor";
const WITHOUT_BODY = [101, 204, 205, 304];

function responseOf(incoming: IncomingMessage): Response {
  const { statusCode: status = 0, rawHeaders } = incoming;
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  if (WITHOUT_BODY.includes(status)) {
    incoming.destroy();
    return new Response(null, { status, headers });
  }
  return new Response(Readable.toWeb(incoming) as ReadableStream, { status, headers });
}

/** @param deadline ends whatever is still under way */
export const createAsk =
  (guard: Guard, deadline: AbortSignal): Ask =>
  (address, { method = "GET", headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      const signal = AbortSignal.any([deadline, AbortSignal.timeout(SERVER_LIMITS.doctorTimeoutMs)]);
      const fail = (error: unknown) => reject(signal.aborted ? signal.reason : error);
      const url = new URL(address);
      const lookup = guard(url);
      const request = (url.protocol === "https:" ? overHttps : overHttp)(url, {
        method,
        // not compressed, because nobody here would unpack it
        headers: { "User-Agent": USER_AGENT, "Accept-Encoding": "identity", ...headers },
        agent: false,
        // beyond it the answer is an error, so what came is whole
        maxHeaderSize: MAX_POLICY_LENGTH,
        signal,
        ...(lookup && { lookup }),
      });
      request.once("response", (incoming) => resolve(responseOf(incoming)));
      request.once("error", fail);
      request.end(body);
    });
