/**
 * The tables of the catalog, for both engines: portable DDL, and their types for Kysely. Times are
 * milliseconds (bigint), flags 0 or 1, lists and objects JSON text. The hot verbs of each engine read
 * `sources` and `source_keys` and add to `source_activity` and `usage`.
 */
import type { ErasureStatus, Role, VisitorKind } from "@headwater/contract";
import type { Generated } from "kysely";

export const CATALOG_DDL: readonly string[] = [
  `create table organizations (organization_id text primary key, name text not null, onboarded_at bigint, created_at bigint not null)`,
  `create table users (user_id text primary key, name text, email text, created_at bigint not null)`,
  `create table members (organization_id text not null, user_id text not null, role text not null, created_at bigint not null,
    primary key (organization_id, user_id))`,
  `create index members_user on members (user_id)`,
  `create table tokens (token_id text primary key, hash text not null unique, organization_id text, user_id text not null,
    label text not null, hint text not null, expires_at bigint, revoked_at bigint, last_used_at bigint, created_at bigint not null)`,
  `create index tokens_organization on tokens (organization_id, created_at)`,
  `create index tokens_user on tokens (user_id)`,
  `create table sign_in_codes (hash text primary key, user_id text not null, expires_at bigint not null)`,
  `create table sources (source_id text primary key, organization_id text not null, name text not null, slug text not null,
    public_key text not null, previous_key_expires_at bigint, public_key_rotated_at bigint, allowed_origins text not null,
    framework_hint text, is_active integer not null, require_origin integer not null, limits text not null,
    created_at bigint not null, updated_at bigint not null, deleted_at bigint)`,
  `create unique index sources_slug on sources (organization_id, slug) where deleted_at is null`,
  `create table source_keys (public_key text primary key, source_id text not null, let_in_until bigint, created_at bigint not null)`,
  `create index source_keys_source on source_keys (source_id)`,
  `create table source_activity (source_id text primary key, first_bootstrap_at bigint, last_bootstrap_at bigint,
    first_event_at bigint, last_event_at bigint)`,
  `create table usage (source_id text not null, day text not null, accepted bigint not null, bootstraps bigint not null,
    primary key (source_id, day))`,
];

/** What came after `CATALOG_DDL`: every engine runs each once, in this order. */
export const CATALOG_CHANGES: readonly (readonly string[])[] = [
  // a member is called what this workspace calls them; a token's role does not grow behind its maker's back
  [
    `alter table members add column name text`,
    `alter table members add column email text`,
    `update members set name = (select users.name from users where users.user_id = members.user_id),
      email = (select users.email from users where users.user_id = members.user_id)`,
    `drop table users`,
    `alter table tokens add column ceiling text`,
    `update tokens set ceiling = (select members.role from members
      where members.organization_id = tokens.organization_id and members.user_id = tokens.user_id)`,
  ],
  // what the pages of a source must heed
  [
    `alter table sources add column privacy text not null default '{"respectGpc":false,"requireConsent":false}'`,
  ],
  // visitors that are erased; `visitor_id` is forgotten when that is done
  [
    `create table erasures (receipt_id text primary key, organization_id text not null, source_id text, kind text not null,
      visitor_id text, status text not null, pages text not null, requested_at bigint not null, finished_at bigint,
      claimed_until bigint not null)`,
    `create index erasures_organization on erasures (organization_id, requested_at)`,
    `create index erasures_open on erasures (requested_at) where finished_at is null`,
  ],
  // how a source's events are counted, and how long they are kept
  [
    `alter table sources add column counting text not null default '{"goals":[],"bots":"apart","excludedPaths":[]}'`,
    `alter table sources add column retention_days bigint`,
  ],
  // as what each source was seen last, and the alert that is still to be sent of it
  [
    `create table source_alerts (source_id text primary key, status text not null, since bigint not null, was text,
      alert_id text, tries bigint not null, next_try_at bigint not null)`,
    `create index source_alerts_pending on source_alerts (next_try_at) where alert_id is not null`,
  ],
  // a token that opens the numbers of one source alone
  [
    `alter table tokens add column source_id text`,
    `create index tokens_source on tokens (source_id) where source_id is not null`,
  ],
];

/** `audit` numbers its rows: the one table whose DDL differs by engine (`integer primary key autoincrement`, `bigint generated always as identity primary key`). */
export const auditDdl = (sequenceColumn: string) =>
  `create table audit (seq ${sequenceColumn}, organization_id text not null, at bigint not null, user_id text, token_id text,
    action text not null, target text not null, before_json text, after_json text)`;
export const AUDIT_INDEX = `create index audit_organization on audit (organization_id, seq)`;

export interface CatalogTables {
  organizations: { organization_id: string; name: string; onboarded_at: number | null; created_at: number };
  members: {
    organization_id: string;
    user_id: string;
    name: string | null;
    email: string | null;
    role: Role;
    created_at: number;
  };
  tokens: {
    token_id: string;
    hash: string;
    organization_id: string | null;
    user_id: string;
    ceiling: Role | null;
    source_id: string | null;
    label: string;
    hint: string;
    expires_at: number | null;
    revoked_at: number | null;
    last_used_at: number | null;
    created_at: number;
  };
  sign_in_codes: { hash: string; user_id: string; expires_at: number };
  sources: {
    source_id: string;
    organization_id: string;
    name: string;
    slug: string;
    public_key: string;
    previous_key_expires_at: number | null;
    public_key_rotated_at: number | null;
    allowed_origins: string;
    framework_hint: string | null;
    is_active: number;
    require_origin: number;
    limits: string;
    privacy: string;
    counting: string;
    retention_days: number | null;
    created_at: number;
    updated_at: number;
    deleted_at: number | null;
  };
  /** Every key a source ever had. The current one is `sources.public_key`; another is let in until `let_in_until`. */
  source_keys: { public_key: string; source_id: string; let_in_until: number | null; created_at: number };
  source_activity: {
    source_id: string;
    first_bootstrap_at: number | null;
    last_bootstrap_at: number | null;
    first_event_at: number | null;
    last_event_at: number | null;
  };
  usage: { source_id: string; day: string; accepted: number; bootstraps: number };
  erasures: {
    receipt_id: string;
    organization_id: string;
    source_id: string | null;
    kind: VisitorKind;
    visitor_id: string | null;
    status: ErasureStatus;
    /** A JSON list. */
    pages: string;
    requested_at: number;
    finished_at: number | null;
    claimed_until: number;
  };
  audit: {
    seq: Generated<number>;
    organization_id: string;
    at: number;
    user_id: string | null;
    token_id: string | null;
    action: string;
    target: string;
    before_json: string | null;
    after_json: string | null;
  };
}
