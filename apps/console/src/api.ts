/** The API, typed by the contract's table of operations; the schemas themselves stay out of what browsers load. */
import type { Issue, OPERATIONS, OperationId } from "@headwater/contract";
import type { Static, TSchema } from "typebox";
import { session } from "./session.ts";

type Entry<Id extends OperationId> = Extract<(typeof OPERATIONS)[number], { id: Id }>;
type Of<Id extends OperationId, Field extends string> =
  Entry<Id> extends { [F in Field]: infer S extends TSchema } ? Static<S> : undefined;

/** Each is held against the table by its type. */
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
} as const satisfies { [Id in OperationId]?: `${Entry<Id>["method"]} ${Entry<Id>["path"]}` };

export type Asked = keyof typeof ROUTES;
export type Answer<Id extends Asked> = Of<Id, "answer">;

export interface Ask<Id extends Asked> {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Of<Id, "query">;
  readonly body?: Of<Id, "body">;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** One that is tried, instead of the one that this tab is signed in with. */
  readonly token?: string;
}

/** A refusal in the service's own words; `unreachable` when none came. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string;
  readonly retryable: boolean;
  readonly requestId: string | null;
  readonly issues: readonly Issue[];

  constructor(status: number, failure: Partial<Omit<ApiError, "status">>) {
    super(failure.message ?? "The service gave an answer that cannot be read.");
    this.status = status;
    this.code = failure.code ?? "unreadable";
    this.hint = failure.hint ?? "";
    this.retryable = failure.retryable ?? false;
    this.requestId = failure.requestId ?? null;
    this.issues = failure.issues ?? [];
  }

  /** What is wrong with one field of the body that was sent. */
  issueAt(...path: (string | number)[]): string | null {
    return this.issues.find((issue) => issue.path.join() === path.join())?.message ?? null;
  }
}

const configured = document.querySelector<HTMLMetaElement>('meta[name="headwater-api"]')?.content ?? "";
/** Where the API is. */
export const API_BASE = configured === "" ? document.baseURI : configured;

function addressOf(id: Asked, params: Readonly<Record<string, string>>, query: object): URL {
  const path = ROUTES[id]
    .split(" ")[1]!
    .replace(/:(\w+)/g, (_, name) => encodeURIComponent(params[name] ?? ""));
  const url = new URL(path.slice(1), API_BASE.endsWith("/") ? API_BASE : `${API_BASE}/`);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") url.searchParams.set(name, String(value));
  }
  return url;
}

let whenSignedOut: () => void = () => undefined;
/** Told when the service knows this tab's token no longer. */
export const onSignedOut = (listener: () => void): void => {
  whenSignedOut = listener;
};

const UNREACHABLE = {
  code: "unreachable",
  message: "The service cannot be reached.",
  hint: "Check that it runs and that this machine is online; what you did was perhaps not done.",
  retryable: true,
};
/** Said by what stands before the service, in words of its own. */
const AWAY = [502, 503, 504];

async function failureOf(response: Response): Promise<ApiError> {
  const { status } = response;
  const failure = await response.json().catch(() => (AWAY.includes(status) ? UNREACHABLE : {}));
  return new ApiError(status, failure as Partial<ApiError>);
}

/** @throws ApiError on every answer that is no success, and when there is none */
export async function ask<Id extends Asked>(id: Id, asked: Ask<Id> = {}): Promise<Response> {
  const { params = {}, query = {}, body, signal } = asked;
  const token = asked.token ?? session.token();
  const headers: Record<string, string> = { ...asked.headers };
  if (token !== null && id !== "signIn") headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const request: RequestInit = { method: ROUTES[id].split(" ")[0]!, headers };
  if (signal) request.signal = signal;
  if (body !== undefined) request.body = JSON.stringify(body);
  const response = await fetch(addressOf(id, params, query as object), request).catch((error: Error) => {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, UNREACHABLE);
  });
  if (response.ok) return response;
  const error = await failureOf(response);
  if (error.status === 401 && token !== null && token === session.token()) whenSignedOut();
  throw error;
}

/** @throws ApiError as `ask` does, and when the answer breaks off */
export async function callApi<Id extends Asked>(id: Id, asked: Ask<Id> = {}): Promise<Answer<Id>> {
  const response = await ask(id, asked);
  return response.json().catch((error: Error) => {
    throw error.name === "AbortError" ? error : new ApiError(response.status, {});
  });
}
