import type { IncomingMessage } from "node:http";
import type { AttemptKind } from "@headwater/contract";
import type { ClientHints } from "../devices/detect-device.ts";
import type { RequestIds } from "../http/trace-context.ts";
import type { Adapter, ForeignReply } from "./adapter.ts";

/** The additional members of a request of another tool's client. */
export interface ForeignCall {
  readonly adapter: Adapter;
  /** The last part of the path. */
  readonly call: string;
  /** The part of the URL behind `?`. */
  readonly queryText: string;
  /** The answer to a request that has no events. null: it has some. */
  readonly fixedReply: ForeignReply | null;
}

/** A request on an ingest route as plain values. Only its body is still to be read. */
export interface IngestRequest extends RequestIds {
  readonly kind: AttemptKind;
  /** Whether the request came on a route without `/v2/` (spec 4.3). */
  readonly legacy: boolean;
  readonly publicKey: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  /** The `Authorization` header, if it has a token of the service: a server's. With an invalid one the request is refused. */
  readonly authorization: string | null;
  /** The `Origin` header, else the origin of `Referer`. */
  readonly origin: string | null;
  readonly userAgent: string | null;
  /** null: the request has none. */
  readonly clientHints: ClientHints | null;
  /** Rate limits count by this: the client's address, for IPv6 its /64. */
  readonly clientKey: string;
  /** The client's whole address. It is used to look up a country and never stored. */
  readonly clientAddress: string;
  /** The country that `GEO_HEADER` names, when `TRUST_PROXY` vouches for the sender; else null. */
  readonly vouchedCountry: string | null;
  /** A private peer sent `X-Forwarded-For`, but `TRUST_PROXY` does not vouch for it. */
  readonly proxyUntrusted: boolean;
  /** The client prefers `handling=lenient`: an invalid event is rejected by itself, the others are stored. */
  readonly lenient: boolean;
  /** null: the request is of a client of ours. */
  readonly foreign: ForeignCall | null;
  /** The body, still unread. */
  readonly stream: IncomingMessage;
}

/** A request without its connection, as far as it is needed after the answer. */
export type RequestHead = Omit<IngestRequest, "stream">;

/** The path of a route, as answers name it (spec 4.2). */
export const ingestPath = (publicKey: string, kind: AttemptKind): string =>
  `/api/ingest/v2/${publicKey}/${kind}`;
/** The route without `/v2`, which accepts bodies without the version fields. */
export const legacyIngestPath = (publicKey: string, kind: AttemptKind): string =>
  `/api/ingest/${publicKey}/${kind}`;
