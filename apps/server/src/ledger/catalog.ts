/** The catalog: the rarely called part of the ledger, implemented once for both engines (`catalog/`). */
import type { Role, SourceFieldName, TokenScope, TrackingPlan, VisitorKind } from "@headwater/contract";
import type { AuditNote, IdentityRecord, OfferedInvitation, SignInOffer } from "./account-records.ts";
import type { DeletionClock } from "./deletion-clock.ts";
import type {
  Actor,
  AuditRecord,
  CatalogEventRecord,
  ErasureRecord,
  InvitationRecord,
  MemberRecord,
  OrganizationRecord,
  PageOf,
  PageRequest,
  PlanRecord,
  PlanViolationRecord,
  ProfileRecord,
  SavedItemRecord,
  SourceRecord,
  TokenRecord,
  UsageRow,
  WorkspacePageRequest,
} from "./records.ts";
import type { ReportRecord } from "./report-record.ts";

/** Who makes a change, and when. Changing methods write an audit entry in the same transaction. */
interface AuditedChange {
  actor: Actor;
  now: number;
}

/** Fields whose members can be changed one by one. */
type ObjectField = "privacy" | "pathRules" | "limits";
/** An update of a source. Missing (or undefined) fields keep their value, also inside those that are objects. */
export type SourceChange = {
  [F in Exclude<SourceFieldName, ObjectField>]?: SourceRecord[F] | undefined;
} & {
  [F in ObjectField]?:
    | { [Member in keyof SourceRecord[F]]?: SourceRecord[F][Member] | undefined }
    | undefined;
};

/** A token that `setUp` or `signIn` creates; the other members follow from its user. */
interface NewUserToken {
  tokenId: string;
  /** SHA-256 of the token. */
  hash: string;
  /** The end of the token, shown in lists. */
  hint: string;
  label: string;
}

/** The steps of the onboarding, each with the time at which it was completed. */
export interface OnboardingTimes {
  sourceCreatedAt: number | null;
  firstBootstrapAt: number | null;
  firstEventAt: number | null;
  completedAt: number | null;
}

/** `invitation_ended` and `limit_reached`: the invitation that the code was to accept cannot be accepted. */
export type SignInFailure = "unknown" | "expired" | "invitation_ended" | "limit_reached";

export interface Catalog {
  /** Creates the first workspace and its owner. @returns false when the ledger has a workspace already */
  setUp(first: {
    organizationId: string;
    organizationName: string;
    userId: string;
    /** The owner's token; null: create none. */
    token: NewUserToken | null;
    /** The hash of the one-time sign-in code; null: create none. */
    signIn: { codeHash: string; expiresAt: number } | null;
    now: number;
  }): Promise<boolean>;
  /** @returns false when the user has `maxOpen` codes for the same purpose already */
  createSignInCode(created: {
    codeHash: string;
    userId: string;
    expiresAt: number;
    now: number;
    /** The code confirms this address instead of signing the user in. */
    email?: string;
    /** The identity becomes the user's by the sign-in. */
    identity?: IdentityRecord;
    /** The sign-in accepts this invitation. */
    invitationHash?: string | null;
    /** The codes that the user can have at once. Default: no limit. */
    maxOpen?: number;
  }): Promise<boolean>;
  /** What the code of a sign-in would do. Changes nothing. */
  readSignInCode(asked: { codeHash: string; now: number }): Promise<SignInOffer | SignInFailure>;
  /**
   * Exchanges a one-time sign-in code for a token of the console. The code is deleted. Its identity becomes the user's, and its
   * invitation is accepted.
   */
  signIn(exchange: {
    codeHash: string;
    token: NewUserToken;
    /** When the token expires. */
    expiresAt: number;
    now: number;
  }): Promise<TokenRecord | SignInFailure>;

