/** The error catalogue (CONTRACT section 1). Messages and hints of one occurrence may be more precise. */
interface Failure {
  readonly status: number;
  readonly error: string;
  readonly message: string;
  readonly hint: string;
  readonly retryable: boolean;
}

const failure = (
  status: number,
  error: string,
  message: string,
  hint: string,
  retryable = false,
): Failure => ({
  status,
  error,
  message,
  hint,
  retryable,
});

export const ERRORS = {
  malformed_http: failure(
    400,
    "bad_request",
    "The request is not valid HTTP.",
    "Send a well-formed HTTP/1.1 request.",
  ),
  request_timeout: failure(
    408,
    "request_timeout",
    "The request did not arrive in time.",
    "Send headers and body without pauses; try again.",
    true,
  ),
  headers_too_large: failure(
    431,
    "headers_too_large",
    "The request's headers are too large.",
    "Send fewer or shorter headers (16 KiB in all).",
  ),
  missing_token: failure(
    401,
    "unauthorized",
    "No bearer token was sent.",
    "Send the header `Authorization: Bearer <ACCESS_TOKEN>`; a token in the query string is not looked at.",
  ),
  invalid_token: failure(
    401,
    "unauthorized",
    "The bearer token is not one of this service.",
    "Check that the token was copied whole; make a new one with POST /api/tokens or `headwater token create`.",
  ),
  expired_token: failure(
    401,
    "unauthorized",
    "The bearer token has expired.",
    "Make a new token with POST /api/tokens, or have your identity provider issue one.",
  ),
  revoked_token: failure(
    401,
    "unauthorized",
    "The bearer token has been revoked.",
    "Ask an admin of the workspace for a new token.",
  ),
  permission_denied: failure(
    403,
    "Forbidden",
    "Your role in this workspace does not allow this.",
    "Ask an admin of the workspace for a role that has the permission.",
  ),
  not_a_member: failure(
    403,
    "Forbidden",
    "You are not a member of this workspace, or it does not exist.",
    "Check `organizationId` (GET /api/organizations lists yours), or ask an admin to add you.",
  ),
  source_inactive: failure(
    403,
    "Forbidden",
    "This source is switched off.",
    'Switch it on: PATCH the source with {"isActive": true}.',
  ),
  origin_missing: failure(
    403,
    "Forbidden",
    "The request has neither an Origin nor a Referer header.",
    "Browsers send one by themselves. For a server or an app set `requireOrigin` to false on the source.",
  ),
  origin_not_allowed: failure(
    403,
    "Forbidden",
    "This origin is not allowed for the source.",
    "Add the origin to the source's `allowedOrigins`.",
  ),
  invalid_session: failure(
    403,
    "Forbidden",
    "The session is not one of this source.",
    "Call bootstrap again and send the same events with the new `sessionId`.",
  ),
  session_expired: failure(
    403,
    "Forbidden",
    "The session has expired.",
    "Call bootstrap again and send the same events with the new `sessionId`.",
  ),
  route_not_found: failure(
    404,
    "not_found",
    "There is no such route.",
    "GET /openapi.json lists every route.",
  ),
  source_not_found: failure(
    404,
    "not_found",
    "There is no such source in this workspace.",
    "GET /api/tracking-sources?organizationId=… lists the sources of a workspace.",
  ),
  member_not_found: failure(
    404,
    "not_found",
    "There is no such member in this workspace.",
    "GET /api/members?organizationId=… lists the members.",
  ),
  token_not_found: failure(
    404,
    "not_found",
    "There is no such token in this workspace.",
    "GET /api/tokens?organizationId=… lists the tokens.",
  ),
  erasure_not_found: failure(
    404,
    "not_found",
    "There is no such receipt in this workspace.",
    "POST /api/visitors/erase answers with the receipt's id; 90 days after it was done it is forgotten.",
  ),
  unknown_public_key: failure(
    404,
    "not_found",
    "No source has this public key.",
    "Copy the key from the source's install page (GET /api/tracking-sources/:sourceId/install).",
  ),
  rotated_public_key: failure(
    404,
    "not_found",
    "This public key was replaced by a newer one.",
    "Paste the current snippet of the source's install page, or let the old key in for a while with restore-key.",
  ),
  method_not_allowed: failure(
    405,
    "method_not_allowed",
    "This route does not take that method.",
    "The Allow header lists the methods of the route.",
  ),
  unsupported_media_type: failure(
    415,
    "unsupported_media_type",
    "The body must be JSON.",
    "Send the header `Content-Type: application/json`.",
  ),
  slug_taken: failure(
    409,
    "conflict",
    "Another source of this workspace has this slug.",
    "Choose another slug, or leave it out to have one derived from the name.",
  ),
  last_owner: failure(
    409,
    "conflict",
    "The last owner of a workspace cannot be removed or demoted.",
    "Make another member an owner first.",
  ),
  member_exists: failure(
    409,
    "conflict",
    "This user is a member of the workspace already.",
    "PATCH /api/members/:userId changes the role of a member.",
  ),
  key_not_retired: failure(
    409,
    "conflict",
    "This key is not a retired key of the source.",
    "The debug view shows the retired keys that installs still use.",
  ),
  too_many_sources: failure(
    409,
    "conflict",
    "The workspace may have no more sources.",
    "Delete unused ones.",
  ),
  limit_reached: failure(409, "conflict", "There are as many as there may be.", "Remove unused ones."),
  too_many_erasures: failure(
    409,
    "conflict",
    "The workspace has as many erasures under way as it may have.",
    "Wait until some are done (GET /api/visitors/erase/:receiptId); they go on when the warehouse is up.",
  ),
  payload_too_large: failure(
    413,
    "payload_too_large",
    "The body is larger than the source's limit.",
    "Send smaller batches, or raise `limits.maxPayloadBytes` of the source.",
  ),
  batch_too_large: failure(
    413,
    "payload_too_large",
    "The batch has more events than the source's limit.",
    "Send fewer events in a batch, or raise `limits.maxBatchSize` of the source.",
  ),
  invalid_payload: failure(
    422,
    "invalid_payload",
    "The request cannot be used as it is.",
    "Correct what `issues` lists and send the request again.",
  ),
  rate_limited: failure(429, "rate_limited", "Too many requests.", "Wait as Retry-After says.", true),
  internal_error: failure(
    500,
    "internal",
    "Something went wrong in the service.",
    "It has been logged under `requestId`; report it with that id.",
    true,
  ),
  overloaded: failure(
    503,
    "unavailable",
    "The service takes more requests than it can just now; nothing of this one was stored.",
    "Send it again after Retry-After, with the same event ids.",
    true,
  ),
  storage_unavailable: failure(
    503,
    "unavailable",
    "The storage does not answer; nothing of this request was stored.",
    "Send it again after Retry-After, events with the same ids.",
    true,
  ),
  storage_full: failure(
    503,
    "unavailable",
    "The disk is full; nothing of this request was stored.",
    "The operator must free disk space; send it again later, events with the same ids.",
    true,
  ),
  warehouse_off: failure(
    503,
    "unavailable",
    "This service has no warehouse, so there is nothing to ask; accepted events are kept all the same.",
    "The operator can switch it on: WAREHOUSE=embedded, or CLICKHOUSE_URL (docs/operate.md).",
  ),
  warehouse_unavailable: failure(
    503,
    "unavailable",
    "The warehouse does not answer just now; accepted events wait in the ledger and nothing is lost.",
    "Ask again after Retry-After; GET /readyz tells of its state.",
    true,
  ),
  query_too_heavy: failure(
    422,
    "invalid_payload",
    "The question needs more time, memory or rows than one may take.",
    "Ask for a shorter range, fewer dimensions or a coarser time.",
  ),
  shutting_down: failure(
    503,
    "unavailable",
    "The service is stopping; nothing of this request was stored.",
    "Send it again after Retry-After, events with the same ids.",
    true,
  ),
} as const satisfies Record<string, Failure>;

export type ErrorCode = keyof typeof ERRORS;
export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERRORS, code);

/** Why a field of a body cannot be used (CONTRACT section 1). */
export const ISSUE_CODES = [
  "required",
  "invalid_type",
  "invalid_value",
  "too_short",
  "too_long",
  "too_many",
  "invalid_timestamp",
  "invalid_json",
  "invalid_encoding",
  "unknown_field",
] as const;
export type IssueCode = (typeof ISSUE_CODES)[number];

export interface Issue {
  path: (string | number)[];
  code: IssueCode;
  message: string;
  eventId?: string;
}
