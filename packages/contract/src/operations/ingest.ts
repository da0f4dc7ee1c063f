/** The ingest operations, which applications call with a public key. */
import {
  BootstrapAnswer,
  BootstrapBody,
  EventsAnswer,
  EventsBody,
  LegacyBootstrapBody,
  LegacyEventsBody,
} from "../ingest.ts";
import { COMMON_CODES, type Operation, TOKEN_CODES } from "../operation.ts";

export const INGEST_CODES = [
  "unknown_public_key",
  "rotated_public_key",
  "source_inactive",
  "origin_missing",
  "origin_not_allowed",
  "payload_too_large",
  "batch_too_large",
  "invalid_payload",
  "overloaded",
  "quota_exceeded",
  // only with a token
  ...TOKEN_CODES,
  "permission_denied",
  ...COMMON_CODES,
] as const;
const SESSION_CODES = ["invalid_session", "session_expired"] as const;

export const INGEST_OPERATIONS = [
  {
    id: "bootstrap",
    tag: "Ingest",
    method: "POST",
    path: "/api/ingest/v2/:publicKey/bootstrap",
    summary: "Open or resume a session",
    description:
      "Call this when a page is opened. The response has the session to send events with, and the privacy rules and limits of the source. A first page view can be in `events` of the same request.\n\nThe body is read as JSON whatever its content type is: `text/plain` avoids a CORS preflight.",
    access: "public-key",
    requestHeaders: ["Prefer"],
    body: BootstrapBody,
    status: 200,
    answer: BootstrapAnswer,
    responseHeaders: ["Sunset"],
    codes: INGEST_CODES,
  },
  {
    id: "events",
    tag: "Ingest",
    method: "POST",
    path: "/api/ingest/v2/:publicKey/events",
    summary: "Send a batch of events of a session",
    description:
      "Each event is accepted, recognized as a duplicate, or rejected on its own; `results` is in the order of `events`. `accepted` is a promise: the event is stored durably and is counted once.\n\nRetries are safe. After a 408, 429 or 5xx, or when no response came, send the same events with the same ids and a new `sentAt`.",
    access: "public-key",
    requestHeaders: ["Prefer"],
    body: EventsBody,
    status: 200,
    answer: EventsAnswer,
    responseHeaders: ["Sunset"],
    codes: [...INGEST_CODES, ...SESSION_CODES],
  },
  {
    id: "legacyBootstrap",
    tag: "Ingest",
    method: "POST",
    path: "/api/ingest/:publicKey/bootstrap",
    summary: "Open or resume a session (unversioned route for old installs)",
    description:
      "The same as `POST /api/ingest/v2/{publicKey}/bootstrap`, but the version fields are optional.",
    access: "public-key",
    requestHeaders: ["Prefer"],
    body: LegacyBootstrapBody,
    status: 200,
    answer: BootstrapAnswer,
    responseHeaders: ["Deprecation", "Link", "Sunset"],
    codes: INGEST_CODES,
    deprecated: true,
  },
  {
    id: "legacyEvents",
    tag: "Ingest",
    method: "POST",
    path: "/api/ingest/:publicKey/events",
    summary: "Send a batch of events (unversioned route for old installs)",
    description: "The same as `POST /api/ingest/v2/{publicKey}/events`, but the version fields are optional.",
    access: "public-key",
    requestHeaders: ["Prefer"],
    body: LegacyEventsBody,
    status: 200,
    answer: EventsAnswer,
    responseHeaders: ["Deprecation", "Link", "Sunset"],
    codes: [...INGEST_CODES, ...SESSION_CODES],
    deprecated: true,
  },
] as const satisfies readonly Operation[];
