/** Derives the expected answers of the isolation matrix from the contract, independently of the code. */
import { type Access, OPERATIONS, type Operation, type Permission, type Role } from "@headwater/contract";

// repeats docs/api/access.md
const VIEWER: Permission[] = ["sources:read", "stats:read"];
const DEVELOPER: Permission[] = [...VIEWER, "sources:write", "debug:read", "export:read"];
const ADMIN: Permission[] = [
  ...DEVELOPER,
  ...([
    "sources:admin",
    "members:manage",
    "tokens:manage",
    "audit:read",
    "usage:read",
    "support:read",
    "visitors:erase",
  ] as const),
];
const MAY: Record<Role, Permission[]> = { viewer: VIEWER, developer: DEVELOPER, admin: ADMIN, owner: ADMIN };
export const ROLES = Object.keys(MAY) as Role[];

export interface Tenant {
  organizationId: string;
  sourceId: string;
  userId: string;
  tokenId: string;
  receiptId: string;
  invitationId: string;
}

export interface TenantCaller {
  name: string;
  token: string | null;
  /** The 401 code that this caller always gets. Absent: its token is valid. */
  refusal?: "missing_token" | "invalid_token" | "expired_token" | "revoked_token";
  /** The caller's role in each of the two workspaces, limited by the token. */
  own?: Role;
  foreign?: Role;
  /** Whether the caller signed in. */
  isPerson?: true;
  /** A token of a source: what it can do, and whether it is the first tenant's source or another one of that workspace. */
  scope?: "stats" | "locked stats" | "ingest";
  isOfOther?: true;
}

/**
 * Who may call each operation, stated once more than in the table: a change of the table's access fails here. Operations that
 * are public, or for everyone with a public key, have tests of their own.
 */
const STATED: Partial<Record<Access, string>> = {
  person:
    "getProfile updateProfile requestEmail confirmEmail listSessions endSession listPasskeys startPasskey addPasskey removePasskey joinWorkspace createOrganization",
  token: "listOrganizations signOut rememberSignIn mcp",
  member: "getPermissions listSavedItems createSavedItem deleteSavedItem",
  "sources:read":
    "listSources getSource getInstall verifyInstall getDelivery listAlerts getPlan listPlanVersions previewReport getOnboarding",
  "stats:read":
    "queryStats queryFunnel queryRetention queryPaths queryProperties getStatsSource getLive getHostSplit",
  "sources:write":
    "createSource updateSource testInstall savePlan completeOnboarding listReports createReport deleteReport sendReport startReplay stopReplay resumeReplay",
  "debug:read":
    "getDebug streamDebug getQuarantine listKeptEvents testReplay listReplays getReplay getEventCatalog proposePlan",
  "export:read": "exportEvents listEvents queryVisits",
  "sources:admin": "deleteSource regenerateKey restoreKey",
  "members:manage":
    "listMembers addMember updateMember removeMember listInvitations createInvitation revokeInvitation",
  "tokens:manage": "listTokens createToken revokeToken",
  "audit:read": "listAudit",
  "usage:read": "getUsage getBilling",
  "support:read": "getSupport",
  "visitors:erase": "eraseVisitor getErasure",
};

/** Operations of the table that this file does not state, or states otherwise. */
export function unstated(operations: readonly Operation[]): string[] {
  const stated = new Map(
    Object.entries(STATED).flatMap(([access, ids]) => ids.split(" ").map((id) => [id, access])),
  );
  const guarded = operations.filter(({ access }) => access !== "public" && access !== "public-key");
  return guarded.filter(({ id, access }) => stated.get(id) !== access || !ROWS[id]).map(({ id }) => id);
}

/** What each operation needs beside its workspace and source. The test fails for an operation that is missing here. */
export const ROWS: Record<
  string,
  (tenant: Tenant) => {
    body?: object;
    params?: Record<string, string>;
    query?: Record<string, string>;
    notOk?: string;
  }
