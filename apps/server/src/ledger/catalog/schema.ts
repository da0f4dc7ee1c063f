/**
 * The tables of the catalog: DDL that both engines understand, and the types for Kysely. Times are milliseconds
 * (bigint), flags are 0 or 1, lists and objects are JSON text. The ingest methods of each engine also read `sources` and
 * `source_keys`, and write `source_activity` and `usage`.
 */
import type { Generated } from "kysely";
import type {
  AlertTopic,
  ErasureRecord,
  InvitationRecord,
  MemberRecord,
  PasskeyRecord,
  PlanRecord,
  ProfileRecord,
  RememberedSignIn,
  ReplayRecord,
  SavedItemRecord,
  SessionRecord,
  TokenRecord,
  UsageRow,
} from "../records.ts";
import type { ReportRecord } from "../report-record.ts";
import type { SourceColumns } from "./source-columns.ts";

const ACCESS_TABLES = [
  `create table organizations (organization_id text primary key, name text not null, onboarded_at bigint, created_at bigint not null)`,
  // people, who have profiles, and service accounts, which have none
  `create table members (organization_id text not null, user_id text not null, role text not null, created_at bigint not null,
    name text, primary key (organization_id, user_id))`,
  `create index members_user on members (user_id)`,
  `create table profiles (user_id text primary key, name text, email text, theme text not null, locale text not null,
    number_format text not null, clock text not null, week_start text not null)`,
  `create unique index profiles_email on profiles (email) where email is not null`,
  `create table identities (issuer text not null, subject text not null, user_id text not null, linked_at bigint not null,
    primary key (issuer, subject))`,
  `create table invitations (invitation_id text primary key, hash text not null unique, organization_id text not null,
    role text not null, email text, invited_by text not null, created_at bigint not null, expires_at bigint not null)`,
  `create index invitations_organization on invitations (organization_id)`,
  `create table tokens (token_id text primary key, hash text not null unique, organization_id text, user_id text not null,
    ceiling text, source_id text, scope text, password_hash text, label text not null, hint text not null,
    expires_at bigint, revoked_at bigint, last_used_at bigint, created_at bigint not null)`,
  `create index tokens_organization on tokens (organization_id, created_at)`,
  `create index tokens_user on tokens (user_id)`,
  `create index tokens_source on tokens (source_id) where source_id is not null`,
  // `secret_hash`: of the cookie's secret; until the grace after `rotated_at` ends, `previous_hash` is good too
  `create table remembered_sign_ins (remembered_id text primary key, token_id text not null, secret_hash text not null,
    previous_hash text, salt text, rotated_at bigint not null, used_at bigint not null, expires_at bigint not null,
    created_at bigint not null)`,
  `create index remembered_sign_ins_token on remembered_sign_ins (token_id, created_at)`,
  `create table refreshed_tokens (hash text primary key, remembered_id text not null, ends_at bigint not null)`,
  `create index refreshed_tokens_remembered on refreshed_tokens (remembered_id, ends_at)`,
  `create table sign_in_codes (hash text primary key, user_id text not null, expires_at bigint not null, purpose text not null,
    email text, identity text, invitation_hash text)`,
  // `public_key`: COSE, in base64url
  `create table passkeys (passkey_id text primary key, user_id text not null, host text not null,
    credential_id text not null unique, public_key text not null, counter bigint not null, name text not null,
    created_at bigint not null, last_used_at bigint)`,
  `create index passkeys_user on passkeys (user_id, created_at)`,
  // without a user it is for a sign-in
  `create table passkey_challenges (hash text primary key, user_id text, expires_at bigint not null)`,
  `create index passkey_challenges_user on passkey_challenges (user_id, expires_at)`,
];

const SOURCE_TABLES = [
  `create table sources (source_id text primary key, organization_id text not null, slug text not null,
    public_key text not null, previous_key_expires_at bigint, public_key_rotated_at bigint, is_active integer not null,
    retention_days bigint, settings text not null, created_at bigint not null, updated_at bigint not null, deleted_at bigint)`,
  `create unique index sources_slug on sources (organization_id, slug) where deleted_at is null`,
  `create table source_keys (public_key text primary key, source_id text not null, let_in_until bigint, created_at bigint not null)`,
  `create index source_keys_source on source_keys (source_id)`,
  // one that is not sent yet has an `alert_id`
  `create table source_alerts (source_id text not null, topic text not null, status text not null, since bigint not null,
    was text, alert_id text, tries bigint not null, next_try_at bigint not null, primary key (source_id, topic))`,
  `create index source_alerts_pending on source_alerts (next_try_at) where alert_id is not null`,
  `create table tracking_plans (source_id text not null, version bigint not null, plan text not null, user_id text, token_id text,
    created_at bigint not null, is_current integer not null, primary key (source_id, version))`,
  `create unique index tracking_plans_current on tracking_plans (source_id) where is_current = 1`,
  `create table event_catalog (source_id text not null, name text not null, record text not null, primary key (source_id, name))`,
];

