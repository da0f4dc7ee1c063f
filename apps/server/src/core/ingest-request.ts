import type { IncomingMessage } from "node:http";
import type { AttemptKind } from "@headwater/contract";
import type { RequestIds } from "./trace-context.ts";

/** A request on an ingest route as plain values. Only its body is still to be read. */
export interface IngestRequest extends RequestIds {
  readonly kind: AttemptKind;
  /** Whether the request came on a route without `/v2/` (spec 4.3). */
  readonly legacy: boolean;
  readonly publicKey: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  /** The `Authorization` header, if it has a bearer token: a server's. With an invalid one the request is refused. */
  readonly authorization: string | null;
  /** The `Origin` header, else the origin of `Referer`. */
  readonly origin: string | null;
  readonly userAgent: string | null;
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
  /** The body, still unread. */
  readonly stream: IncomingMessage;
}
