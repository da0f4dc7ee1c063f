/** Workspaces: members, roles, tokens, audit log, onboarding and usage (docs/api/access.md). The API calls a workspace an organization. */
import Type, { type Static } from "typebox";
import { LIMITS } from "./limits.ts";
import { ROLES, type Role } from "./roles.ts";
import {
  Closed,
  Count,
  count,
  flag,
  id,
  NextCursor,
  Nullable,
  OneOf,
  OrganizationId,
  text,
  textOrNull,
  time,
  timeOrNull,
} from "./shapes.ts";

const viewer = ["sources:read", "stats:read"] as const;
const developer = [...viewer, "sources:write", "debug:read", "export:read"] as const;
const admin = [
  ...developer,
  "sources:admin",
  "members:manage",
  "tokens:manage",
  "audit:read",
  "usage:read",
  "support:read",
  "visitors:erase",
] as const;
const owner = [...admin, "owners:manage"] as const;

export type Permission = (typeof owner)[number];
export const PERMISSIONS: readonly Permission[] = owner;
export const ROLE_PERMISSIONS: Record<Role, readonly Permission[]> = { viewer, developer, admin, owner };

const name = (description: string) =>
  Type.String({ minLength: 1, maxLength: LIMITS.maxNameLength, description });
const role = (description: string) => OneOf(ROLES, { description });

export const Organization = Closed({
  organizationId: text("The id of the workspace."),
  name: text("The name of the workspace."),
  role: role("Your role in the workspace."),
});
export const OrganizationList = Closed({
  organizations: Type.Array(Organization, { description: "The workspaces." }),
  nextCursor: NextCursor,
});
export const CreateOrganizationBody = Closed({ name: name("The name of the workspace.") });

export const Permissions = Closed({
  organizationId: text("The id of the workspace."),
  userId: text("Your user id."),
  role: role("Your role in the workspace."),
  permissions: Type.Array(OneOf(PERMISSIONS), { description: "What you may do in the workspace." }),
});

/** A service account is what programs act as: it belongs to one workspace, and nobody signs in as it. */
const MEMBER_KINDS = ["person", "service_account"] as const;
/**
 * The actor of an entry: a person who signed in, a token, a service account, the holder of a share link, the command line, a stranger who
 * failed to sign in, or the service itself.
 */
const ACTOR_KINDS = [...MEMBER_KINDS, "token", "shared_link", "command_line", "stranger", "system"] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

export const Member = Closed({
  userId: text("The id of the person or service account."),
  kind: OneOf(MEMBER_KINDS, { description: "A person, or a service account of the workspace." }),
  name: textOrNull("The name of the member."),
  email: textOrNull("The confirmed email address of the person; null: none."),
  role: role("The role of the member in the workspace."),
  createdAt: time("When the person joined, or the service account was created."),
});
export type Member = Static<typeof Member>;
export const MemberList = Closed({
  members: Type.Array(Member, { description: "The members of this page." }),
  nextCursor: NextCursor,
});
export const AddMemberBody = Closed({
  organizationId: OrganizationId,
  userId: Type.Optional(Nullable(id("Refused: a person becomes a member by accepting an invitation."))),
  name: name("What the service account is for, such as Deployment."),
  role: role("The role of the service account. It cannot be above your own."),
});
const InBodyOrQuery = Type.Optional(id("The id of the workspace. It is required here or in the query."));
export const UpdateMemberBody = Closed({ organizationId: InBodyOrQuery, role: role("The new role.") });
export const OrganizationBody = Closed({ organizationId: InBodyOrQuery });
export const RemovedMember = Closed({
  userId: text("The id of the user."),
  removedAt: time("When the member was removed."),
});

/** The scopes of a token for one source. `stats`: read its stats. `ingest`: send its events from a server. */
export const TOKEN_SCOPES = ["stats", "ingest"] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

