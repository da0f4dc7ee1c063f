/**
 * The table of operations: what a caller may ask, who may ask it, and every answer it can get.
 * Routes register from it, the OpenAPI document renders it, the black-box tests walk it.
 */
import Type, { type TSchema } from "typebox";
import { DebugData, DebugQuery } from "./debug.ts";
import type { ErrorCode } from "./errors.ts";
import {
  BootstrapAnswer,
  BootstrapBody,
  EventsAnswer,
  EventsBody,
  LegacyBootstrapBody,
  LegacyEventsBody,
} from "./ingest.ts";
import { LIMITS } from "./limits.ts";
import { Closed, Id } from "./shapes.ts";
import * as sources from "./sources.ts";
import { Verification, VerifyBody } from "./verify.ts";
import * as visitors from "./visitors.ts";
import type { Permission } from "./workspace.ts";
import * as workspace from "./workspace.ts";

/**
 * Who may call: nobody in particular (`public`), the holder of a public key (`public-key`), any valid
 * token (`token`), any member of the workspace (`member`), or a member with a permission.
 */
export type Access = "public" | "public-key" | "token" | "member" | Permission;

export interface Operation {
  readonly id: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly summary: string;
  readonly access: Access;
  /** Where `organizationId` is read, and whether it must be there. */
  readonly organization?: "query" | "body" | "optional-query" | "optional-body" | "query-or-body";
  /** The path names a source; the workspace is the source's own. */
  readonly source?: true;
  /** Members of the body that need a further permission. */
  readonly elevated?: { readonly fields: readonly string[]; readonly permission: Permission };
  readonly query?: TSchema;
  readonly body?: TSchema;
  /** The body may be empty or missing. */
  readonly bodyOptional?: true;
  readonly status: 200 | 201 | 202;
  readonly answer: TSchema;
  /** Anything but JSON. */
  readonly mediaType?: string;
  readonly codes: readonly ErrorCode[];
  readonly deprecated?: true;
}

const BEARER = ["missing_token", "invalid_token", "expired_token", "revoked_token"] as const;
const MEMBER = ["not_a_member"] as const;
const ROLE = ["not_a_member", "permission_denied"] as const;
const ANY = [
  "malformed_http",
  "request_timeout",
  "headers_too_large",
  "rate_limited",
  "internal_error",
  "storage_unavailable",
  "storage_full",
  "shutting_down",
] as const;
const BODY = ["payload_too_large", "unsupported_media_type", "invalid_payload"] as const;
const QUERY = ["invalid_payload"] as const;

const OrganizationQuery = Closed({ organizationId: Id });
const pageQuery = (cursor: string) =>
  Closed({
    organizationId: Id,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMITS.pageSize })),
    cursor: Type.Optional(Type.String({ pattern: cursor })),
  });
/** When the last row was made, and its id in base64url. */
const PageQuery = pageQuery("^[0-9]{1,15}\\.[A-Za-z0-9_-]{1,1200}$");
const AuditQuery = pageQuery("^[0-9]{1,15}$");
const OptionalOrganizationQuery = Closed({ organizationId: Type.Optional(Id) });
const Day = Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\d$" });
const UsageQuery = Closed({ organizationId: Id, from: Type.Optional(Day), to: Type.Optional(Day) });
const OptionalOrganizationBody = Closed({ organizationId: Type.Optional(Id) });

const onWorkspace = (codes: readonly ErrorCode[]) => [...BEARER, ...ROLE, ...ANY, ...codes];
const onSource = (codes: readonly ErrorCode[]) => [
  ...BEARER,
  ...ROLE,
  "source_not_found" as const,
  ...ANY,
  ...codes,
];
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
  ...ANY,
] as const;
const SESSION_CODES = ["invalid_session", "session_expired"] as const;

const SOURCES = "/api/tracking-sources";

