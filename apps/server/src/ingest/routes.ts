/** The public ingest routes: an HTTP request becomes an `IngestRequest`, and its attempt becomes the reply. */
import type { IncomingHttpHeaders } from "node:http";
import type { Operation } from "@headwater/contract";
import type { Config } from "../config/settings.ts";
import { decodeComponent } from "../core/text.ts";
import { TOKEN_PREFIX } from "../core/token.ts";
import type { ClientHints } from "../devices/detect-device.ts";
import { clientOf } from "../http/client-address.ts";
import { renderFailure } from "../http/failure.ts";
import { type Exchange, type ServeRoute, send, sendJson } from "../http/reply.ts";
import type { Adapter, Adapters, ForeignReply } from "./adapter.ts";
import type { Attempt } from "./attempt.ts";
import { type ForeignCall, type IngestRequest, ingestPath } from "./ingest-request.ts";

/** The maximum length of each client hint. A list of four brands with versions has about 150 characters. */
const MAX_CLIENT_HINT_LENGTH = 256;

interface IngestRouteDeps {
  readonly config: Pick<Config, "TRUST_PROXY" | "GEO_HEADER">;
  readonly clock: () => number;
  /** The address of a source's debug view. */
  readonly debugUrl: (sourceId: string) => string;
  /** The public address of the service. */
  readonly addresses: () => { readonly baseUrl: string };
  /** The adapters of the compatible endpoints. */
  readonly adapters: Adapters;
  /** The adapter of a path that no tool has. */
  readonly strayAdapter: (path: string) => Adapter;
  readonly ingest: { readonly handle: (request: IngestRequest) => Promise<Attempt> };
}

/** RFC 7240: a preference among others, in any case, its value quoted or not. */
const LENIENT_PREFERENCE = /(?:^|,)\s*handling\s*=\s*"?lenient"?\s*(?:[;,]|$)/i;
const LENIENT_QUERY = /(?:^|&)handling=lenient(?:&|$)/;

/** The `Origin` header; without one, the origin of `Referer`. */
function originOf({ origin, referer }: IncomingHttpHeaders): string | null {
  if (origin !== undefined) return origin;
  const url = referer === undefined ? null : URL.parse(referer);
  return url?.host ? `${url.protocol}//${url.host}` : null;
}

/**
 * Other values of `Authorization` are not for the service: a wrapper may add the application's own bearer token to every
 * request, and a proxy may ask for Basic authentication.
 */
const OWN_TOKEN = new RegExp(`^bearer +${TOKEN_PREFIX}`, "i");

function tokenIn({ authorization }: IncomingHttpHeaders): string | null {
  return authorization !== undefined && OWN_TOKEN.test(authorization) ? authorization : null;
}

/** Many clients of other tools send their key as the user of Basic authentication. It can be a token of the scope `ingest`. */
function tokenInBasic({ authorization }: IncomingHttpHeaders): string | null {
  const [, encoded = ""] = /^basic\s+([a-z0-9+/=]+)$/i.exec(authorization ?? "") ?? [];
  const [user = ""] = Buffer.from(encoded, "base64").toString("latin1").split(":");
  return user.startsWith(TOKEN_PREFIX) ? `Bearer ${user}` : null;
}

/** ISO 3166-1. Networks write XX or ZZ for a country that they do not know. */
const COUNTRY = /^(?!XX|ZZ)[A-Z]{2}$/;

function countryIn(headers: IncomingHttpHeaders, geoHeader: string | null): string | null {
  const country = geoHeader === null ? undefined : headers[geoHeader];
  return typeof country === "string" && COUNTRY.test(country) ? country : null;
}

function clientHintsIn(headers: IncomingHttpHeaders): ClientHints | null {
  if (headers["sec-ch-ua"] === undefined && headers["sec-ch-ua-platform"] === undefined) return null;
  const hint = (name: string) => headers[name]?.toString().slice(0, MAX_CLIENT_HINT_LENGTH) ?? null;
  return {
    brands: hint("sec-ch-ua-full-version-list") ?? hint("sec-ch-ua"),
    mobile: hint("sec-ch-ua-mobile"),
    platform: hint("sec-ch-ua-platform"),
    platformVersion: hint("sec-ch-ua-platform-version"),
    model: hint("sec-ch-ua-model"),
  };
}

/** The members of a request that its path determines. */
type IngestAddress = Pick<IngestRequest, "kind" | "legacy" | "publicKey" | "foreign">;

function toIngestRequest(
  { request, requestId, traceId, queryText }: Exchange,
  address: IngestAddress,
  { config, clock }: IngestRouteDeps,
): IngestRequest {
  const { headers } = request;
  const client = clientOf(request, config.TRUST_PROXY);
  return {
    ...address,
    requestId,
    traceId,
    receivedAt: clock(),
    authorization: tokenIn(headers) ?? (address.foreign ? tokenInBasic(headers) : null),
    origin: originOf(headers),
    userAgent: headers["user-agent"] ?? null,
    clientHints: clientHintsIn(headers),
    clientKey: client.key,
    clientAddress: client.ip,
    vouchedCountry: client.isVouched ? countryIn(headers, config.GEO_HEADER) : null,
    proxyUntrusted: client.proxyUntrusted,
    lenient: LENIENT_PREFERENCE.test(headers.prefer?.toString() ?? "") || LENIENT_QUERY.test(queryText),
    stream: request,
  };
}