> = {
  listSources: () => ({}),
  createSource: () => ({ body: { name: "New" } }),
  getSource: () => ({}),
  updateSource: () => ({ body: { name: "Renamed" } }),
  deleteSource: () => ({}),
  regenerateKey: () => ({}),
  restoreKey: () => ({ body: { publicKey: "pk_none", gracePeriodSeconds: 60 }, notOk: "key_not_retired" }),
  getEventCatalog: () => ({}),
  getPlan: () => ({}),
  savePlan: () => ({ body: { plan: { mode: "warn", unknownEvents: "allow", events: {} } } }),
  listPlanVersions: () => ({}),
  proposePlan: () => ({}),
  listSavedItems: () => ({}),
  createSavedItem: () => ({ body: { kind: "annotation", name: "Launch", day: "2026-11-21" } }),
  deleteSavedItem: () => ({ params: { savedId: "sav_none" }, notOk: "saved_item_not_found" }),
  listReports: () => ({}),
  createReport: () => ({
    body: { period: "week", channel: "slack", target: "https://hooks.slack.com/services/none" },
  }),
  deleteReport: () => ({ params: { reportId: "rep_none" }, notOk: "report_not_found" }),
  sendReport: () => ({ params: { reportId: "rep_none" }, notOk: "report_not_found" }),
  previewReport: () => ({ query: { period: "week" }, notOk: "warehouse_off" }),
  getInstall: () => ({}),
  verifyInstall: () => ({
    body: {
      report: {
        url: "https://shop.example/",
        snippets: [],
        policies: [],
        script: "unknown",
        request: null,
        sentAt: "2026-11-21T12:00:00.000Z",
      },
    },
  }),
  // an address that is not requested
  testInstall: () => ({ body: { url: "http://10.0.0.1/" } }),
  getDebug: () => ({}),
  streamDebug: () => ({}),
  getQuarantine: () => ({}),
  listKeptEvents: () => ({}),
  testReplay: () => ({ body: {} }),
  startReplay: () => ({ body: {} }),
  listReplays: () => ({}),
  getReplay: () => ({ params: { replayId: "rpl_unknown" }, notOk: "replay_not_found" }),
  stopReplay: () => ({ params: { replayId: "rpl_unknown" }, notOk: "replay_not_found" }),
  resumeReplay: () => ({ params: { replayId: "rpl_unknown" }, notOk: "replay_not_found" }),
  queryStats: () => ({ body: { dateRange: "7d", metrics: ["visitors"] }, notOk: "warehouse_off" }),
  queryFunnel: () => ({
    body: { dateRange: "7d", steps: [{ event: "a" }, { page: "/b" }] },
    notOk: "warehouse_off",
  }),
  queryRetention: () => ({ body: { dateRange: "30d", period: "week" }, notOk: "warehouse_off" }),
  queryPaths: () => ({ body: { dateRange: "7d" }, notOk: "warehouse_off" }),
  queryProperties: () => ({ body: { dateRange: "7d" }, notOk: "warehouse_off" }),
  queryVisits: () => ({ body: { dateRange: "7d" }, notOk: "warehouse_off" }),
  exportEvents: () => ({}),
  // the id of a session is in the query
  listEvents: () => ({ notOk: "invalid_payload" }),
  getStatsSource: () => ({}),
  getLive: () => ({ notOk: "warehouse_off" }),
  getHostSplit: () => ({ notOk: "warehouse_off" }),
  getDelivery: () => ({ notOk: "warehouse_off" }),
  listAlerts: () => ({}),
  getPermissions: () => ({}),
  listMembers: () => ({}),
  addMember: () => ({ body: { role: "viewer", name: "Account" } }),
  updateMember: ({ userId }) => ({ body: { role: "viewer" }, params: { userId } }),
  removeMember: ({ userId }) => ({ params: { userId } }),
  listTokens: () => ({}),
  createToken: () => ({ body: { label: "New" } }),
  revokeToken: ({ tokenId }) => ({ params: { tokenId } }),
  listAudit: () => ({}),
  eraseVisitor: () => ({ body: { anonymousId: "visitor-1" } }),
  getErasure: ({ receiptId }) => ({ params: { receiptId } }),
  getOnboarding: () => ({}),
  completeOnboarding: () => ({}),
  getUsage: () => ({}),
  getBilling: () => ({}),
  getSupport: () => ({}),
  listInvitations: () => ({}),
  createInvitation: () => ({ body: { role: "viewer" } }),
  revokeInvitation: ({ invitationId }) => ({ params: { invitationId } }),
  getProfile: () => ({}),
  updateProfile: () => ({ body: { theme: "dark" } }),
  requestEmail: () => ({ body: { email: "ada@shop.example" }, notOk: "mail_unavailable" }),
  confirmEmail: () => ({ body: { code: "none" }, notOk: "invalid_code" }),
  listSessions: () => ({}),
  endSession: ({ tokenId }) => ({ params: { tokenId }, notOk: "token_not_found" }),
  listPasskeys: () => ({}),
  // a console without a host name
  startPasskey: () => ({ notOk: "passkey_refused" }),
  addPasskey: () => ({
    body: {
      name: "Laptop",
      credential: { id: "bm9uZQ", response: { clientDataJSON: "bm9uZQ", attestationObject: "bm9uZQ" } },
    },
    notOk: "passkey_refused",
  }),
  removePasskey: () => ({ params: { passkeyId: "pky_none" } }),
  joinWorkspace: () => ({ body: { code: "none" }, notOk: "invalid_code" }),
  listOrganizations: () => ({}),
  signOut: () => ({}),
  // only pages of the console can
  rememberSignIn: () => ({ notOk: "permission_denied" }),
  createOrganization: () => ({ body: { name: "New" } }),
  mcp: () => ({ body: { jsonrpc: "2.0", id: 1, method: "tools/list" } }),
};

