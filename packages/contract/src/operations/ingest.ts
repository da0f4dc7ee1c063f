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

const INGEST_CODES = [
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
    method: "POST",
    path: "/api/ingest/v2/:publicKey/bootstrap",
    summary: "Open or resume a session",
    access: "public-key",
    body: BootstrapBody,
    status: 200,
    answer: BootstrapAnswer,
    codes: INGEST_CODES,
  },
  {
    id: "events",
    method: "POST",
    path: "/api/ingest/v2/:publicKey/events",
    summary: "Send a batch of events of a session",
    access: "public-key",
    body: EventsBody,
    status: 200,
    answer: EventsAnswer,
    codes: [...INGEST_CODES, ...SESSION_CODES],
  },
  {
    id: "legacyBootstrap",
    method: "POST",
    path: "/api/ingest/:publicKey/bootstrap",
    summary: "Open or resume a session (unversioned route for old installs)",
    access: "public-key",
    body: LegacyBootstrapBody,
    status: 200,
    answer: BootstrapAnswer,
    codes: INGEST_CODES,
    deprecated: true,
  },
  {
    id: "legacyEvents",
    method: "POST",
    path: "/api/ingest/:publicKey/events",
    summary: "Send a batch of events (unversioned route for old installs)",
    access: "public-key",
    body: LegacyEventsBody,
    status: 200,
    answer: EventsAnswer,
    codes: [...INGEST_CODES, ...SESSION_CODES],
    deprecated: true,
  },
] as const satisfies readonly Operation[];