export const OPERATIONS = [
  {
    id: "listSources",
    method: "GET",
    path: SOURCES,
    summary: "The sources of a workspace",
    access: "sources:read",
    organization: "query",
    query: PageQuery,
    status: 200,
    answer: sources.SourceList,
    codes: onWorkspace(QUERY),
  },
  {
    id: "createSource",
    method: "POST",
    path: SOURCES,
    summary: "Create a source",
    access: "sources:write",
    organization: "body",
    body: sources.CreateSourceBody,
    status: 201,
    answer: sources.Source,
    codes: onWorkspace([...BODY, "slug_taken", "too_many_sources"]),
  },
  {
    id: "getSource",
    method: "GET",
    path: `${SOURCES}/:sourceId`,
    summary: "One source",
    access: "sources:read",
    organization: "optional-query",
    source: true,
    query: OptionalOrganizationQuery,
    status: 200,
    answer: sources.Source,
    codes: onSource(QUERY),
  },
  {
    id: "updateSource",
    method: "PATCH",
    path: `${SOURCES}/:sourceId`,
    summary: "Change a source: only supplied fields change",
    access: "sources:write",
    organization: "body",
    source: true,
    elevated: { fields: ["limits", "retentionDays"], permission: "sources:admin" },
    body: sources.UpdateSourceBody,
    status: 200,
    answer: sources.Source,
    codes: onSource([...BODY, "slug_taken"]),
  },
  {
    id: "deleteSource",
    method: "DELETE",
    path: `${SOURCES}/:sourceId`,
    summary: "Delete a source; its keys stop, its history is kept",
    access: "sources:admin",
    organization: "optional-query",
    source: true,
    query: OptionalOrganizationQuery,
    status: 200,
    answer: sources.DeletedSource,
    codes: onSource(QUERY),
  },
  {
    id: "regenerateKey",
    method: "POST",
    path: `${SOURCES}/:sourceId/regenerate-key`,
    summary: "Give a source a new public key; the old one stops, at once or after a grace period",
    access: "sources:admin",
    organization: "optional-body",
    source: true,
    query: OptionalOrganizationQuery,
    body: sources.RegenerateKeyBody,
    bodyOptional: true,
    status: 200,
    answer: sources.Source,
    codes: onSource(BODY),
  },
  {
    id: "restoreKey",
    method: "POST",
    path: `${SOURCES}/:sourceId/restore-key`,
    summary: "Let a retired key of this source in again for a while",
    access: "sources:admin",
    organization: "optional-body",
    source: true,
    query: OptionalOrganizationQuery,
    body: sources.RestoreKeyBody,
    status: 200,
    answer: sources.Source,
    codes: onSource([...BODY, "key_not_retired"]),
  },
  {
    id: "getInstall",
    method: "GET",
    path: `${SOURCES}/:sourceId/install`,
    summary: "What to paste into the application",
    access: "sources:read",
    organization: "optional-query",
    source: true,
    query: sources.InstallQuery,
    status: 200,
    answer: sources.InstallPayload,
    codes: onSource(QUERY),
  },
  {
    id: "verifyInstall",
    method: "POST",
    path: `${SOURCES}/:sourceId/verify`,
    summary:
      "What is wrong with an install, from a page's own report; nothing is fetched and nothing changes",
    access: "sources:read",
    organization: "optional-body",
    source: true,
    body: VerifyBody,
    status: 200,
    answer: Verification,
    codes: onSource(BODY),
  },
  {
    id: "getDebug",
    method: "GET",
    path: `${SOURCES}/:sourceId/debug`,
    summary: "Recent attempts of a source, the refused ones above all, its limits and its health",
    access: "debug:read",
    organization: "optional-query",
    source: true,
    query: DebugQuery,
    status: 200,
    answer: DebugData,
    codes: onSource(QUERY),
  },
  {
    id: "streamDebug",
    method: "GET",
    path: `${SOURCES}/:sourceId/debug/stream`,
    summary: "The same attempts, live, as Server-Sent Events",
    access: "debug:read",
    organization: "optional-query",
    source: true,
    query: DebugQuery,
    status: 200,
    answer: Type.String(),
    mediaType: "text/event-stream",
    codes: onSource([...QUERY, "overloaded"]),
  },
  {
    id: "listOrganizations",
    method: "GET",
    path: "/api/organizations",
    summary: "The workspaces of the caller",
    access: "token",
    status: 200,
    answer: workspace.OrganizationList,
    codes: [...BEARER, ...ANY],
  },
  {
    id: "createOrganization",
    method: "POST",
    path: "/api/organizations",
    summary: "Create a workspace; the caller owns it",
    access: "token",
    body: workspace.CreateOrganizationBody,
    status: 201,
    answer: workspace.Organization,
    codes: [...BEARER, "permission_denied", "limit_reached", ...ANY, ...BODY],
  },
  {
    id: "getPermissions",
    method: "GET",
    path: "/api/permissions",
    summary: "The caller's role and permissions in a workspace",
    access: "member",
    organization: "query",
    query: OrganizationQuery,
    status: 200,
    answer: workspace.Permissions,
    codes: [...BEARER, ...MEMBER, ...ANY, ...QUERY],
  },
  {
    id: "listMembers",
    method: "GET",
    path: "/api/members",
    summary: "The members of a workspace",
    access: "members:manage",
    organization: "query",
    query: PageQuery,
    status: 200,
    answer: workspace.MemberList,
    codes: onWorkspace(QUERY),
  },
  {
    id: "addMember",
    method: "POST",
    path: "/api/members",
    summary: "Add a member",
    access: "members:manage",
    organization: "body",
    body: workspace.AddMemberBody,
    status: 201,
    answer: workspace.Member,
    codes: onWorkspace([...BODY, "member_exists", "limit_reached"]),
  },
  {
    id: "updateMember",
    method: "PATCH",
    path: "/api/members/:userId",
    summary: "Change a member's role",
    access: "members:manage",
    organization: "query-or-body",
    query: OptionalOrganizationQuery,
    body: workspace.UpdateMemberBody,
    status: 200,
    answer: workspace.Member,
    codes: onWorkspace([...BODY, "member_not_found", "last_owner"]),
  },
  {
    id: "removeMember",
    method: "DELETE",
    path: "/api/members/:userId",
    summary: "Remove a member; the member's tokens of this workspace stop",
    access: "members:manage",
    organization: "query-or-body",
    query: OptionalOrganizationQuery,
    body: OptionalOrganizationBody,
    bodyOptional: true,
    status: 200,
    answer: workspace.RemovedMember,
    codes: onWorkspace([...BODY, "member_not_found", "last_owner"]),
  },
  {
    id: "listTokens",
    method: "GET",
    path: "/api/tokens",
    summary: "The access tokens of a workspace, without their secrets",
    access: "tokens:manage",
    organization: "query",
    query: PageQuery,
    status: 200,
    answer: workspace.TokenList,
    codes: onWorkspace(QUERY),
  },
  {
    id: "createToken",
    method: "POST",
    path: "/api/tokens",
    summary: "Make an access token; it is shown once",
    access: "tokens:manage",
    organization: "body",
    body: workspace.CreateTokenBody,
    status: 201,
    answer: workspace.CreatedToken,
    codes: onWorkspace([...BODY, "member_not_found", "limit_reached"]),
  },
  {
    id: "revokeToken",
    method: "DELETE",
    path: "/api/tokens/:tokenId",
    summary: "Revoke an access token",
    access: "tokens:manage",
    organization: "query-or-body",
    query: OptionalOrganizationQuery,
    body: OptionalOrganizationBody,
    bodyOptional: true,
    status: 200,
    answer: workspace.RevokedToken,
    codes: onWorkspace([...BODY, "token_not_found"]),
  },
  {
    id: "listAudit",
    method: "GET",
    path: "/api/audit",
    summary: "Every change in a workspace, newest first",
    access: "audit:read",
    organization: "query",
    query: AuditQuery,
    status: 200,
    answer: workspace.AuditList,
    codes: onWorkspace(QUERY),
  },
  {
    id: "eraseVisitor",
    method: "POST",
    path: "/api/visitors/erase",
    summary:
      "Erase what a workspace, or one of its sources, holds of a visitor; answered with a receipt to poll",
    access: "visitors:erase",
    organization: "body",
    body: visitors.EraseBody,
    status: 202,
    answer: visitors.Erasure,
    codes: onWorkspace([...BODY, "source_not_found", "too_many_erasures"]),
  },
  {
    id: "getErasure",
    method: "GET",
    path: "/api/visitors/erase/:receiptId",
    summary: "How far the erasure of a visitor has come",
    access: "visitors:erase",
    organization: "query",
    query: OrganizationQuery,
    status: 200,
    answer: visitors.Erasure,
    codes: onWorkspace([...QUERY, "erasure_not_found"]),
  },
  {
    id: "getOnboarding",
    method: "GET",
    path: "/api/onboarding",
    summary: "Which set-up steps are done, from the data",
    access: "sources:read",
    organization: "query",
    query: OrganizationQuery,
    status: 200,
    answer: workspace.Onboarding,
    codes: onWorkspace(QUERY),
  },
  {
    id: "completeOnboarding",
    method: "POST",
    path: "/api/onboarding",
    summary: "Mark the set-up as completed",
    access: "sources:write",
    organization: "body",
    body: workspace.CompleteOnboardingBody,
    status: 200,
    answer: workspace.Onboarding,
    codes: onWorkspace(BODY),
  },
  {
    id: "getUsage",
    method: "GET",
    path: "/api/usage",
    summary: "Accepted events and bootstraps by source and day",
    access: "usage:read",
    organization: "query",
    query: UsageQuery,
    status: 200,
    answer: workspace.Usage,
    codes: onWorkspace(QUERY),
  },
  {
    id: "getBilling",
    method: "GET",
    path: "/api/billing",
    summary: "The plan, its limits and the period's usage",
    access: "usage:read",
    organization: "query",
    query: OrganizationQuery,
    status: 200,
    answer: workspace.Billing,
    codes: onWorkspace(QUERY),
  },
  {
    id: "getSupport",
    method: "GET",
    path: "/api/support",
    summary: "Version, settings without secrets, health, and a bundle to attach to a report",
    access: "support:read",
    organization: "query",
    query: OrganizationQuery,
    status: 200,
    answer: workspace.Support,
    codes: onWorkspace(QUERY),
  },
  {
    id: "signIn",
    method: "POST",
    path: "/api/sign-in",
    summary: "Exchange the one-time code of the first start for a token",
    access: "public",
    body: workspace.SignInBody,
    status: 200,
    answer: workspace.CreatedToken,
    codes: ["invalid_token", "expired_token", ...ANY, ...BODY],
  },
  {
    id: "bootstrap",
    method: "POST",
    path: "/api/ingest/v2/:publicKey/bootstrap",
    summary: "Check key and origin, open or resume a session",
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
    summary: "Take a batch of events of a session; each is answered",
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
    summary: "The unversioned bootstrap route of old installs",
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
    summary: "The unversioned events route of old installs",
    access: "public-key",
    body: LegacyEventsBody,
    status: 200,
    answer: EventsAnswer,
    codes: [...INGEST_CODES, ...SESSION_CODES],
    deprecated: true,
  },
  {
    id: "healthz",
    method: "GET",
    path: "/healthz",
    summary: "The process answers",
    access: "public",
    status: 200,
    answer: workspace.Health,
    codes: ["internal_error"],
  },
  {
    id: "readyz",
    method: "GET",
    path: "/readyz",
    summary: "The ledger is writable, migrations are done, the disk has room, the service is not stopping",
    access: "public",
    status: 200,
    answer: workspace.Readiness,
    codes: ["storage_unavailable", "storage_full", "shutting_down", "internal_error"],
  },
  {
    id: "metrics",
    method: "GET",
    path: "/metrics",
    summary: "Metrics for Prometheus; no label names a source or a key",
    access: "public",
    status: 200,
    answer: Type.String(),
    mediaType: "text/plain",
    codes: ["internal_error"],
  },
  {
    id: "openapi",
    method: "GET",
    path: "/openapi.json",
    summary: "This document",
    access: "public",
    status: 200,
    answer: Type.Record(Type.String(), Type.Unknown()),
    codes: ["internal_error"],
  },
  {
    id: "docs",
    method: "GET",
    path: "/docs",
    summary: "This document, readable",
    access: "public",
    status: 200,
    answer: Type.String(),
    mediaType: "text/html",
    codes: ["internal_error"],
  },
  {
    id: "sdk",
    method: "GET",
    path: "/sdk/v2.js",
    summary: "The browser client",
    access: "public",
    status: 200,
    answer: Type.String(),
    mediaType: "text/javascript",
    codes: ["internal_error"],
  },
  {
    id: "sdkExtra",
    method: "GET",
    path: "/sdk/extras/:file",
    summary: "An optional part of the browser client",
    access: "public",
    status: 200,
    answer: Type.String(),
    mediaType: "text/javascript",
    codes: ["route_not_found", "internal_error"],
  },
] as const satisfies readonly Operation[];

export type OperationId = (typeof OPERATIONS)[number]["id"];

export const operation = (id: OperationId): Operation => OPERATIONS.find((one) => one.id === id)!;
