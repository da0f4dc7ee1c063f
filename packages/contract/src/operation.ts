/** The type of an operation, and groups of error codes that operations share. */
import type { TSchema } from "typebox";
import type { CompatEndpoint } from "./attempts.ts";
import type { ErrorCode } from "./errors.ts";
import type { RequestHeader, ResponseHeader } from "./openapi/headers.ts";
import type { Tag } from "./openapi/tags.ts";
import type { Permission } from "./workspace.ts";

/**
 * The callers of an operation: everyone (`public`), everyone with a public key (`public-key`), a person who signed in
 * (`person`: a session of the console or a JWT), everyone with a valid token (`token`), every member of the workspace
 * (`member`), or members with a permission.
 */
export type Access = "public" | "public-key" | "person" | "token" | "member" | Permission;

/** Operations without a workspace that answer for the token itself. Every other one that is not public needs a person. */
const TOKEN_OPERATIONS = ["listOrganizations", "signOut", "rememberSignIn", "mcp"] as const;

/** An operation of a workspace declares where the workspace is; the guard checks membership only then. */
type OperationAccess =
  | {
      readonly access: "public" | "public-key" | "person";
      readonly organization?: never;
      readonly source?: never;
    }
  | {
      readonly id: (typeof TOKEN_OPERATIONS)[number];
      readonly access: "token";
      readonly organization?: never;
      readonly source?: never;
    }
  | ({ readonly access: "member" | Permission } & (
      | { readonly organization: OrganizationPlace; readonly source?: SourcePlace }
      | { readonly organization?: never; readonly source: SourcePlace }
    ));

/** Where `organizationId` is, and whether it is required. */
type OrganizationPlace = "query" | "body" | "optional-query" | "optional-body" | "query-or-body";
/** Where `sourceId` is. The workspace follows from the source. */
type SourcePlace = "path" | "query" | "body";

export type Operation = OperationFields & OperationAccess;

interface OperationFields {
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  /** The group in the documentation. */
  readonly tag: Tag;
  readonly summary: string;
  /** The rules that the summary leaves out. Markdown. */
  readonly description: string;
  /** Fields of the body that need another permission. */
  readonly elevated?: { readonly fields: readonly string[]; readonly permission: Permission };
  readonly query?: TSchema;
  readonly requestHeaders?: readonly RequestHeader[];
  readonly body?: TSchema;
  /** Bytes of the body. Default: 65,536. */
  readonly maxBodyBytes?: number;
  /** The body can be missing. */
  readonly bodyOptional?: true;
  /** An endpoint for the clients of another tool, and which one. */
  readonly compatEndpoint?: CompatEndpoint;
  readonly status: 200 | 201 | 202 | 204;
  /** Further statuses of a success without a body, and what each means. */
  readonly otherStatuses?: Readonly<Record<number, string>>;
  readonly answer: TSchema;
  /** The media type of the response, if it is not JSON. */
  readonly mediaType?: string;
  /** Other media types of the response. */
  readonly otherMediaTypes?: readonly string[];
  /** A public document with an `ETag`: clients that already have it get 304. */
  readonly isDocument?: true;
  /** A public operation that costs work. All operations of this kind share one rate limit per client address. */
  readonly hasClientRate?: true;
  /** The response can be long-lived. It ends when the client disconnects or loses its permission. */
  readonly isStream?: true;
  /** Headers that only this response has. */
  readonly responseHeaders?: readonly ResponseHeader[];
  readonly codes: readonly ErrorCode[];
  readonly deprecated?: true;
}

export const TOKEN_CODES = ["missing_token", "invalid_token", "expired_token", "revoked_token"] as const;
const ROLE_CODES = ["not_a_member", "permission_denied"] as const;
export const COMMON_CODES = [
  "malformed_http",
  "request_timeout",
  "headers_too_large",
  "rate_limited",
  "internal_error",
  "storage_unavailable",
  "storage_full",
  "shutting_down",
] as const;
export const BODY_CODES = ["payload_too_large", "unsupported_media_type", "invalid_payload"] as const;
export const QUERY_CODES = ["invalid_payload"] as const;
/** The refusals of queries that read the warehouse. */
export const WAREHOUSE_CODES = [
  "warehouse_off",
  "warehouse_elsewhere",
  "warehouse_unavailable",
  "warehouse_damaged",
  "query_too_heavy",
  "overloaded",
] as const;

export const workspaceCodes = (codes: readonly ErrorCode[]) => [
  ...TOKEN_CODES,
  ...ROLE_CODES,
  ...COMMON_CODES,
  ...codes,
];
export const sourceCodes = (codes: readonly ErrorCode[]) => [
  ...TOKEN_CODES,
  ...ROLE_CODES,
  "source_not_found" as const,
  ...COMMON_CODES,
  ...codes,
];