const tokenFields = {
  tokenId: text("The id of the token."),
  hint: text("The last four characters of the token."),
  label: text("What the token is for."),
  userId: text(
    "The person or service account that the token acts for. For a token of a source: who made it.",
  ),
  expiresAt: timeOrNull("When the token expires; null: never."),
  createdAt: time("When the token was created."),
};
export const Token = Closed({
  ...tokenFields,
  organizationId: Nullable(
    Type.String({
      description: "The workspace that the token can access. null: all workspaces of its user.",
    }),
  ),
  ceiling: Nullable(
    OneOf(ROLES, {
      description: "The token has at most the permissions of this role. null: those of its user.",
    }),
  ),
  sourceId: Nullable(
    Type.String({
      description: "The token can only do what its scope says, for this source. null: it has no such limit.",
    }),
  ),
  scope: Nullable(
    OneOf([...TOKEN_SCOPES, "console"], {
      description:
        "`stats`: read the stats of the source. `ingest`: send its events. `console`: made by a sign-in link, with all permissions of its user. null: no limit.",
    }),
  ),
  hasPassword: flag("The token belongs to a share link that has a password."),
  lastUsedAt: timeOrNull("When the token was last used; null: never."),
  revokedAt: timeOrNull("When the token was revoked; null: it was not."),
});
export type Token = Static<typeof Token>;
export const TokenList = Closed({
  tokens: Type.Array(Token, { description: "The tokens of this page." }),
  nextCursor: NextCursor,
});
export const CreateTokenBody = Closed({
  organizationId: OrganizationId,
  userId: Type.Optional(
    Nullable(
      id("The service account that the token acts for. Default: you. Nobody can name another person."),
    ),
  ),
  label: name("What the token is for."),
  expiresAt: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: 40,
        format: "date-time",
        description: "When the token expires, an ISO 8601 date-time in the future. Default: never.",
      }),
    ),
  ),
  allWorkspaces: Type.Optional(
    Type.Boolean({
      description: "The token can access all your workspaces. Only a person who is signed in can create it.",
    }),
  ),
  sourceId: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: "The token can only do what its scope says, for this source.",
      }),
    ),
  ),
  scope: Type.Optional(
    Nullable(
      OneOf(TOKEN_SCOPES, {
        description:
          "What the token can do for its source. `stats` (default): read its stats. `ingest`: send events. Needs `sourceId`.",
      }),
    ),
  ),
  password: Type.Optional(
    Nullable(
      Type.String({
        minLength: LIMITS.minPasswordLength,
        maxLength: LIMITS.maxPasswordLength,
        description:
          "The token reads stats only together with this password (see POST /api/stats/unlock). Needs `sourceId` and the `stats` scope.",
      }),
    ),
  ),
});
export type CreateTokenBody = Static<typeof CreateTokenBody>;
/** The only response that contains the token itself. */
export const CreatedToken = Closed({
  ...tokenFields,
  token: text("The token itself. It is shown only here: store it now."),
});
export const RevokedToken = Closed({
  tokenId: text("The id of the token."),
  revokedAt: time("When the token was revoked."),
});

export const AuditEntry = Closed({
  auditId: text("The id of the entry."),
  at: time("When the change was made."),
  actor: OneOf(ACTOR_KINDS, {
    description:
      "What made the change: a person who was signed in, a `token` that a person made, a service account, the holder of a share link, the command line, someone who failed to sign in (`stranger`), or the service itself.",
  }),
  userId: textOrNull(
    "Who made the change; null: the service itself, the holder of a share link or a stranger.",
  ),
  tokenId: textOrNull("The token that was used; null: none."),
  action: text("What was done, such as `source.updated`."),
  target: text("The id of what was changed."),
  before: Type.Unknown({ description: "The values before the change." }),
  after: Type.Unknown({ description: "The values after the change." }),
});
export type AuditEntry = Static<typeof AuditEntry>;
export const AuditList = Closed({
  entries: Type.Array(AuditEntry, { description: "The entries of this page, newest first." }),
  nextCursor: NextCursor,
});

const step = (description: string) =>
  Closed(
    { done: flag("The step is done."), at: timeOrNull("When it was done; null: it is not.") },
    { description },
  );
export const Onboarding = Closed({
  organizationId: text("The id of the workspace."),
  steps: Closed(
    {
      sourceCreated: step("A source was created."),
      firstBootstrap: step("A page opened a session."),
      firstAcceptedEvent: step("An event was accepted."),
    },
    { description: "The steps, computed from the data of the workspace." },
  ),
  completed: flag("Onboarding was marked as completed."),
  completedAt: timeOrNull("When it was marked; null: it was not."),
});
export const CompleteOnboardingBody = Closed({ organizationId: OrganizationId });

const day = (description: string) => Type.String({ format: "date", description });
const ACCEPTED = "Events that were accepted.";
const BOOTSTRAPS = "Successful bootstraps.";
const Bytes = count("Decompressed bytes of the bodies of requests that stored something.");