export const WORKSPACE = (OPERATIONS as readonly Operation[]).filter(
  ({ access }) => access !== "public" && access !== "public-key",
);
export const inBody = ({ organization }: Operation) =>
  organization === "body" || organization === "optional-body";
const isOptional = ({ organization }: Operation) => organization?.startsWith("optional") ?? false;

/** The workspace and the source of a request: `own` is the first tenant's, `foreign` the second's. */
export interface Aim {
  organization: "own" | "foreign" | "none" | "unknown";
  source: "own" | "foreign" | "unknown";
}

export function aimsOf(operation: Operation): Aim[] {
  const named: Aim["organization"][] = operation.organization ? ["own", "foreign", "unknown"] : ["none"];
  const organizations = isOptional(operation) ? [...named, "none" as const] : named;
  const sources: Aim["source"][] = operation.source ? ["own", "foreign", "unknown"] : ["own"];
  return organizations.flatMap((organization) => sources.map((source) => ({ organization, source })));
}

/** Applies the checks of docs/api/conventions.md in order. Returns the code of the refusal; null: the request succeeds. */
export function oracle(operation: Operation, caller: TenantCaller, aim: Aim): string | null {
  if (caller.refusal) return caller.refusal;
  if (operation.source && aim.source === "unknown") return "source_not_found";
  const { access } = operation;
  if (!operation.source && !operation.organization) {
    if (caller.scope) return "permission_denied";
    return access === "person" && !caller.isPerson ? "permission_denied" : null;
  }
  const place = operation.source ? aim.source : aim.organization;
  const role = place === "own" ? caller.own : place === "foreign" ? caller.foreign : undefined;
  if (!role) return "not_a_member";
  if (caller.scope) {
    const isIn = caller.scope !== "ingest" && access === "stats:read" && !caller.isOfOther;
    if (!isIn) return "permission_denied";
    if (caller.scope === "locked stats") return "password_required";
  }
  if (access !== "member" && !MAY[role].includes(access as Permission)) return "permission_denied";
  // whoever accepts an invitation is a person, so no token makes one
  if (operation.id === "createInvitation" && !caller.isPerson) return "permission_denied";
  if (operation.source && aim.organization !== "none" && aim.organization !== aim.source)
    return "source_not_found";
  return null;
}