  /** The defaults when the user has changed nothing. */
  profile(asked: { userId: string }): Promise<ProfileRecord>;
  /** A new name is an audit entry of the person's workspaces. */
  updateProfile(
    changed: AuditedChange & {
      userId: string;
      change: Partial<Pick<ProfileRecord, "name" | "theme" | "numberFormat">>;
    },
  ): Promise<ProfileRecord>;
  /**
   * Makes the address of a code that of its user. The code is deleted, and so are the user's codes of sign-in links. If the user had
   * another address, `restoring` is stored for `restoreEmail`. `too_many`: it would be one too many.
   */
  confirmEmail(
    confirmed: AuditedChange & {
      codeHash: string;
      userId: string;
      restoring: { codeHash: string; expiresAt: number };
    },
  ): Promise<{ profile: ProfileRecord; previousEmail: string | null } | "unknown" | "taken" | "too_many">;
  /**
   * Gives the user of a code the previous address again, unless another user has it now. Ends the user's sessions, and deletes what
   * came since the change: tokens, identities and all codes.
   */
  restoreEmail(restored: { codeHash: string; now: number }): Promise<{ email: string | null } | "unknown">;
  /** The user with this confirmed address. */
  userByEmail(asked: { email: string }): Promise<string | null>;
  /** The user who signed in with this identity before, or who has its confirmed address. @returns null when there is none */
  userOfIdentity(asked: IdentityRecord): Promise<string | null>;
  /** The tokens that sign-ins of the user made and that are valid, the newest first. */
  sessions(asked: { userId: string; now: number }): Promise<TokenRecord[]>;

  /** The open invitations of a workspace, the newest first. */
  invitations(asked: { organizationId: string; now: number }): Promise<InvitationRecord[]>;
  /** An open invitation by the hash of its code, with names to show. */
  invitationByHash(asked: { hash: string; now: number }): Promise<OfferedInvitation | null>;
  createInvitation(
    made: AuditedChange & { hash: string; invitation: InvitationRecord },
  ): Promise<"created" | "limit_reached">;
  revokeInvitation(
    revoked: AuditedChange & { organizationId: string; invitationId: string },
  ): Promise<"revoked" | "unknown">;
  /**
   * Makes the user a member and deletes the invitation. Members keep their role. Unknown too when the inviter may no longer give
   * the role.
   */
  acceptInvitation(accepted: {
    hash: string;
    userId: string;
    /** The name of a new account; null: the user has one. */
    name: string | null;
    now: number;
  }): Promise<{ organizationId: string; userId: string } | "unknown" | "limit_reached">;

  organizationsOf(user: { userId: string }): Promise<{ organizationId: string; name: string; role: Role }[]>;
  /** Every workspace of the service. Only for the command line: no request may list other users' workspaces. */
  organizations(page: PageRequest): Promise<PageOf<OrganizationRecord>>;
  /** The actor becomes the owner, unless `owner` names another user. */
  createOrganization(
    made: AuditedChange & { organizationId: string; name: string; owner?: string | undefined },
  ): Promise<"created" | "limit_reached">;
  /** @returns null when the user is no member, or the workspace does not exist */
  roleOf(asked: { userId: string; organizationId: string }): Promise<Role | null>;

  members(page: WorkspacePageRequest): Promise<PageOf<MemberRecord>>;
  addMember(
    added: AuditedChange & { organizationId: string; member: Omit<MemberRecord, "email"> },
  ): Promise<MemberRecord | "exists" | "limit_reached">;
  changeRole(
    changed: AuditedChange & { organizationId: string; userId: string; role: Role },
  ): Promise<MemberRecord | "unknown" | "last_owner">;
  /** Also revokes the member's tokens of this workspace, except those that belong to its sources. */
  removeMember(
    removed: AuditedChange & { organizationId: string; userId: string },
  ): Promise<"removed" | "unknown" | "last_owner">;

