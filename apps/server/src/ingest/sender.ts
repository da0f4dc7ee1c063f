/** What a request says about its sender. A kept event has it too, so that it can be evaluated again without the request. */
import type { EventSender } from "@headwater/contract";
import type { ContainsAddress } from "../core/address-ranges.ts";
import { SERVER_LIMITS } from "../core/limits.ts";
import type { ClientHints } from "../devices/detect-device.ts";
import { detectBot } from "./detect-bot.ts";
import type { RequestHead } from "./ingest-request.ts";
import { NO_PLACE, type PlaceOf, type VisitorPlace } from "./places.ts";
import type { CachedSource } from "./source-cache.ts";

export interface SenderFacts {
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly origin: string | null;
  readonly hasToken: boolean;
  readonly sentBy: EventSender;
  readonly userAgent: string | null;
  readonly clientHints: ClientHints | null;
  readonly place: VisitorPlace;
  /** Whether the client's address is one of a data centre. */
  readonly isFromDataCentre: boolean;
  /** Whether the source's `excludedAddresses` contain the client's address. */
  readonly isAddressExcluded: boolean;
  /** When the event is evaluated again, in ISO 8601. Absent: it is evaluated for its request. */
  readonly replayedAt?: string;
}

export interface SenderDeps {
  readonly placeOf: PlaceOf;
  /** null: no address is one of a data centre. */
  readonly isDataCentre: ContainsAddress | null;
}

type SenderHeaders = Pick<RequestHead, "authorization" | "origin" | "userAgent">;

/** User agents of browsers and crawlers. The others that `isbot` knows are HTTP libraries. */
const BROWSER_OR_CRAWLER =
  /^(?:mozilla|opera)\/|bot|crawl|spider|slurp|archiver|facebookexternalhit|preview|monitor|scan/i;

const isLibrary = (userAgent: string) => !BROWSER_OR_CRAWLER.test(userAgent) && detectBot(userAgent);

/** The sender of a request. A server has a token, or it sends no origin and has the user agent of an HTTP library or none. */
function senderOf({ authorization, origin, userAgent }: SenderHeaders): EventSender {
  if (authorization !== null) return "server";
  if (origin !== null) return "browser";
  return !userAgent || isLibrary(userAgent.slice(0, SERVER_LIMITS.maxUserAgentLength)) ? "server" : "browser";
}

/** What sessions and the ids of visitors are made from. */
export type SenderHead = Pick<SenderFacts, "receivedAt" | "origin" | "sentBy" | "userAgent">;

export function senderHeadOf(request: RequestHead): SenderHead {
  const { receivedAt, origin, userAgent } = request;
  return { receivedAt, origin, userAgent, sentBy: senderOf(request) };
}

export function readSender(
  request: RequestHead,
  keyed: CachedSource,
  { placeOf, isDataCentre }: SenderDeps,
): SenderFacts {
  const { clientAddress, clientHints } = request;
  const head = senderHeadOf(request);
  const { sentBy } = head;
  const hasToken = request.authorization !== null;
  return {
    ...head,
    hasToken,
    clientHints,
    // the address of a server says nothing about the visitor
    place: sentBy === "server" ? NO_PLACE : placeOf(clientAddress, request.vouchedCountry),
    isFromDataCentre: sentBy === "browser" && isDataCentre?.(clientAddress) === true,
    isAddressExcluded: !hasToken && keyed.excludesAddress?.(clientAddress) === true,
  };
}
