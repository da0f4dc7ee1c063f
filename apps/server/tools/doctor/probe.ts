/**
 * Asks a service what it would tell the page. The request is a bootstrap without what a bootstrap must have: where key,
 * source and origin are right the answer is 422, so no session is opened and nothing is counted; the debug view shows
 * the attempt under the version `headwater-doctor`.
 */
import { SERVER_LIMITS } from "../../src/core/limits.ts";
import type { Reach, Service } from "../../src/doctor/evidence.ts";
import { type Ask, USER_AGENT } from "./ask.ts";
import { networkProblem, readBounded } from "./visit.ts";

export interface Probe {
  /** As the service has it; null: it did not say. */
  readonly keyState: "current" | "retired" | "unknown" | null;
  readonly isActive: boolean | null;
  readonly isOriginAllowed: boolean | null;
  readonly apiProblem: string | null;
  readonly isBusy: boolean;
  readonly corsProblem: string | null;
  readonly clockAheadMs: number | null;
}

const NOTHING = { keyState: null, isActive: null, isOriginAllowed: null } as const;

/** What each refusal says of the checks before it: key, source, origin, shape. */
const TOLD: Readonly<
  Record<string, Pick<Service, "isActive" | "isOriginAllowed"> & Pick<Probe, "keyState">>
> = {
  unknown_public_key: { ...NOTHING, keyState: "unknown" },
  rotated_public_key: { ...NOTHING, keyState: "retired" },
  source_inactive: { keyState: "current", isActive: false, isOriginAllowed: null },
  origin_not_allowed: { keyState: "current", isActive: true, isOriginAllowed: false },
  origin_missing: { keyState: "current", isActive: true, isOriginAllowed: false },
  invalid_payload: { keyState: "current", isActive: true, isOriginAllowed: true },
};

/** It is up, and takes nothing just now. */
const BUSY = [429, 503];

const letsIn = (response: Response, origin: string): boolean =>
  [origin, "*"].includes(response.headers.get("access-control-allow-origin") ?? "");

async function preflightProblem(url: string, origin: string, ask: Ask): Promise<string | null> {
  const headers = {
    Origin: origin,
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "content-type",
  };
  const response = await ask(url, { method: "OPTIONS", headers });
  await response.body?.cancel();
  if (!response.ok) return `The preflight (OPTIONS ${url}) is answered ${response.status}`;
  const allowed = response.headers.get("access-control-allow-headers")?.toLowerCase() ?? "";
  const letsHeader = allowed === "*" || allowed.includes("content-type");
  return letsIn(response, origin) && letsHeader
    ? null
    : `The preflight (OPTIONS ${url}) does not let ${origin} in`;
}

async function readCode(response: Response): Promise<string | null> {
  try {
    const text = await readBounded(response, SERVER_LIMITS.doctorPageBytes);
    const body = JSON.parse(text ?? "null") as { code?: unknown; requestId?: unknown } | null;
    return typeof body?.code === "string" && typeof body.requestId === "string" ? body.code : null;
  } catch {
    return null;
  }
}

/** From the response's own `Date`, which tells seconds: half of one is added, and half of the time on the way. */
function clockAhead(response: Response, sentAt: number, now: number): number | null {
  const date = Date.parse(response.headers.get("date") ?? "");
  return Number.isNaN(date) ? null : Math.round((sentAt + now) / 2 - (date + 500));
}

/** @param clock milliseconds since the epoch, of this machine */
export async function probe(
  apiBaseUrl: string,
  publicKey: string,
  origin: string,
  clock: () => number,
  ask: Ask,
): Promise<Probe> {
  const url = `${apiBaseUrl}/api/ingest/v2/${encodeURIComponent(publicKey.toWellFormed())}/bootstrap`;
  try {
    const preflight = await preflightProblem(url, origin, ask);
    const sentAt = clock();
    const headers = { Origin: origin, "Content-Type": "text/plain" };
    const body = JSON.stringify({ ingestVersion: 2, sdkVersion: USER_AGENT });
    const response = await ask(url, { method: "POST", headers, body });
    const clockAheadMs = clockAhead(response, sentAt, clock());
    const code = await readCode(response);
    const told = code === null ? undefined : TOLD[code];
    const apiProblem = told
      ? null
      : `answers ${response.status}${code === null ? ", but not as Headwater does" : ` ${code}`}`;
    const answer = letsIn(response, origin) ? null : `The answer does not let ${origin} read it`;
    const isBusy = BUSY.includes(response.status);
    return { ...NOTHING, ...told, apiProblem, isBusy, corsProblem: preflight ?? answer, clockAheadMs };
  } catch (error) {
    const apiProblem = networkProblem(error);
    return { ...NOTHING, apiProblem, isBusy: false, corsProblem: null, clockAheadMs: null };
  }
}

/** Whether the client's script is there, and is one. */
export async function scriptProblem(url: string, ask: Ask): Promise<string | null> {
  try {
    const response = await ask(url);
    await response.body?.cancel();
    if (!response.ok) return `answers ${response.status}`;
    const type = response.headers.get("content-type") ?? "no type";
    return /javascript/.test(type) ? null : `is ${type}, and no script`;
  } catch (error) {
    return networkProblem(error);
  }
}

export const asReach = ({ apiProblem, isBusy, corsProblem }: Probe, script: string | null): Reach => ({
  wasAsked: true,
  isBusy,
  scriptProblem: script,
  apiProblem,
  corsProblem,
});
