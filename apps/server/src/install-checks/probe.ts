/**
 * Asks the service as a page would. The request is a bootstrap that lacks required members: when key, source and origin
 * are right the answer is 422, so no session is opened and nothing is counted. The debug view shows the attempt with
 * the outcome `test`.
 */
import { TEST_AGENT } from "@headwater/contract/attempts";
import type { ServiceEvidence, ServiceProbe } from "./evidence.ts";
import { describeNetworkError, readBody } from "./fetch-page.ts";
import type { SendRequest } from "./send-request.ts";

/** The most that is read of the service's answer to the doctor. */
const DOCTOR_ANSWER_BYTES = 65_536;

/** The facts in the answer about key, source and origin; null: it does not say. */
interface CheckedByService extends Pick<ServiceEvidence, "isActive" | "isOriginAllowed"> {
  readonly keyState: "current" | "retired" | "unknown" | null;
}
interface ApiProbe extends CheckedByService {
  /** Why the API does not work, as the end of a sentence; null: it works. */
  readonly apiProblem: string | null;
  readonly isBusy: boolean;
  readonly corsProblem: string | null;
  readonly clockAheadMs: number | null;
  /** When the key stops working, because a newer one has replaced it. */
  readonly keyEndsAt: number | null;
}

const NOT_SAID: CheckedByService = { keyState: null, isActive: null, isOriginAllowed: null };

/** The service checks key, source, origin and shape in this order, so a refusal says that the checks before it passed. */
const BY_REFUSAL: Readonly<Record<string, CheckedByService>> = {
  unknown_public_key: { ...NOT_SAID, keyState: "unknown" },
  rotated_public_key: { ...NOT_SAID, keyState: "retired" },
  source_inactive: { keyState: "current", isActive: false, isOriginAllowed: null },
  origin_not_allowed: { keyState: "current", isActive: true, isOriginAllowed: false },
  origin_missing: { keyState: "current", isActive: true, isOriginAllowed: false },
  invalid_payload: { keyState: "current", isActive: true, isOriginAllowed: true },
};

/** The service is running and refuses requests for the moment. */
const BUSY_STATUS = [429, 503];

const allowsOrigin = (response: Response, origin: string): boolean =>
  [origin, "*"].includes(response.headers.get("access-control-allow-origin") ?? "");

async function checkPreflight(url: string, origin: string, send: SendRequest): Promise<string | null> {
  const headers = {
    Origin: origin,
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "content-type",
  };
  const response = await send(url, { method: "OPTIONS", headers });
  await response.body?.cancel();
  if (!response.ok) return `The preflight request (OPTIONS ${url}) gets a ${response.status} response`;
  const allowed = response.headers.get("access-control-allow-headers")?.toLowerCase() ?? "";
  const allowsHeader = allowed === "*" || allowed.includes("content-type");
  return allowsOrigin(response, origin) && allowsHeader
    ? null
    : `The CORS headers of the preflight response (OPTIONS ${url}) do not allow ${origin}`;
}

/** @returns the error code; null: the answer is not one of Headwater's */
async function readErrorCode(response: Response): Promise<string | null> {
  try {
    const text = await readBody(response, DOCTOR_ANSWER_BYTES);
    const body: unknown = JSON.parse(text ?? "null");
    if (!(body instanceof Object && "code" in body && "requestId" in body)) return null;
    return typeof body.code === "string" && typeof body.requestId === "string" ? body.code : null;
  } catch {
    return null;
  }
}

/** Compares with the header `Date`, which has whole seconds: half a second and half of the round trip are added. */
function readClockAhead(response: Response, sentAt: number, receivedAt: number): number | null {
  const date = Date.parse(response.headers.get("date") ?? "");
  return Number.isNaN(date) ? null : Math.round((sentAt + receivedAt) / 2 - (date + 500));
}

function readSunset(response: Response): number | null {
  const endsAt = Date.parse(response.headers.get("sunset") ?? "");
  return Number.isNaN(endsAt) ? null : endsAt;
}

interface ApiProbeOptions {
  readonly apiBaseUrl: string;
  readonly publicKey: string;
  /** The page's origin. */
  readonly origin: string;
  /** Milliseconds since the epoch, of this machine. */
  readonly clock: () => number;
  readonly send: SendRequest;
}

export async function probeApi(options: ApiProbeOptions): Promise<ApiProbe> {
  const { apiBaseUrl, publicKey, origin, clock, send } = options;
  const url = `${apiBaseUrl}/api/ingest/v2/${encodeURIComponent(publicKey.toWellFormed())}/bootstrap`;
  try {
    const preflightProblem = await checkPreflight(url, origin, send);
    const sentAt = clock();
    const headers = { Origin: origin, "Content-Type": "text/plain" };
    const body = JSON.stringify({ ingestVersion: 2, sdkVersion: TEST_AGENT });
    const response = await send(url, { method: "POST", headers, body });
    const clockAheadMs = readClockAhead(response, sentAt, clock());
    const code = await readErrorCode(response);
    const known = code === null ? undefined : BY_REFUSAL[code];
    const otherAnswer = code === null ? ", not as Headwater does" : ` ${code}`;
    const answerProblem = allowsOrigin(response, origin)
      ? null
      : `The response's CORS headers do not allow ${origin}`;
    return {
      ...(known ?? NOT_SAID),
      apiProblem: known ? null : `responds with ${response.status}${otherAnswer}`,
      isBusy: BUSY_STATUS.includes(response.status),
      corsProblem: preflightProblem ?? answerProblem,
      clockAheadMs,
      keyEndsAt: readSunset(response),
    };
  } catch (error) {
    const apiProblem = describeNetworkError(error);
    return { ...NOT_SAID, apiProblem, isBusy: false, corsProblem: null, clockAheadMs: null, keyEndsAt: null };
  }
}

/** @returns why the client's script cannot be loaded, as the end of a sentence; null: it can */
export async function probeScript(url: string, send: SendRequest): Promise<string | null> {
  try {
    const response = await send(url);
    await response.body?.cancel();
    if (!response.ok) return `responds with ${response.status}`;
    const type = response.headers.get("content-type") ?? "without a content type";
    return /javascript/.test(type) ? null : `is ${type}, not a script`;
  } catch (error) {
    return describeNetworkError(error);
  }
}

export const toServiceProbe = (
  { apiProblem, isBusy, corsProblem }: ApiProbe,
  scriptProblem: string | null,
): ServiceProbe => ({ isBusy, scriptProblem, apiProblem, corsProblem });