/** Unix time of 2026-01-01, when the routes without `/v2/` became deprecated (RFC 9745). */
const DEPRECATED_SINCE = "@1767225600";

/** Names the v2 route only to a client that it accepts: a body without the version fields would be refused there. */
function deprecationHeaders(
  { legacy, publicKey, kind }: IngestAddress,
  { alias }: Exchange,
  { envelope }: Attempt,
): Record<string, string> {
  if (!legacy) return {};
  const deprecation = { Deprecation: DEPRECATED_SINCE };
  if (envelope?.ingestVersion !== 2 || !envelope.sdkVersion) return deprecation;
  const successor = ingestPath(encodeURIComponent(publicKey), kind);
  return { ...deprecation, Link: `<${alias}${successor}>; rel="successor-version"` };
}

/** When a previous key stops working (RFC 8594). The doctor reads it. */
const sunsetHeaders = ({ keyState, source }: Attempt): Record<string, string> =>
  keyState === "previous" && source?.previousKeyExpiresAt
    ? { Sunset: new Date(source.previousKeyExpiresAt).toUTCString() }
    : {};

function toForeignCall(
  { compatEndpoint, path, method }: Operation,
  { call = path.slice(path.lastIndexOf("/") + 1), publicKey, writeKey }: Readonly<Record<string, string>>,
  { queryText, alias }: Exchange,
  { adapters, addresses }: IngestRouteDeps,
): ForeignCall | null {
  if (compatEndpoint === undefined) return null;
  const adapter = adapters[compatEndpoint];
  const fixedReply = adapter.fixedReply?.({
    method,
    call,
    queryText,
    writeKey: writeKey ?? "",
    baseUrl: `${addresses().baseUrl}${alias}/api/compat/${publicKey}`,
  });
  return { adapter, call, queryText, fixedReply: fixedReply ?? null };
}

function toIngestAddress(
  { path, deprecated }: Operation,
  publicKey: string,
  foreign: ForeignCall | null,
): IngestAddress {
  return {
    kind: path.endsWith("/bootstrap") ? "bootstrap" : "events",
    legacy: deprecated === true,
    publicKey,
    foreign,
  };
}

/**
 * Not `no-store`: with it, Chromium never ends a `keepalive` request whose answer the page does not read. A page can have
 * 64 KiB of these requests.
 */
const FOREIGN_CACHING = { "Cache-Control": "no-cache" };

function sendForeign(exchange: Exchange, reply: ForeignReply): void {
  const { status, mediaType, content } = reply;
  const headers = { ...FOREIGN_CACHING, ...reply.headers };
  if (status === 204) send(exchange, { status, headers });
  else send(exchange, { status, headers: { ...headers, "Content-Type": mediaType } }, content);
}

async function serve(exchange: Exchange, sent: IngestAddress, deps: IngestRouteDeps): Promise<void> {
  const address = { ...sent, publicKey: decodeComponent(sent.publicKey) };
  const attempt = await deps.ingest.handle(toIngestRequest(exchange, address, deps));
  const { outcome, source, attemptId, requestId } = attempt;
  const headers = { ...deprecationHeaders(address, exchange, attempt), ...sunsetHeaders(attempt) };
  if (outcome.kind === "answered" && outcome.reply) return sendForeign(exchange, outcome.reply);
  if (outcome.kind === "answered") return sendJson(exchange, { status: 200, headers }, outcome.answer);
  const debugUrl = source ? deps.debugUrl(source.sourceId) : undefined;
  const failure = renderFailure(outcome.refusal, { requestId, attemptId, debugUrl });
  sendJson(exchange, { status: failure.status, headers: { ...headers, ...failure.headers } }, failure.body);
}

/** Creates the handlers of every ingest route, and of paths below a public key that are none. */
export function createIngestRoutes(deps: IngestRouteDeps) {
  const serveIngest: ServeRoute = (exchange, operation, params) => {
    const foreign = toForeignCall(operation, params, exchange, deps);
    return serve(exchange, toIngestAddress(operation, params.publicKey ?? "", foreign), deps);
  };
  const serveStray = (exchange: Exchange, { publicKey = "", strayPath = "" }: Record<string, string>) => {
    const { queryText } = exchange;
    const foreign = { adapter: deps.strayAdapter(strayPath), call: "", queryText, fixedReply: null };
    return serve(exchange, { kind: "events", legacy: false, publicKey, foreign }, deps);
  };
  return { serveIngest, serveStray };
}
