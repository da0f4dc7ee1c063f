/** What an entry of the table of operations says, and the codes that many of them share. */
import type { TSchema } from "typebox";
import type { ErrorCode } from "./errors.ts";
import type { Permission } from "./workspace.ts";

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
  /** Where `sourceId` is read; the workspace is the source's own. */
  readonly source?: "path" | "query" | "body";
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
  /** That it may be answered in too. */
  readonly otherMediaTypes?: readonly string[];
  /** The answer carries an `ETag`; who has it already is answered 304. */
  readonly isTagged?: true;
  /** The answer may go on for long: it ends when the client leaves, or may see no more. */
  readonly isStream?: true;
  readonly codes: readonly ErrorCode[];
  readonly deprecated?: true;
}

export const BEARER = ["missing_token", "invalid_token", "expired_token", "revoked_token"] as const;
export const MEMBER = ["not_a_member"] as const;
export const ROLE = ["not_a_member", "permission_denied"] as const;
export const ANY = [
  "malformed_http",
  "request_timeout",
  "headers_too_large",
  "rate_limited",
  "internal_error",
  "storage_unavailable",
  "storage_full",
  "shutting_down",
] as const;
export const BODY = ["payload_too_large", "unsupported_media_type", "invalid_payload"] as const;
export const QUERY = ["invalid_payload"] as const;

export const onWorkspace = (codes: readonly ErrorCode[]) => [...BEARER, ...ROLE, ...ANY, ...codes];
export const onSource = (codes: readonly ErrorCode[]) => [
  ...BEARER,
  ...ROLE,
  "source_not_found" as const,
  ...ANY,
  ...codes,
];