/** Tables of what people save on the stats page. */
const STATS_TABLES = [
  `create table saved_items (saved_id text primary key, source_id text not null, user_id text not null, kind text not null,
    name text not null, is_shared integer not null, created_at bigint not null, definition text not null)`,
  `create index saved_items_source on saved_items (source_id, created_at)`,
  // without `confirmed_at` a report waits until its address has agreed
  `create table reports (report_id text primary key, organization_id text not null, source_id text not null, user_id text not null,
    period text not null, channel text not null, target text not null, timezone text not null, created_at bigint not null,
    confirmed_at bigint, next_at bigint not null, tries bigint not null, last_sent_at bigint, last_error text)`,
  `create index reports_source on reports (source_id, created_at)`,
  `create index reports_due on reports (next_at)`,
  `create table report_links (hash text primary key, report_id text not null, created_at bigint not null)`,
  `create index report_links_report on report_links (report_id, created_at)`,
  `create index report_links_created on report_links (created_at)`,
];

const DATA_TABLES = [
  // `visitor_id` becomes null when the erasure is done
  `create table erasures (receipt_id text primary key, organization_id text not null, source_id text, kind text not null,
    visitor_id text, status text not null, pages text not null, requested_at bigint not null, finished_at bigint,
    claimed_until bigint not null)`,
  `create index erasures_organization on erasures (organization_id, requested_at)`,
  `create index erasures_open on erasures (requested_at) where finished_at is null`,
  // `plan`: what is replayed, as JSON
  `create table replays (replay_id text primary key, source_id text not null, status text not null, plan text not null,
    progress text not null, after_seq bigint not null, up_to_seq bigint not null, requested_at bigint not null,
    finished_at bigint, claimed_until bigint not null)`,
  `create index replays_source on replays (source_id, requested_at)`,
  `create index replays_running on replays (requested_at) where status = 'running'`,
  `create table deletion_clock (one integer primary key check (one = 1), trusted_at bigint not null, seen_at bigint not null,
    held_ms bigint)`,
  // how many events of each source and day (days since the epoch) were shipped to the warehouse, how many of them were erased
  // there and how many expired, and how many were erased before they were shipped; the outcome of the latest comparison
  `create table shipped_days (source_id text not null, day bigint not null, shipped bigint not null, removed bigint not null,
    expired bigint not null, erased_waiting bigint not null, primary key (source_id, day))`,
  `create table warehouse_checks (one integer primary key check (one = 1), revision bigint not null, compared_at bigint not null,
    parts_checked_at bigint not null, claimed_until bigint not null, report text not null)`,
  `insert into warehouse_checks values (1, 0, 0, 0, 0, '{"missingEvents":0,"sources":[],"moreSources":0,"detachedParts":[]}')`,
];

/** The differences of the engines: sequence numbers, and the storage of tables whose rows change often. */
interface EngineDdl {
  /** The type of `audit.seq`. */
  sequence: string;
  sessions: string;
  /** The storage of the tables with counters of each source. */
  counters: string;
}

export const catalogDdl = ({ sequence, sessions, counters }: EngineDdl): string[] => [
  ...ACCESS_TABLES,
  ...SOURCE_TABLES,
  ...STATS_TABLES,
  ...DATA_TABLES,
  `create table source_activity (source_id text primary key, first_bootstrap_at bigint, last_bootstrap_at bigint,
    first_event_at bigint, last_event_at bigint) ${counters}`,
  `create table usage (source_id text not null, day text not null, accepted bigint not null, bootstraps bigint not null,
    bytes bigint not null, primary key (source_id, day)) ${counters}`,
  `create table sessions (source_id text not null, session_id text not null, anonymous_id text not null, user_id text,
    started_at bigint not null, last_activity_at bigint not null, landing text not null,
    primary key (source_id, session_id)) ${sessions}`,
  // finds the session of a visitor whose client does not know it. Requests that open no session do not write it
  "create index sessions_of_visitor on sessions (source_id, anonymous_id, started_at)",
  `create table audit (seq ${sequence}, organization_id text not null, at bigint not null, user_id text, token_id text,
    action text not null, target text not null, before_json text, after_json text)`,
  `create index audit_organization on audit (organization_id, seq)`,
];

