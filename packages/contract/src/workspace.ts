/** Workspaces: members, roles, tokens, audit log, onboarding and usage (docs/contract.md section 3). The API calls a workspace an organization. */
import Type, { type Static } from "typebox";
import { LIMITS } from "./limits.ts";
import { ROLES, type Role } from "./roles.ts";
import { Closed, Count, Id, Nullable, OneOf, Time } from "./shapes.ts";

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

const Name = Type.String({ minLength: 1, maxLength: LIMITS.maxNameLength });
const RoleName = OneOf(ROLES);

export const Organization = Closed({ organizationId: Type.String(), name: Type.String(), role: RoleName });
export const OrganizationList = Closed({
  organizations: Type.Array(Organization),
  nextCursor: Nullable(Type.String()),
});
export const CreateOrganizationBody = Closed({ name: Name });

export const Permissions = Closed({
  organizationId: Type.String(),
  userId: Type.String(),
  role: RoleName,
  permissions: Type.Array(OneOf(PERMISSIONS)),
});

export const Member = Closed({
  userId: Type.String(),
  name: Nullable(Type.String()),
  email: Nullable(Type.String()),
  role: RoleName,
  createdAt: Time,
});
export type Member = Static<typeof Member>;
export const MemberList = Closed({ members: Type.Array(Member), nextCursor: Nullable(Type.String()) });
export const AddMemberBody = Closed({
  organizationId: Id,
  userId: Type.Optional(Nullable(Id)),
  name: Type.Optional(Nullable(Name)),
  email: Type.Optional(
    Nullable(
      Type.String({
        minLength: 3,
        maxLength: 254,
        pattern: "^[^\\s@]+@[^\\s@]+$",
        description: "an e-mail address, such as name@example.com",
      }),
    ),
  ),
  role: RoleName,
});
export const UpdateMemberBody = Closed({ organizationId: Type.Optional(Id), role: RoleName });
export const RemovedMember = Closed({ userId: Type.String(), removedAt: Time });

/** What a token for one source can do. `stats`: read its stats. `ingest`: send its events from a server. */
export const TOKEN_SCOPES = ["stats", "ingest"] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

const tokenFields = {
  tokenId: Type.String(),
  hint: Type.String(),
  label: Type.String(),
  userId: Type.String(),
  expiresAt: Nullable(Time),
  createdAt: Time,
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
        "stats: read the source's stats. ingest: send its events. console: made by a sign-in link, with all permissions of its user. null: no limit.",
    }),
  ),
  lastUsedAt: Nullable(Time),
  revokedAt: Nullable(Time),
});
export type Token = Static<typeof Token>;
export const TokenList = Closed({ tokens: Type.Array(Token), nextCursor: Nullable(Type.String()) });
export const CreateTokenBody = Closed({
  organizationId: Id,
  userId: Type.Optional(Nullable(Id)),
  label: Name,
  expiresAt: Type.Optional(
    Nullable(
      Type.String({ minLength: 1, maxLength: 40, description: "An ISO 8601 date-time in the future." }),
    ),
  ),
  allWorkspaces: Type.Optional(
    Type.Boolean({
      description: "The token can access every workspace of its user. Only that user can create it.",
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
          "What the token can do for its source. stats (default): read its stats. ingest: send its events. Needs sourceId.",
      }),
    ),
  ),
});
export type CreateTokenBody = Static<typeof CreateTokenBody>;
/** The only response that contains the token itself. */
export const CreatedToken = Closed({ ...tokenFields, token: Type.String() });
export const RevokedToken = Closed({ tokenId: Type.String(), revokedAt: Time });

export const AuditEntry = Closed({
  auditId: Type.String(),
  at: Time,
  userId: Nullable(Type.String()),
  tokenId: Nullable(Type.String()),
  action: Type.String(),
  target: Type.String(),
  before: Type.Unknown({ description: "Any JSON value." }),
  after: Type.Unknown({ description: "Any JSON value." }),
});
export type AuditEntry = Static<typeof AuditEntry>;
export const AuditList = Closed({ entries: Type.Array(AuditEntry), nextCursor: Nullable(Type.String()) });

const Step = Closed({ done: Type.Boolean(), at: Nullable(Time) });
export const Onboarding = Closed({
  organizationId: Type.String(),
  steps: Closed({ sourceCreated: Step, firstBootstrap: Step, firstAcceptedEvent: Step }),
  completed: Type.Boolean(),
  completedAt: Nullable(Time),
});
export const CompleteOnboardingBody = Closed({ organizationId: Id });

const Bytes = Type.Integer({
  minimum: 0,
  description: "Decompressed bytes of the bodies of requests that stored something.",
});

export const Usage = Closed({
  organizationId: Type.String(),
  from: Type.String(),
  to: Type.String(),
  accepted: Count,
  bootstraps: Count,
  bytes: Bytes,
  days: Type.Array(
    Closed({ sourceId: Type.String(), day: Type.String(), accepted: Count, bootstraps: Count, bytes: Bytes }),
  ),
});

export const Billing = Closed({
  organizationId: Type.String(),
  plan: Type.Literal("self-hosted"),
  limits: Closed({
    sources: Count,
    acceptedEvents: Nullable(Count),
    eventsPerDay: Nullable(Count),
    bytesPerDay: Nullable(Count),
  }),
  period: Closed({ from: Type.String(), to: Type.String() }),
  usage: Closed({ accepted: Count, bootstraps: Count, bytes: Bytes, sources: Count }),
});

export const Support = Closed({
  organizationId: Type.String(),
  version: Type.String(),
  isOperator: Type.Boolean({
    description: "false: you are no operator, so the settings and the details of the machine are left out.",
  }),
  settings: Type.Record(Type.String(), Type.Unknown()),
  health: Closed({ ready: Type.Boolean(), problems: Type.Array(Type.String()) }),
  bundle: Type.Record(Type.String(), Type.Unknown()),
});

export const SignOut = Closed({
  revoked: Type.Boolean({
    description: "Whether a token was revoked. false: it was not made by a sign-in link.",
  }),
});
export const SignInBody = Closed({ code: Type.String({ minLength: 1, maxLength: 200 }) });

export const Health = Closed({ status: Type.Literal("ok") });
/**
 * The state of the warehouse does not affect readiness: accepted events wait in the ledger. `incomplete`: it is up, but
 * events that were shipped to it are missing or cannot be read.
 */
export const Readiness = Closed({
  status: Type.Literal("ready"),
  warehouse: Closed({
    state: OneOf(["off", "starting", "up", "incomplete", "down"]),
    missingEvents: Count,
    waitingEvents: Count,
    lagSeconds: Type.Number(),
  }),
});