export const Usage = Closed({
  organizationId: text("The id of the workspace."),
  from: day("The first day, in UTC."),
  to: day("The last day, in UTC."),
  accepted: count(ACCEPTED),
  bootstraps: count(BOOTSTRAPS),
  bytes: Bytes,
  days: Type.Array(
    Closed({
      sourceId: text("The id of the source."),
      day: day("The day, in UTC."),
      accepted: count(ACCEPTED),
      bootstraps: count(BOOTSTRAPS),
      bytes: Bytes,
    }),
    { description: "The counts of each source and day that has any." },
  ),
});

export const Billing = Closed({
  organizationId: text("The id of the workspace."),
  plan: Type.Literal("self-hosted", { description: "The plan." }),
  limits: Closed(
    {
      sources: count("The maximum number of sources."),
      acceptedEvents: Nullable(Count, { description: "The maximum number of events; null: there is none." }),
      eventsPerDay: Nullable(Count, { description: "Accepted events a UTC day; null: no limit." }),
      bytesPerDay: Nullable(Count, { description: "Stored bytes a UTC day; null: no limit." }),
    },
    { description: "What the plan allows." },
  ),
  period: Closed(
    { from: day("The first day, in UTC."), to: day("The last day, in UTC.") },
    { description: "This month." },
  ),
  usage: Closed(
    {
      accepted: count(ACCEPTED),
      bootstraps: count(BOOTSTRAPS),
      bytes: Bytes,
      sources: count("Sources now."),
    },
    { description: "The usage of the period." },
  ),
});

export const Support = Closed({
  organizationId: text("The id of the workspace."),
  version: text("The version of the service."),
  commit: Nullable(text("The commit that it was built from. null: neither the release nor git has it.")),
  isModified: flag("Files differ from that commit."),
  isOperator: Type.Boolean({
    description:
      "false: you are not an operator, so the settings and the details of the machine are left out.",
  }),
  settings: Type.Record(Type.String(), Type.Unknown(), {
    description:
      "The settings of the service, without secrets and file paths. Empty unless you are an operator.",
  }),
  changedSettings: Type.Array(Type.String(), {
    description:
      "The names of the settings that are not at their defaults. Empty unless you are an operator.",
  }),
  health: Closed(
    {
      ready: flag("The service is ready."),
      problems: Type.Array(Type.String(), { description: "What is wrong." }),
    },
    { description: "The health of the service." },
  ),
  bundle: Type.Record(Type.String(), Type.Unknown(), {
    description: "Facts to attach to a report of a problem.",
  }),
});

export const SignOut = Closed({
  revoked: flag("Whether a token was revoked. false: it was not made by a sign-in link."),
});
export const SignInBody = Closed({
  code: id("The code in the sign-in link that `headwater sign-in` or the first start prints."),
});

export const Health = Closed({ status: Type.Literal("ok", { description: "The process runs." }) });
/**
 * The state of the warehouse does not affect readiness: accepted events wait in the ledger. `incomplete`: it is up, but
 * events that were shipped to it are missing or cannot be read.
 */
export const Readiness = Closed({
  status: Type.Literal("ready", { description: "The service accepts requests." }),
  warehouse: Closed(
    {
      state: OneOf(["off", "elsewhere", "starting", "up", "incomplete", "down"], {
        description:
          "`elsewhere`: another node has it. `incomplete`: it is up, but events that were shipped to it are missing.",
      }),
      missingEvents: count("Events that were shipped to it and are missing."),
      waitingEvents: count("Accepted events that are not in it yet."),
      lagSeconds: Type.Number({ description: "The age of the oldest of them." }),
      failedRollups: count(
        "Rollups (one per source and day) that could not be built. They are retried. Until then, stats of those days take longer.",
      ),
      problems: Type.Array(Type.String(), {
        description:
          "What is wrong inside it although it answers, in sentences for the operator: merges that fail, mutations that make no progress, too many parts, detached parts.",
      }),
    },
    { description: "The state of the warehouse. It does not affect readiness." },
  ),
  clock: Closed(
    {
      state: OneOf(["trusted", "jumped"], {
        description:
          "`jumped`: the clock has jumped by more than a day, and nothing is deleted by the new time.",
      }),
      jumpSeconds: Type.Number({
        description: "How far it has jumped ahead (negative: back); 0 if it has not.",
      }),
    },
    { description: "Whether deletions by age trust the clock. It does not affect readiness." },
  ),
});
