/**
 * The error catalogue (docs/api/conventions.md). `message` and `hint` are the defaults; a single response can have more
 * specific ones. Codes never change.
 */
interface CatalogueEntry {
  readonly status: number;
  readonly error: string;
  readonly message: string;
  readonly hint: string;
  readonly retryable: boolean;
}

/** @param entry `retryable` is false unless it is given */
const failure = (entry: Omit<CatalogueEntry, "retryable"> & { retryable?: true }): CatalogueEntry => ({
  retryable: false,
  ...entry,
});

export const ERRORS = {
  malformed_http: failure({
    status: 400,
    error: "bad_request",
    message: "The request is not valid HTTP.",
    hint: "Send a well-formed HTTP/1.1 request.",
  }),
  request_timeout: failure({
    status: 408,
    error: "request_timeout",
    message: "The request did not arrive in time.",
    hint: "Send the headers and the body without pauses, and try again.",
    retryable: true,
  }),
  headers_too_large: failure({
    status: 431,
    error: "headers_too_large",
    message: "The request's headers are too large.",
    hint: "Send fewer or shorter headers. The limit is 16 KiB in total.",
  }),
  missing_token: failure({
    status: 401,
    error: "unauthorized",
    message: "No bearer token was sent.",
    hint: "Send the header `Authorization: Bearer <ACCESS_TOKEN>`. A token in the query string is ignored.",
  }),
  invalid_token: failure({
    status: 401,
    error: "unauthorized",
    message: "The bearer token is unknown.",
    hint: "Check that you copied the whole token, or create a new one with POST /api/tokens.",
  }),
  expired_token: failure({
    status: 401,
    error: "unauthorized",
    message: "The bearer token has expired.",
    hint: "Create a new token with POST /api/tokens, or get one from your identity provider.",
  }),
  revoked_token: failure({
    status: 401,
    error: "unauthorized",
    message: "The bearer token has been revoked.",
    hint: "Ask an admin of the workspace for a new token.",
  }),
  password_required: failure({
    status: 401,
    error: "unauthorized",
    message: "This share link needs a password.",
    hint: "POST the link's token and the password to /api/stats/unlock, and use the token in the response.",
  }),
  permission_denied: failure({
    status: 403,
    error: "Forbidden",
    message: "Your role in this workspace does not allow this.",
    hint: "Ask an admin of the workspace for a role that has the permission.",
  }),
  not_a_member: failure({
    status: 403,
    error: "Forbidden",
    message: "You are not a member of this workspace, or it does not exist.",
    hint: "Check `organizationId`, or ask an admin to add you. GET /api/organizations lists your workspaces.",
  }),
  passkey_refused: failure({
    status: 403,
    error: "Forbidden",
    message: "The passkey was not accepted.",
    hint: "Try again, or use another way to sign in.",
  }),
  source_inactive: failure({
    status: 403,
    error: "Forbidden",
    message: "This source is inactive.",
    hint: 'To activate it, PATCH the source with {"isActive": true}.',
  }),
  origin_missing: failure({
    status: 403,
    error: "Forbidden",
    message:
      "The source requires an Origin header, and the request has neither an Origin nor a Referer header.",
    hint: "Browsers send one automatically. For a server or an app, set `requireOrigin` to false on the source, or send a token.",
  }),
  origin_not_allowed: failure({
    status: 403,
    error: "Forbidden",
    message: "This origin is not allowed for the source.",
    hint: "Add the origin to the source's `allowedOrigins`.",
  }),
  invalid_session: failure({
    status: 403,
    error: "Forbidden",
    message: "The session is unknown, or belongs to another source.",
    hint: "Call bootstrap again, and send the same events with the new `sessionId`.",
  }),
  session_expired: failure({
    status: 403,
    error: "Forbidden",
    message: "The session has expired.",
    hint: "Call bootstrap again, and send the same events with the new `sessionId`.",
  }),
  route_not_found: failure({
    status: 404,
    error: "not_found",
    message: "The route does not exist.",
    hint: "GET /openapi.json lists every route.",
  }),
  source_not_found: failure({
    status: 404,
    error: "not_found",
    message: "The source does not exist in this workspace.",
    hint: "GET /api/tracking-sources?organizationId=… lists the sources of a workspace.",
  }),
  member_not_found: failure({
    status: 404,
    error: "not_found",
    message: "The member does not exist in this workspace.",
    hint: "GET /api/members?organizationId=… lists the members.",
  }),
  token_not_found: failure({
    status: 404,
    error: "not_found",
    message: "The token does not exist in this workspace.",
    hint: "GET /api/tokens?organizationId=… lists the tokens.",
  }),
  invitation_not_found: failure({
    status: 404,
    error: "not_found",
    message: "The invitation does not exist in this workspace. It may be accepted, revoked or expired.",
    hint: "GET /api/invitations?organizationId=… lists the open invitations.",
  }),
  invalid_code: failure({
    status: 404,
    error: "not_found",
    message: "The link is unknown or has expired, or it was used already.",
    hint: "Request a new link, or ask the person who sent it.",
  }),
  erasure_not_found: failure({
    status: 404,
    error: "not_found",
    message: "The erasure receipt does not exist in this workspace.",
    hint: "POST /api/visitors/erase returns the receipt's id. A receipt is deleted 90 days after the erasure is done.",
  }),
  replay_not_found: failure({
    status: 404,
    error: "not_found",
    message: "This replay does not exist in the source.",
    hint: "GET …/quarantine/replays lists the source's replays.",
  }),
  saved_item_not_found: failure({
    status: 404,
    error: "not_found",
    message: "This segment, funnel or annotation does not exist in the source, or you may not see it.",
    hint: "GET /api/tracking-sources/:sourceId/saved lists those that you may see.",
  }),
  report_not_found: failure({
    status: 404,
    error: "not_found",
    message: "This report does not exist in the source.",
    hint: "GET /api/tracking-sources/:sourceId/reports lists them.",
  }),
  plan_version_not_found: failure({
    status: 404,
    error: "not_found",
    message: "This version of the tracking plan does not exist.",
    hint: "GET /api/tracking-sources/:sourceId/plan/versions lists the versions that are kept.",
  }),
  unknown_public_key: failure({
    status: 404,
    error: "not_found",
    message: "No source has this public key.",
    hint: "Copy the key from the source's install page (GET /api/tracking-sources/:sourceId/install).",
  }),
  rotated_public_key: failure({
    status: 404,
    error: "not_found",
    message: "This public key was replaced by a newer one.",
    hint: "Paste the current snippet from the source's install page. To accept the old key for some time, use POST /api/tracking-sources/:sourceId/restore-key.",
  }),
  method_not_allowed: failure({
    status: 405,
    error: "method_not_allowed",
    message: "The route does not support this method.",
    hint: "The Allow header lists the route's methods.",
  }),
  unsupported_media_type: failure({
    status: 415,
    error: "unsupported_media_type",
    message: "The body must be JSON.",
    hint: "Send the header `Content-Type: application/json`.",
  }),
  slug_taken: failure({
    status: 409,
    error: "conflict",
    message: "Another source in this workspace has this slug.",
    hint: "Choose another slug, or omit it to derive one from the name.",
  }),
  last_owner: failure({
    status: 409,
    error: "conflict",
    message: "The last owner of a workspace cannot be removed or get a lower role.",
    hint: "Make another member an owner first.",
  }),
  member_exists: failure({
    status: 409,
    error: "conflict",
    message: "This user is already a member of the workspace.",
    hint: "To change a member's role, use PATCH /api/members/:userId.",
  }),
  email_taken: failure({
    status: 409,
    error: "conflict",
    message: "Another account has this email address.",
    hint: "Sign in with that account, or choose another address.",
  }),
  key_not_retired: failure({
    status: 409,
    error: "conflict",
    message: "This key is not a retired key of this source.",
    hint: "The debug view shows which retired keys are still used.",
  }),
  too_many_sources: failure({
    status: 409,
    error: "conflict",
    message: "The workspace has the maximum number of sources.",
    hint: "Delete sources that are no longer used.",
  }),
  limit_reached: failure({
    status: 409,
    error: "conflict",
    message: "The maximum number of workspaces, members, invitations or tokens is reached.",
    hint: "Remove those that are no longer used.",
  }),
  replay_running: failure({
    status: 409,
    error: "conflict",
    message: "A replay of this source is already running.",
    hint: "Wait until it ends, or stop it with POST …/quarantine/replays/:replayId/stop.",
  }),
  too_many_erasures: failure({
    status: 409,
    error: "conflict",
    message: "The workspace has the maximum number of erasures in progress.",
    hint: "Wait until some are done, and check with GET /api/visitors/erase/:receiptId. Erasures need the warehouse to be up.",
  }),
  too_many_saved_items: failure({
    status: 409,
    error: "conflict",
    message: "The source has the maximum number of saved segments, funnels and annotations.",
    hint: "Delete those that are no longer used.",
  }),
  too_many_reports: failure({
    status: 409,
    error: "conflict",
    message: "The source has the maximum number of reports.",
    hint: "Delete those that are no longer needed.",
  }),
  report_unconfirmed: failure({
    status: 409,
    error: "conflict",
    message: "The recipient has not agreed to the report yet.",
    hint: "The recipient got an email with a link that works for 7 days. After that, delete the report and create it again.",
  }),
  plan_changed: failure({
    status: 409,
    error: "conflict",
    message: "The tracking plan has changed since the version that was edited.",
    hint: "Get the current version, make your change to it, and save it with its `version` as `baseVersion`.",
  }),
  payload_too_large: failure({
    status: 413,
    error: "payload_too_large",
    message: "The body is larger than the source's limit.",
    hint: "Send smaller batches, or increase the source's `limits.maxPayloadBytes`.",
  }),
  batch_too_large: failure({
    status: 413,
    error: "payload_too_large",
    message: "The batch has more events than the source's limit.",
    hint: "Send fewer events in one batch, or increase the source's `limits.maxBatchSize`.",
  }),
  invalid_payload: failure({
    status: 422,
    error: "invalid_payload",
    message: "The request is not valid.",
    hint: "Correct the fields that `issues` lists, and send the request again.",
  }),
  rate_limited: failure({
    status: 429,
    error: "rate_limited",
    message: "Too many requests.",
    hint: "Wait as long as the Retry-After header says, and try again.",
    retryable: true,
  }),
  quota_exceeded: failure({
    status: 429,
    error: "rate_limited",
    message: "The daily quota is used up.",
    hint: "Wait until `resetAt`, as the Retry-After header says, and send the same events again.",
    retryable: true,
  }),
  internal_error: failure({
    status: 500,
    error: "internal",
    message: "An internal error occurred.",
    hint: "The error is logged with this `requestId`. Include the id when you report it.",
    retryable: true,
  }),
  mail_unavailable: failure({
    status: 503,
    error: "unavailable",
    message: "The email could not be sent.",
    hint: "Try again later. The operator must check SMTP_URL.",
    retryable: true,
  }),
  report_not_sent: failure({
    status: 503,
    error: "unavailable",
    message: "The report could not be sent.",
    hint: "Check the report's recipient, and try again later.",
    retryable: true,
  }),
  overloaded: failure({
    status: 503,
    error: "unavailable",
    message: "The service is overloaded. Nothing in this request was stored.",
    hint: "Retry after the time in the Retry-After header. Send events with the same ids.",
    retryable: true,
  }),
  storage_unavailable: failure({
    status: 503,
    error: "unavailable",
    message: "The storage does not respond. Nothing in this request was stored.",
    hint: "Retry after the time in the Retry-After header. Send events with the same ids.",
    retryable: true,
  }),
  storage_full: failure({
    status: 503,
    error: "unavailable",
    message: "The disk is full. Nothing in this request was stored.",
    hint: "The operator must free disk space. Then send the request again, with the same event ids.",
    retryable: true,
  }),
  warehouse_off: failure({
    status: 503,
    error: "unavailable",
    message: "This service has no warehouse, so it cannot answer queries. Accepted events are still stored.",
    hint: "The operator can enable it with CLICKHOUSE_URL (docs/operate/warehouse.md).",
  }),
  warehouse_elsewhere: failure({
    status: 503,
    error: "unavailable",
    message: "The warehouse is on another node, so this node cannot answer queries.",
    hint: "The operator must let the proxy send this route to the node that has the warehouse (docs/operate/several-nodes.md).",
  }),
  warehouse_unavailable: failure({
    status: 503,
    error: "unavailable",
    message: "The warehouse does not respond. Accepted events wait in the ledger, and nothing is lost.",
    hint: "Retry after the time in the Retry-After header. GET /readyz shows the warehouse's state.",
    retryable: true,
  }),
  warehouse_damaged: failure({
    status: 503,
    error: "unavailable",
    message: "Some events in the warehouse cannot be read, because their files are damaged.",
    hint: "Try again in a few minutes. The service sets damaged files aside and names them in its log. docs/operate/runbook/HeadwaterEventsMissing.md tells the operator what to do.",
    retryable: true,
  }),
  query_too_heavy: failure({
    status: 422,
    error: "invalid_payload",
    message: "The query needs more time, memory or rows than one query is allowed.",
    hint: "Use a shorter range, fewer dimensions or a coarser time grain. If you sent `accuracy: exact`, leave it out.",
  }),
  shutting_down: failure({
    status: 503,
    error: "unavailable",
    message: "The service is shutting down. Nothing in this request was stored.",
    hint: "Retry after the time in the Retry-After header. Send events with the same ids.",
    retryable: true,
  }),
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof ERRORS;
export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERRORS, code);

export * from "./issues.ts";