  tokenByHash(asked: { hash: string }): Promise<TokenRecord | null>;
  token(asked: { tokenId: string }): Promise<TokenRecord | null>;
  /** Lists the workspace's tokens. */
  tokens(
    page: WorkspacePageRequest & {
      /** Also list tokens that are not bound to a workspace: of one user, of all members, or (null) of no user. */
      includeUserWide: { userId: string } | "members" | null;
      /** Only the tokens that are limited to this source's statistics; null: all tokens. */
      sourceId: string | null;
      scope: TokenScope | null;
    },
  ): Promise<PageOf<TokenRecord>>;
  createToken(
    made: AuditedChange & { hash: string; token: TokenRecord },
  ): Promise<"created" | "limit_reached">;
  /**
   * A token that was revoked before keeps its first `revokedAt`. Every workspace that the token could access gets an
   * audit entry.
   */
  revokeToken(revoked: {
    tokenId: string;
    /** Nobody: a link that was opened took a change of an address back. */
    actor: AuditNote["actor"];
    now: number;
  }): Promise<TokenRecord | "unknown">;
  /** Stores when tokens were last used. An earlier time never replaces a later one. */
  recordTokenUse(used: { tokenId: string; lastUsedAt: number }[]): Promise<void>;

  sources(page: WorkspacePageRequest): Promise<PageOf<SourceRecord>>;
  /** @returns null when the source is unknown or deleted */
  source(asked: { sourceId: string; now: number }): Promise<SourceRecord | null>;
  /** If `slugGiven` is false, the slug is derived from the source's name and made unique. */
  createSource(
    made: AuditedChange & { source: SourceRecord; slugGiven: boolean },
  ): Promise<SourceRecord | "slug_taken" | "too_many_sources">;
  updateSource(
    changed: AuditedChange & { sourceId: string; change: SourceChange },
  ): Promise<SourceRecord | "unknown" | "slug_taken">;
  /** Also revokes the tokens that are limited to this source's statistics. */
  deleteSource(deleted: AuditedChange & { sourceId: string }): Promise<"deleted" | "unknown">;
  /** Makes `publicKey` the current key. The previous key is accepted for another `graceMs`. */
  rotateKey(
    rotated: AuditedChange & { sourceId: string; publicKey: string; graceMs: number },
  ): Promise<SourceRecord | "unknown">;
  /** Accepts a retired key again for `graceMs`. */
  restoreKey(
    restored: AuditedChange & { sourceId: string; publicKey: string; graceMs: number },
  ): Promise<SourceRecord | "unknown" | "not_retired">;

  /** The event catalogue. */
  eventCatalog(asked: { sourceId: string }): Promise<CatalogEventRecord[]>;
  /** Violations of the source's tracking plan, those seen last first. */
  planViolations(asked: { sourceId: string }): Promise<readonly PlanViolationRecord[]>;
  /** Adds what a node has seen to the event catalogue. A source that was deleted gets none. */
  addToEventCatalog(seen: { sourceId: string; events: readonly CatalogEventRecord[] }): Promise<void>;
  /** A version of the source's tracking plan; null: the current one. @returns null when there is no such version */
  trackingPlan(asked: { sourceId: string; version: number | null }): Promise<PlanRecord | null>;
  /** The versions that are kept, the newest first. */
  trackingPlanVersions(asked: { sourceId: string }): Promise<Omit<PlanRecord, "plan">[]>;
  /**
   * Stores the plan as a new version, unless it equals the current one. @returns `changed` when `baseVersion` is not null and not
   * the current version
   */
  saveTrackingPlan(
    saved: AuditedChange & { sourceId: string; plan: TrackingPlan; baseVersion: number | null },
  ): Promise<PlanRecord | "unknown" | "changed">;

