/** The evidence for the checks of an install: the page's report, and facts about the service. */
import type { InstallCheck, KeyState, PageReport } from "@headwater/contract";

/** Facts about the service and the source; null: unknown. */
export interface ServiceEvidence {
  readonly sourceId: string | null;
  /** The key that the page should have. */
  readonly publicKey: string;
  /** The address that the page should have. When it is unknown, the address in the page is used. */
  readonly apiBaseUrl: string | null;
  /** INGEST_ALIAS: a path under which the address serves the client and ingest too. */
  readonly alias: string | null;
  readonly requireConsent: boolean | null;
  readonly respectGpc: boolean | null;
  /** Whether the source's snippets load the client with its optional part `engagement`. */
  readonly engagement: boolean | null;
  /** The state of the key that the page should have. */
  readonly expectedKeyState: KeyState | "unknown" | null;
  /** The state of the key that the page has; `unknown`: no key of this source. */
  readonly pageKeyState: KeyState | "unknown" | null;
  /** When the key that the page has stops working; null: it does not, or that is unknown. In milliseconds since the epoch. */
  readonly pageKeyEndsAt: number | null;
  readonly isActive: boolean | null;
  readonly isOriginAllowed: boolean | null;
  /** null: no test request was sent. */
  readonly probe: ServiceProbe | null;
  /** Milliseconds by which the page's clock, or this machine's, is ahead of the service's. */
  readonly clockAheadMs: number | null;
}

/** The result of test requests to the service. */
export interface ServiceProbe {
  /** Each problem is the end of a sentence; null: there is none. */
  readonly scriptProblem: string | null;
  readonly apiProblem: string | null;
  /** The service answered 429 or 503. */
  readonly isBusy: boolean;
  /** A whole sentence without its full stop. */
  readonly corsProblem: string | null;
}

/** Before anything is known about the service and the source but where they should be. */
export const toUnknownService = (
  known: Pick<ServiceEvidence, "publicKey" | "apiBaseUrl" | "alias">,
): ServiceEvidence => ({
  ...known,
  sourceId: null,
  requireConsent: null,
  respectGpc: null,
  engagement: null,
  expectedKeyState: null,
  pageKeyState: null,
  pageKeyEndsAt: null,
  isActive: null,
  isOriginAllowed: null,
  probe: null,
  clockAheadMs: null,
});

/** A page as it was fetched. */
export interface FetchedPage extends Pick<PageReport, "url" | "snippets" | "policies"> {
  /** Why the page could not be fetched, such as `responds with 404`; null when it was fetched. */
  readonly problem: string | null;
  /** Some policies were not read, because the page has too many or they are too long. */
  readonly hasUnreadPolicy: boolean;
}

/** How a page's `problem` begins when its address may not be requested. */
export const NOT_REQUESTED = "was not requested";

/** A page of which nothing is known but its problem. */
export const unreadPage = (url: string, problem: string): FetchedPage => ({
  url,
  problem,
  snippets: [],
  policies: [],
  hasUnreadPolicy: false,
});

/** @param now milliseconds since the epoch */
export function toEvidence(page: FetchedPage, service: ServiceEvidence, now: number): Evidence {
  const { problem: pageProblem, hasUnreadPolicy, ...content } = page;
  const sentAt = new Date(now).toISOString();
  const report: PageReport = { ...content, script: "unknown", request: null, sentAt };
  return { report, pageProblem, hasUnreadPolicy, service };
}

export interface Evidence {
  readonly report: PageReport;
  /** Why the page could not be fetched, as the end of a sentence; null: it was fetched. */
  readonly pageProblem: string | null;
  /** The page has a Content-Security-Policy that is not in the report. */
  readonly hasUnreadPolicy: boolean;
  readonly service: ServiceEvidence;
}

/** The result of one check. */
export type CheckFinding = Pick<InstallCheck, "status" | "message"> &
  Partial<Pick<InstallCheck, "hint" | "paste">>;

export const ok = (message: string): CheckFinding => ({ status: "ok", message });
export const unknown = (message: string): CheckFinding => ({ status: "unknown", message });
/** @param paste a line to paste into the page or a terminal */
export const wrong = (message: string, hint: string, paste: string | null = null): CheckFinding => ({
  status: "wrong",
  message,
  hint,
  paste,
});
export const warning = (message: string, hint: string, paste: string | null = null): CheckFinding => ({
  status: "warning",
  message,
  hint,
  paste,
});

/** The address that the page sends to: its own setting, else where its script is from, else the expected address. */
export function apiBaseOf({ report, service }: Evidence): string | null {
  const [snippet] = report.snippets;
  const [folder] = snippet?.scriptUrl?.split("/sdk/v2.js", 1) ?? [];
  const base = snippet?.apiBaseUrl || folder || service.apiBaseUrl;
  const url = base ? URL.parse(base, report.url) : null;
  return url ? withoutTrailingSlashes(url.href) : null;
}

/** Not with `/\/+$/`, which takes quadratic time for a foreign address with many slashes. */
function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === "/") end -= 1;
  return text.slice(0, end);
}

const WITH_ENGAGEMENT = "?with=engagement";

/** The client's script at the address, with `engagement` as in the source or, when that is unknown, as in the page. */
export function renderClientUrl(base: string, { report, service }: Evidence): string {
  const isInPage = report.snippets[0]?.scriptUrl?.includes(WITH_ENGAGEMENT) ?? false;
  return `${base}/sdk/v2.js${(service.engagement ?? isInPage) ? WITH_ENGAGEMENT : ""}`;
}

export function scriptUrlOf(evidence: Evidence): string | null {
  const [snippet] = evidence.report.snippets;
  const base = apiBaseOf(evidence);
  const url = snippet?.scriptUrl || (base === null ? null : renderClientUrl(base, evidence));
  return url === null ? null : (URL.parse(url, evidence.report.url)?.href ?? null);
}

export const originOf = (url: string): string => URL.parse(url)?.origin ?? url;
