/**
 * The error catalogue (docs/contract.md section 1). `message` and `hint` are the defaults; a single response can have more
 * specific ones. Codes never change.
 */
interface CatalogueEntry {
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
): CatalogueEntry => ({
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
    "Send the headers and the body without pauses, and try again.",
    true,
  ),
  headers_too_large: failure(
    431,
    "headers_too_large",
    "The headers of the request are too large.",
    "Send fewer or shorter headers. The limit is 16 KiB in total.",
  ),
  missing_token: failure(
    401,
    "unauthorized",
    "No bearer token was sent.",
    "Send the header `Authorization: Bearer <ACCESS_TOKEN>`. A token in the query string is ignored.",
  ),
  invalid_token: failure(
    401,
    "unauthorized",
    "The bearer token is unknown.",
    "Check that you copied the whole token, or create a new one with POST /api/tokens or `headwater token create`.",
  ),
  expired_token: failure(
    401,
    "unauthorized",
    "The bearer token has expired.",
    "Create a new token with POST /api/tokens, or get one from your identity provider.",
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
    "Check `organizationId`, or ask an admin to add you. GET /api/organizations lists your workspaces.",
  ),
  source_inactive: failure(
    403,
    "Forbidden",
    "This source is inactive.",
    'To activate it, PATCH the source with {"isActive": true}.',
  ),
  origin_missing: failure(
    403,
    "Forbidden",
    "The request has neither an Origin nor a Referer header.",
    "Browsers send one automatically. For a server or an app, set `requireOrigin` to false on the source.",
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
    "The session does not belong to this source.",
    "Call bootstrap again, and send the same events with the new `sessionId`.",
  ),
  session_expired: failure(
    403,
    "Forbidden",
    "The session has expired.",
    "Call bootstrap again, and send the same events with the new `sessionId`.",
  ),
  route_not_found: failure(
    404,
    "not_found",
    "The route does not exist.",
    "GET /openapi.json lists every route.",
  ),
  source_not_found: failure(
    404,
    "not_found",
    "The source does not exist in this workspace.",
    "GET /api/tracking-sources?organizationId=… lists the sources of a workspace.",
  ),
  member_not_found: failure(
    404,
    "not_found",
    "The member does not exist in this workspace.",
    "GET /api/members?organizationId=… lists the members.",
  ),
  token_not_found: failure(
    404,
    "not_found",
    "The token does not exist in this workspace.",
    "GET /api/tokens?organizationId=… lists the tokens.",
  ),
  erasure_not_found: failure(
    404,
    "not_found",
    "The erasure receipt does not exist in this workspace.",
    "POST /api/visitors/erase returns the id of the receipt. A receipt is deleted 90 days after the erasure is done.",
  ),
  unknown_public_key: failure(
    404,
    "not_found",
    "No source has this public key.",
    "Copy the key from the install page of the source (GET /api/tracking-sources/:sourceId/install).",
  ),
  rotated_public_key: failure(
    404,
    "not_found",
    "This public key was replaced by a newer one.",
    "Paste the current snippet from the install page of the source. To accept the old key for some time, use restore-key.",
  ),
  method_not_allowed: failure(
    405,
    "method_not_allowed",
    "The route does not support this method.",
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
    "Choose another slug, or omit it to get one that is made from the name.",
  ),
  last_owner: failure(
    409,
    "conflict",
    "The last owner of a workspace cannot be removed or get a lower role.",
    "Make another member an owner first.",
  ),
  member_exists: failure(
    409,
    "conflict",
    "This user is already a member of the workspace.",
    "To change the role of a member, use PATCH /api/members/:userId.",
  ),
  key_not_retired: failure(
    409,
    "conflict",
    "This key is not a retired key of this source.",
    "The debug view shows which retired keys are still used.",
  ),
  too_many_sources: failure(
    409,
    "conflict",
    "The workspace has the maximum number of sources.",
    "Delete sources that are no longer used.",
  ),
  limit_reached: failure(409, "conflict", "The maximum number is reached.", "Remove what is no longer used."),
  too_many_erasures: failure(
    409,
    "conflict",
    "The workspace has the maximum number of erasures in progress.",
    "Wait until some are done, and check with GET /api/visitors/erase/:receiptId. Erasures need the warehouse to be up.",
  ),
  payload_too_large: failure(
    413,
    "payload_too_large",
    "The body is larger than the limit of the source.",
    "Send smaller batches, or increase `limits.maxPayloadBytes` of the source.",
  ),
  batch_too_large: failure(
    413,
    "payload_too_large",
    "The batch has more events than the limit of the source.",
    "Send fewer events in one batch, or increase `limits.maxBatchSize` of the source.",
  ),
  invalid_payload: failure(
    422,
    "invalid_payload",
    "The request is not valid.",
    "Correct the fields that `issues` lists, and send the request again.",
  ),
  rate_limited: failure(
    429,
    "rate_limited",
    "Too many requests.",
    "Wait as long as the Retry-After header says, and try again.",
    true,
  ),
  internal_error: failure(
    500,
    "internal",
    "An internal error occurred.",
    "The error is logged with this `requestId`. Include the id when you report it.",
    true,
  ),
  overloaded: failure(
    503,
    "unavailable",
    "The service is overloaded. Nothing of this request was stored.",
    "Retry after the time in the Retry-After header. Send events with the same ids.",
    true,
  ),
  storage_unavailable: failure(
    503,
    "unavailable",
    "The storage does not respond. Nothing of this request was stored.",
    "Retry after the time in the Retry-After header. Send events with the same ids.",
    true,
  ),
  storage_full: failure(
    503,
    "unavailable",
    "The disk is full. Nothing of this request was stored.",
    "The operator must free disk space. Then send the request again. Send events with the same ids.",
    true,
  ),
  warehouse_off: failure(
    503,
    "unavailable",
    "This service has no warehouse, so it cannot answer queries. Accepted events are stored all the same.",
    "The operator can enable it with WAREHOUSE=embedded or CLICKHOUSE_URL (docs/operate.md).",
  ),
  warehouse_unavailable: failure(
    503,
    "unavailable",
    "The warehouse does not respond. Accepted events wait in the ledger, and nothing is lost.",
    "Retry after the time in the Retry-After header. GET /readyz shows the state of the warehouse.",
    true,
  ),
  query_too_heavy: failure(
    422,
    "invalid_payload",
    "The query needs more time, memory or rows than one query may use.",
    "Use a shorter range, fewer dimensions or a coarser time grain.",
  ),
  shutting_down: failure(
    503,
    "unavailable",
    "The service is shutting down. Nothing of this request was stored.",
    "Retry after the time in the Retry-After header. Send events with the same ids.",
    true,
  ),
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof ERRORS;
export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERRORS, code);

export * from "./issues.ts";