  /** Shared items and those of the user, oldest first. */
  savedItems(asked: { sourceId: string; userId: string }): Promise<SavedItemRecord[]>;
  /** Only a change of a shared item writes an audit entry: others concern nobody else. */
  createSavedItem(
    made: AuditedChange & { item: SavedItemRecord },
  ): Promise<"created" | "unknown" | "too_many">;
  /** @param deleted mayDeleteShared: also items that others share */
  deleteSavedItem(
    deleted: AuditedChange & { sourceId: string; savedId: string; mayDeleteShared: boolean },
  ): Promise<"deleted" | "unknown" | "denied">;

  /** Reports of the source that are sent every week or month, oldest first. */
  reports(asked: { sourceId: string }): Promise<ReportRecord[]>;
  createReport(made: AuditedChange & { report: ReportRecord }): Promise<"created" | "unknown" | "too_many">;
  /** @returns false when the source has no such report */
  deleteReport(deleted: AuditedChange & { sourceId: string; reportId: string }): Promise<boolean>;
  /** Stores the hash of the code in the link of a mail. The links of a report are bounded in number and age. */
  addReportLink(added: { reportId: string; hash: string; now: number }): Promise<void>;
  /** The report of a link in a mail that is not older than `since`. */
  reportByLink(asked: { hash: string; since: number }): Promise<ReportRecord | null>;
  /** The address of the link agrees to its report, and the link ends. @returns false when no report waits for this link */
  confirmReport(by: { hash: string; since: number; nextAt: number; now: number }): Promise<boolean>;
  /** Deletes the report of an unsubscribe link. @returns false when there is none */
  unsubscribeReport(by: { hash: string; since: number; now: number }): Promise<boolean>;
  /** Claims reports that are due and that their addresses have agreed to. Each is due again after `retryMs[number of earlier tries]`. */
  claimReports(asked: { now: number; limit: number; retryMs: readonly number[] }): Promise<ReportRecord[]>;
  /** Stores that a report was sent, or why not. @param done nextAt: when it is due next; null: as it was */
  recordReport(done: {
    reportId: string;
    sentAt: number | null;
    error: string | null;
    nextAt: number | null;
  }): Promise<void>;

  /** Once this resolves, everything accepted earlier from the visitor will be erased, even after a crash. */
  requestErasure(
    requested: AuditedChange & {
      receiptId: string;
      organizationId: string;
      /** null: every source of the workspace. */
      sourceId: string | null;
      kind: VisitorKind;
      /** The visitor's id. */
      id: string;
    },
  ): Promise<ErasureRecord | "unknown_source" | "too_many">;
  /** @returns null when the workspace has no such receipt */
  erasure(asked: { receiptId: string; organizationId: string }): Promise<ErasureRecord | null>;
  /** Deletes a slice of the receipts of erasures that were done before that time. @returns false when done */
  expireReceipts(at: { before: number }): Promise<boolean>;

  recordAudit(note: AuditNote): Promise<void>;
  /** Newest first. */
  audit(
    page: WorkspacePageRequest & {
      userId?: string | undefined;
      target?: string | undefined;
      /** An action, or the part before its dot for all of its kind. */
      action?: string | undefined;
    },
  ): Promise<PageOf<AuditRecord>>;
  /**
   * Deletes a slice of the audit entries written before that time, and of the tokens that expired or were revoked
   * before it. @returns false when done
   */
  expireAudit(at: { before: number }): Promise<boolean>;
  /**
   * Reads the clock, and returns the clock by which expired data may be deleted. PostgreSQL uses the database's clock
   * instead of `now`.
   */
  deletionClock(at: { now: number }): Promise<DeletionClock>;
  /** Trusts the clock from now on, although it has jumped. */
  acceptClock(at: { now: number }): Promise<DeletionClock>;
  onboarding(asked: { organizationId: string }): Promise<OnboardingTimes>;
  completeOnboarding(done: AuditedChange & { organizationId: string }): Promise<void>;
  /** Usage per source and day. `from` and `to` are UTC days (YYYY-MM-DD), both inclusive. */
  usage(asked: { organizationId: string; from: string; to: string }): Promise<UsageRow[]>;
}
