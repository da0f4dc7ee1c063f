/** The register's part of the port: what is rarely called and written once for both engines. */
import type { Counting, Role, SourceLimits, VisitorKind } from "@headwater/contract";
import type {
  Actor,
  AuditRecord,
  ErasureRecord,
  MemberRecord,
  OrganizationRecord,
  Page,
  PageOf,
  PageRequest,
  SourceRecord,
  TokenRecord,
  UsageRow,
} from "../core/records.ts";

/** By whom and when: every changing verb takes it, and writes the audit entry in its own transaction. */
export interface By {
  actor: Actor;
  now: number;
}

export interface SourceChange extends Partial<{ [F in keyof Counting]: Counting[F] | undefined }> {
  name?: string | undefined;
  slug?: string | undefined;
  allowedOrigins?: string[] | undefined;
  frameworkHint?: string | null | undefined;
  isActive?: boolean | undefined;
  requireOrigin?: boolean | undefined;
  privacy?: { respectGpc?: boolean | undefined; requireConsent?: boolean | undefined } | undefined;
  limits?: Partial<SourceLimits> | undefined;
}

/** Rarely called: written once for both engines (register/). */
export interface Register {
  /** Makes the first workspace, its owner and the owner's token on an empty ledger; false when it was not empty. */
  setUp(first: {
    organizationId: string;
    organizationName: string;
    userId: string;
    token: { tokenId: string; hash: string; hint: string; label: string };
    signIn: { codeHash: string; expiresAt: number } | null;
    now: number;
  }): Promise<boolean>;
  /** Takes the one-time code and stores the token it buys. */
  signIn(exchange: {
    codeHash: string;
    token: { tokenId: string; hash: string; hint: string; label: string };
    now: number;
  }): Promise<TokenRecord | "unknown" | "expired">;

  organizationsOf(user: { userId: string }): Promise<{ organizationId: string; name: string; role: Role }[]>;
  /** Every workspace of the service: for its operator alone, no request may see another's. */
  organizations(page: Page): Promise<PageOf<OrganizationRecord>>;
  /** Without an owner the actor is it. */
  createOrganization(
    made: By & { organizationId: string; name: string; owner?: string | undefined },
  ): Promise<"created" | "limit_reached">;
  /** null: no member, or no such workspace. */
  roleOf(asked: { userId: string; organizationId: string }): Promise<Role | null>;

  members(page: PageRequest): Promise<PageOf<MemberRecord>>;
  addMember(
    added: By & { organizationId: string; member: MemberRecord },
  ): Promise<MemberRecord | "exists" | "limit_reached">;
  changeRole(
    changed: By & { organizationId: string; userId: string; role: Role },
  ): Promise<MemberRecord | "unknown" | "last_owner">;
  /** Revokes the member's tokens of this workspace too. */
  removeMember(
    removed: By & { organizationId: string; userId: string },
  ): Promise<"removed" | "unknown" | "last_owner">;

  tokenByHash(asked: { hash: string }): Promise<TokenRecord | null>;
  token(asked: { tokenId: string }): Promise<TokenRecord | null>;
  /**
   * Those of the workspace; and of those for all workspaces one user's, every member's, or (null) nobody's.
   * With a source only those that open its numbers alone.
   */
  tokens(
    page: PageRequest & { wideOf: { userId: string } | "members" | null; sourceId: string | null },
  ): Promise<PageOf<TokenRecord>>;
  createToken(
    made: By & { hash: string; auditOrganizationId: string; token: TokenRecord },
  ): Promise<"created" | "limit_reached">;
  /** As it is then: one that was revoked before keeps that time. Each workspace that it opened has it in its log. */
  revokeToken(revoked: By & { tokenId: string }): Promise<TokenRecord | "unknown">;
  /** Last-used times, gathered and written now and then. */
  touchTokens(used: { tokenId: string; lastUsedAt: number }[]): Promise<void>;

  sources(page: PageRequest): Promise<PageOf<SourceRecord>>;
  /** null: unknown or deleted. */
  source(asked: { sourceId: string; now: number }): Promise<SourceRecord | null>;
  /** Without a given slug one is derived from `slugBase` and made unique. */
  createSource(
    made: By & { source: SourceRecord; slugGiven: boolean },
  ): Promise<SourceRecord | "slug_taken" | "too_many_sources">;
  updateSource(
    changed: By & { sourceId: string; change: SourceChange },
  ): Promise<SourceRecord | "unknown" | "slug_taken">;
  /** Revokes the tokens that open its numbers alone. */
  deleteSource(deleted: By & { sourceId: string }): Promise<"deleted" | "unknown">;
  rotateKey(
    rotated: By & { sourceId: string; publicKey: string; graceMs: number },
  ): Promise<SourceRecord | "unknown">;
  restoreKey(
    restored: By & { sourceId: string; publicKey: string; graceMs: number },
  ): Promise<SourceRecord | "unknown" | "not_retired">;

  /** From when it resolves on, what was accepted before will be gone, whatever happens. */
  requestErasure(
    requested: By & {
      receiptId: string;
      organizationId: string;
      sourceId: string | null;
      kind: VisitorKind;
      id: string;
    },
  ): Promise<ErasureRecord | "unknown_source" | "too_many">;
  /** null: no such receipt in this workspace. */
  erasure(asked: { receiptId: string; organizationId: string }): Promise<ErasureRecord | null>;

  audit(page: PageRequest): Promise<PageOf<AuditRecord>>;
  /** Deletes a slice of what was audited before then, and of the tokens of no use since; true while there is more. */
  expireAudit(at: { before: number }): Promise<boolean>;
  onboarding(asked: { organizationId: string }): Promise<{
    sourceCreatedAt: number | null;
    firstBootstrapAt: number | null;
    firstEventAt: number | null;
    completedAt: number | null;
  }>;
  completeOnboarding(done: By & { organizationId: string }): Promise<void>;
  /** Days from and to are inclusive UTC days. */
  usage(asked: { organizationId: string; from: string; to: string }): Promise<UsageRow[]>;
}
