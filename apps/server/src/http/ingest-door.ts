/**
 * The public ingest routes, straight on node:http: the corridor needs a request's values and a reply's, and no
 * more (docs/decisions/0002). Everything else goes to the workspace app.
 */
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Attempt } from "../core/attempt.ts";
import { clientAddress, type Trust } from "../core/client-address.ts";
import type { IngestRequest } from "../core/ingest-request.ts";
import { Refusal } from "../core/refusal.ts";
import { failureAnswer } from "./errors.ts";
import { requestIdOf } from "./request-id.ts";

export interface DoorOptions {
  trust: Trust;
  /** Lower-case name of the header that carries a country; null: none. */
  geoHeader: string | null;
  clock(): number;
  newId(prefix: string): string;
  /** Where people see what came of a source's attempts. */
  debugUrl(sourceId: string): string;
  handle(request: IngestRequest): Promise<Attempt>;
}

interface Route {
  kind: "bootstrap" | "events";
  legacy: boolean;
  publicKey: string;
  query: string;
}

const PREFIX = "/api/ingest/";
const ROUTE = /^\/api\/ingest\/(v2\/)?([^/?]+)\/(bootstrap|events)\/?(?:\?(.*))?$/;

function routeOf(url: string): Route | null {
  const parts = url.startsWith(PREFIX) ? ROUTE.exec(url) : null;
  if (!parts) return null;
  const [, version, publicKey, kind, query] = parts;
  return {
    kind: kind as Route["kind"],
    legacy: version === undefined,
    publicKey: publicKey!,
    query: query ?? "",
  };
}

const PREFLIGHT = { "Access-Control-Max-Age": "7200", "Cache-Control": "no-store" };
const EXPOSED = "Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Request-Id";
const SUCCESSOR = 'rel="successor-version"';

/** Refusal is by the status, not by hiding the answer: every origin may read it, without credentials. */
function headersFor(request: IncomingMessage, requestId: string): OutgoingHttpHeaders {
  const { origin } = request.headers;
  const headers: OutgoingHttpHeaders = {
    "X-Request-Id": requestId,
    "Cache-Control": "no-store",
    Vary: "Origin",
  };
  if (origin !== undefined) {
    headers["Access-Control-Allow-Origin"] = origin;
    headers["Access-Control-Expose-Headers"] = EXPOSED;
  }
  return headers;
}

function answerPreflight(request: IncomingMessage, response: ServerResponse, requestId: string): void {
  const asked = request.headers["access-control-request-headers"];
  // another method than POST too: a page's own code then reads the 405
  const method = request.headers["access-control-request-method"] ?? "POST";
  response.writeHead(204, {
    ...headersFor(request, requestId),
    ...PREFLIGHT,
    "Access-Control-Allow-Methods": method,
    ...(asked === undefined ? {} : { "Access-Control-Allow-Headers": asked }),
    Vary: "Origin, Access-Control-Request-Headers, Access-Control-Request-Method",
  });
  response.end();
}

/** RFC 7240: a preference in any case among others, its value quoted or not. */
const LENIENT_PREFERENCE = /(?:^|,)\s*handling\s*=\s*"?lenient"?\s*(?:[;,]|$)/i;
const LENIENT_QUERY = /(?:^|&)handling=lenient(?:&|$)/;

/** The `Origin` header; without one, the origin of `Referer`. */
function originOf({ origin, referer }: IncomingHttpHeaders): string | null {
  if (origin !== undefined) return origin;
  const url = referer === undefined ? null : URL.parse(referer);
  return url?.host ? `${url.protocol}//${url.host}` : null;
}

/** ISO 3166-1; XX and ZZ are what networks write for a country that they do not know. */
const COUNTRY = /^(?!XX|ZZ)[A-Z]{2}$/;

function requestFrom(
  request: IncomingMessage,
  route: Route,
  requestId: string,
  options: DoorOptions,
): IngestRequest {
  const { headers } = request;
  const from = clientAddress(
    request.socket.remoteAddress,
    headers["x-forwarded-for"] as string | undefined,
    options.trust,
  );
  const country = options.geoHeader === null ? undefined : headers[options.geoHeader];
  return {
    kind: route.kind,
    legacy: route.legacy,
    publicKey: route.publicKey,
    requestId,
    receivedAt: options.clock(),
    origin: originOf(headers),
    userAgent: headers["user-agent"] ?? null,
    clientKey: from.key,
    clientAddress: from.ip,
    vouchedCountry: from.vouched && typeof country === "string" && COUNTRY.test(country) ? country : null,
    proxyUntrusted: from.proxyUntrusted,
    lenient: LENIENT_PREFERENCE.test(headers.prefer?.toString() ?? "") || LENIENT_QUERY.test(route.query),
    stream: request,
  };
}

function replyTo(
  attempt: Attempt,
  { debugUrl }: DoorOptions,
): { status: number; headers: Record<string, string>; body: unknown } {
  const { outcome, source } = attempt;
  if (outcome.kind === "taken") return { status: 200, headers: {}, body: outcome.answer };
  const answer = failureAnswer(outcome.refusal, attempt.requestId, attempt.attemptId);
  return source ? { ...answer, body: { ...answer.body, debugUrl: debugUrl(source.sourceId) } } : answer;
}

function legacyHeaders(route: Route): Record<string, string> {
  if (!route.legacy) return {};
  const successor = `/api/ingest/v2/${encodeURIComponent(route.publicKey)}/${route.kind}`;
  return { Deprecation: "@1767225600", Link: `<${successor}>; ${SUCCESSOR}` };
}

/** What is left of so small a body is dropped as it comes; with a larger one the connection goes. */
const DROPPED_BYTES = 1_048_576;

function endsConnection(request: IncomingMessage, status: number): boolean {
  // what follows a request that broke off is no request either
  if (status === 400 || status === 408) return true;
  if (request.complete) return false;
  const announced = Number(request.headers["content-length"]);
  return !(announced <= DROPPED_BYTES) || request.isPaused();
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  body: unknown,
): void {
  const text = JSON.stringify(body);
  headers["Content-Type"] = "application/json; charset=utf-8";
  headers["Content-Length"] = Buffer.byteLength(text);
  if (endsConnection(request, status)) headers.Connection = "close";
  response.writeHead(status, headers);
  response.end(text);
}

/** @returns whether the request is one of the ingest routes, and is taken care of */
export function createIngestDoor(options: DoorOptions) {
  const take = async (
    request: IncomingMessage,
    response: ServerResponse,
    route: Route,
    requestId: string,
  ) => {
    const attempt = await options.handle(requestFrom(request, route, requestId, options));
    if (response.destroyed) return;
    const { status, headers, body } = replyTo(attempt, options);
    send(
      request,
      response,
      status,
      Object.assign(headersFor(request, requestId), legacyHeaders(route), headers),
      body,
    );
  };

  const refuse = (
    request: IncomingMessage,
    response: ServerResponse,
    refusal: Refusal,
    requestId: string,
  ) => {
    const { status, headers, body } = failureAnswer(refusal, requestId);
    send(request, response, status, { ...headersFor(request, requestId), ...headers }, body);
  };

  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const route = routeOf(request.url ?? "");
    if (!route) return false;
    const requestId = requestIdOf(request.headers["x-request-id"], () => options.newId("req"));
    if (request.method === "OPTIONS") answerPreflight(request, response, requestId);
    else if (request.method !== "POST") {
      refuse(
        request,
        response,
        new Refusal("method_not_allowed", { headers: { Allow: "POST, OPTIONS" } }),
        requestId,
      );
    } else {
      void take(request, response, route, requestId);
    }
    return true;
  };
}
