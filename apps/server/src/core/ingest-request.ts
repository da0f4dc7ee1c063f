import type { AttemptKind } from "@headwater/contract";

/** The body of a request, decompressed. */
export interface Body {
  bytes: Buffer;
  /** It was larger than allowed; `bytes` holds its beginning. */
  tooLarge: boolean;
  /** As far as it is known: the bytes read, or announced. */
  sizeBytes: number;
  /** Unknown, doubled or corrupt content encoding. */
  badEncoding: boolean;
}

/** An ingest request as the corridor sees it: nothing of HTTP but its values. */
export interface Arrival {
  readonly kind: AttemptKind;
  readonly legacy: boolean;
  readonly publicKey: string;
  readonly requestId: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly origin: string | undefined;
  readonly referer: string | undefined;
  readonly userAgent: string | undefined;
  /** For rate limits: the address, IPv6 by its /64. */
  readonly clientKey: string;
  /** The address itself; looked up for a country and then dropped. */
  readonly clientAddress: string;
  /** From GEO_HEADER, when TRUST_PROXY vouches for the sender. */
  readonly vouchedCountry: string | null;
  readonly proxyUntrusted: boolean;
  /** A bad event is rejected by itself instead of refusing the batch. */
  readonly lenient: boolean;
  readBody(limitBytes: number): Promise<Body>;
}
