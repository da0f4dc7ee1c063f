/** The HTTP client of the API, typed by the contract's table of operations. Only types are imported, so no schema ends up in the bundle. */
import type { Issue, OPERATIONS, OperationId } from "@headwater/contract";
import type { Static, TSchema } from "typebox";
import { session } from "./session.ts";

type ApiOperation<Id extends OperationId> = Extract<(typeof OPERATIONS)[number], { id: Id }>;
type OperationValue<Id extends OperationId, Member extends string> =
  ApiOperation<Id> extends { [F in Member]: infer S extends TSchema } ? Static<S> : undefined;

/** The method and path of each operation. `satisfies` below checks them against the contract. */
const ROUTES = {
  listSources: "GET /api/tracking-sources",
  createSource: "POST /api/tracking-sources",
  getSource: "GET /api/tracking-sources/:sourceId",
  updateSource: "PATCH /api/tracking-sources/:sourceId",
  deleteSource: "DELETE /api/tracking-sources/:sourceId",
  regenerateKey: "POST /api/tracking-sources/:sourceId/regenerate-key",
  restoreKey: "POST /api/tracking-sources/:sourceId/restore-key",
  getInstall: "GET /api/tracking-sources/:sourceId/install",
  getDebug: "GET /api/tracking-sources/:sourceId/debug",
  streamDebug: "GET /api/tracking-sources/:sourceId/debug/stream",
  listOrganizations: "GET /api/organizations",
  createOrganization: "POST /api/organizations",
  getPermissions: "GET /api/permissions",
  listMembers: "GET /api/members",
  addMember: "POST /api/members",
  updateMember: "PATCH /api/members/:userId",
  removeMember: "DELETE /api/members/:userId",
  listTokens: "GET /api/tokens",
  createToken: "POST /api/tokens",
  revokeToken: "DELETE /api/tokens/:tokenId",
  listAudit: "GET /api/audit",
  getUsage: "GET /api/usage",
  getBilling: "GET /api/billing",
  queryStats: "POST /api/stats/query",
  queryFunnel: "POST /api/stats/funnel",
  queryRetention: "POST /api/stats/retention",
  queryProperties: "POST /api/stats/properties",
  getStatsSource: "GET /api/stats/source",
  getLive: "GET /api/stats/live",
  exportEvents: "GET /api/export/events",
  eraseVisitor: "POST /api/visitors/erase",
  getErasure: "GET /api/visitors/erase/:receiptId",
  getOnboarding: "GET /api/onboarding",
  completeOnboarding: "POST /api/onboarding",
  getSupport: "GET /api/support",
  signIn: "POST /api/sign-in",
  signOut: "POST /api/sign-out",
} as const satisfies { [Id in OperationId]?: `${ApiOperation<Id>["method"]} ${ApiOperation<Id>["path"]}` };

export type ApiCall = keyof typeof ROUTES;
export type ApiResult<Id extends ApiCall> = OperationValue<Id, "answer">;

export interface ApiCallOptions<Id extends ApiCall> {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: OperationValue<Id, "query">;
  readonly body?: OperationValue<Id, "body">;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** Overrides the token of this tab. The sign-in page uses it to check a token before storing it. */
  readonly token?: string;
}

/** An error response of the API. `code` is `unreachable` when no response arrived. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string;
  readonly retryable: boolean;
  readonly requestId: string | null;
  readonly issues: readonly Issue[];

  constructor(status: number, failure: Partial<Omit<ApiError, "status">>) {
    super(failure.message ?? "The service returned an unreadable response.");
    this.status = status;
    this.code = failure.code ?? "unreadable";
    this.hint = failure.hint ?? "";
    this.retryable = failure.retryable ?? false;
    this.requestId = failure.requestId ?? null;
    this.issues = failure.issues ?? [];
  }

  /** @returns the message about one field of the request body, or null */
  issueAt(...path: (string | number)[]): string | null {
    return this.issues.find((issue) => issue.path.join() === path.join())?.message ?? null;
  }
}

const configured = document.querySelector<HTMLMetaElement>('meta[name="headwater-api"]')?.content ?? "";
/** The base URL of the API: from the `headwater-api` meta tag, or the console's own. */
export const API_BASE = configured === "" ? document.baseURI : configured;

function urlOf(id: ApiCall, params: Readonly<Record<string, string>>, query: object): URL {
  const path = ROUTES[id]
    .split(" ")[1]!
    .replace(/:(\w+)/g, (_, name) => encodeURIComponent(params[name] ?? ""));
  const url = new URL(path.slice(1), API_BASE.endsWith("/") ? API_BASE : `${API_BASE}/`);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") url.searchParams.set(name, String(value));
  }
  return url;
}

let signedOutListener: () => void = () => undefined;
/** Sets the listener that runs when the API no longer accepts this tab's token. */
export const onSignedOut = (listener: () => void): void => {
  signedOutListener = listener;
};

const UNREACHABLE = {
  code: "unreachable",
  message: "Could not reach the service.",
  hint: "Check your connection and that the service is running. Your last change may not have been saved.",
  retryable: true,
};
/** A proxy in front of the service sends these when the service is down. Their body is not JSON. */
const PROXY_STATUSES = [502, 503, 504];

async function toApiError(response: Response): Promise<ApiError> {
  const { status } = response;
  const failure = await response.json().catch(() => (PROXY_STATUSES.includes(status) ? UNREACHABLE : {}));
  return new ApiError(status, failure as Partial<ApiError>);
}

/**
 * Calls an operation and returns the raw response, for streams and files.
 * @throws ApiError for an error status, and when no response arrived
 */
export async function fetchApi<Id extends ApiCall>(
  id: Id,
  options: ApiCallOptions<Id> = {},
): Promise<Response> {
  const { params = {}, query = {}, body, signal } = options;
  const token = options.token ?? session.token();
  const headers: Record<string, string> = { ...options.headers };
  if (token !== null && id !== "signIn") headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const request: RequestInit = { method: ROUTES[id].split(" ")[0]!, headers };
  // the request survives the tab, which a person may close right after signing out
  if (id === "signOut") request.keepalive = true;
  if (signal) request.signal = signal;
  if (body !== undefined) request.body = JSON.stringify(body);
  const response = await fetch(urlOf(id, params, query as object), request).catch((error: Error) => {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, UNREACHABLE);
  });
  if (response.ok) return response;
  const error = await toApiError(response);
  if (error.status === 401 && token !== null && token === session.token()) signedOutListener();
  throw error;
}

/**
 * Calls an operation and returns its JSON.
 * @throws ApiError for an error status, when no response arrived, and when the body is incomplete
 */
export async function callApi<Id extends ApiCall>(
  id: Id,
  options: ApiCallOptions<Id> = {},
): Promise<ApiResult<Id>> {
  const response = await fetchApi(id, options);
  return response.json().catch((error: Error) => {
    throw error.name === "AbortError" ? error : new ApiError(response.status, {});
  });
}