/** The tables in Kysely's types. Names are in camel case here (`createCatalogDb`) and in snake case in the database. */
export interface CatalogTables {
  organizations: { organizationId: string; name: string; onboardedAt: number | null; createdAt: number };
  members: Omit<MemberRecord, "email"> & { organizationId: string };
  tokens: TokenRecord & { hash: string };
  rememberedSignIns: RememberedSignIn;
  /** The short-lived tokens that remembered sign-ins renewed. */
  refreshedTokens: { hash: string; rememberedId: string; endsAt: number };
  signInCodes: {
    hash: string;
    userId: string;
    expiresAt: number;
    purpose: "sign_in" | "confirm_email" | "restore_email";
    /** The address that the code confirms or restores. */
    email: string | null;
    /** The `IdentityRecord` of the person who signed in at the identity provider, as JSON. */
    identity: string | null;
    /** The hash of the invitation that the sign-in accepts. */
    invitationHash: string | null;
  };
  passkeys: PasskeyRecord;
  passkeyChallenges: { hash: string; userId: string | null; expiresAt: number };
  profiles: ProfileRecord;
  /** Users of the identity provider. */
  identities: { issuer: string; subject: string; userId: string; linkedAt: number };
  invitations: InvitationRecord & { hash: string };
  sources: SourceColumns & { deletedAt: number | null };
  /** Every key of a source, except retired keys that were deleted. The current key is `sources.publicKey`. */
  sourceKeys: {
    publicKey: string;
    sourceId: string;
    /** Until when a previous key is accepted. */
    letInUntil: number | null;
    createdAt: number;
  };
  sourceActivity: {
    sourceId: string;
    firstBootstrapAt: number | null;
    lastBootstrapAt: number | null;
    firstEventAt: number | null;
    lastEventAt: number | null;
  };
  sourceAlerts: {
    sourceId: string;
    topic: AlertTopic;
    status: string;
    since: number;
    was: string | null;
    /** null: no alert is waiting. */
    alertId: string | null;
    tries: number;
    nextTryAt: number;
  };
  usage: UsageRow;
  /** `record` is a `CatalogEventRecord` as JSON. */
  eventCatalog: { sourceId: string; name: string; record: string };
  trackingPlans: Omit<PlanRecord, "plan"> & {
    sourceId: string;
    /** A `TrackingPlan` as JSON. */
    plan: string;
    isCurrent: number;
  };
  savedItems: Omit<SavedItemRecord, "isShared" | "definition"> & {
    isShared: number;
    /** Its filters, steps or day as JSON. */
    definition: string;
  };
  reports: ReportRecord;
  /** The links in the mails of reports. The link of a waiting report confirms it; later ones end it. */
  reportLinks: { hash: string; reportId: string; createdAt: number };
  erasures: ErasureRecord & {
    /** null when the erasure is done. */
    visitorId: string | null;
    /** A JSON list of page ids. */
    pages: string;
    claimedUntil: number;
  };
  replays: Pick<ReplayRecord, "replayId" | "sourceId" | "status" | "requestedAt" | "finishedAt"> & {
    /** Selection, edits and number of selected events, as JSON. */
    plan: string;
    /** A `ReplayProgress` as JSON. */
    progress: string;
    afterSeq: number;
    upToSeq: number;
    claimedUntil: number;
  };
  deletionClock: {
    one: 1;
    /** The time that is trusted. After a jump it goes on from the time before the jump. */
    trustedAt: number;
    /** The clock when it was last read. */
    seenAt: number;
    /** For how long the service has run with the time after a jump; null: the clock is trusted. */
    heldMs: number | null;
  };
  sessions: SessionRecord;
  shippedDays: {
    sourceId: string;
    day: number;
    shipped: number;
    removed: number;
    expired: number;
    erasedWaiting: number;
  };
  warehouseChecks: {
    one: 1;
    revision: number;
    comparedAt: number;
    partsCheckedAt: number;
    claimedUntil: number;
    /** A `WarehouseReport` as JSON. */
    report: string;
  };
  outboxPages: { pageId: string };
  audit: {
    seq: Generated<number>;
    organizationId: string;
    at: number;
    userId: string | null;
    tokenId: string | null;
    action: string;
    target: string;
    beforeJson: string | null;
    afterJson: string | null;
  };
}
