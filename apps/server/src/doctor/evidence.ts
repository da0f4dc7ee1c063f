/** What the checks are made of: the page's report, and what is known of the service's side. */
import type { Check, KeyState, PageReport } from "@headwater/contract";

/** What the service says of the install; null: that is not known here. */
export interface Service {
  /** The source, where its id is known. */
  readonly sourceId: string | null;
  /** The key that belongs into the page. */
  readonly publicKey: string;
  /** The address that belongs into the page; where it is not known, the page's own is asked. */
  readonly apiBaseUrl: string | null;
  /** INGEST_ALIAS: the path under which that address serves the client and ingest too. */
  readonly alias: string | null;
  /** The source's `privacy`; null: that is not known here. */
  readonly requireConsent: boolean | null;
  readonly respectGpc: boolean | null;
  /** Of the key that belongs into the page. */
  readonly rightKeyState: KeyState | "unknown" | null;
  /** Of the key that is in the page: `unknown` is a key of no source, or of another. */
  readonly keyState: KeyState | "unknown" | null;
  readonly isActive: boolean | null;
  readonly isOriginAllowed: boolean | null;
  readonly reach: Reach;
  /** Milliseconds that the page's clock, or this machine's, is ahead of the service's. */
  readonly clockAheadMs: number | null;
}

export interface Reach {
  /** null: it was asked and answered as it should; else what came instead. */
  readonly scriptProblem: string | null;
  readonly apiProblem: string | null;
  /** It answered 429 or 503: it is there, and takes nothing just now. */
  readonly isBusy: boolean;
  readonly corsProblem: string | null;
  /** Whether somebody asked at all. */
  readonly wasAsked: boolean;
}

export const NOT_ASKED: Reach = {
  scriptProblem: null,
  apiProblem: null,
  isBusy: false,
  corsProblem: null,
  wasAsked: false,
};

export interface Evidence {
  readonly report: PageReport;
  /** Why there is no page to speak of; null: it came. */
  readonly pageProblem: string | null;
  /** The page has a Content-Security-Policy that is not in the report. */
  readonly isPolicyLeftOut: boolean;
  readonly service: Service;
}

export type Finding = Pick<Check, "status" | "message"> & Partial<Pick<Check, "hint" | "paste">>;

export const ok = (message: string): Finding => ({ status: "ok", message });
export const unknown = (message: string): Finding => ({ status: "unknown", message });
export const wrong = (message: string, hint: string, paste: string | null = null): Finding => ({
  status: "wrong",
  message,
  hint,
  paste,
});
export const warning = (message: string, hint: string, paste: string | null = null): Finding => ({
  status: "warning",
  message,
  hint,
  paste,
});

/** Where the page sends to: as it says, else where its script comes from, else the service's own address. */
export function apiBaseOf({ report, service }: Evidence): string | null {
  const [snippet] = report.snippets;
  const said = snippet?.apiBaseUrl || snippet?.scriptUrl?.replace(/\/sdk\/v2\.js.*$/, "");
  const base = said || service.apiBaseUrl;
  return base ? (URL.parse(base, report.url)?.href.replace(/\/+$/, "") ?? null) : null;
}

export function scriptUrlOf(evidence: Evidence): string | null {
  const [snippet] = evidence.report.snippets;
  const base = apiBaseOf(evidence);
  const said = snippet?.scriptUrl || (base === null ? null : `${base}/sdk/v2.js`);
  return said === null ? null : (URL.parse(said, evidence.report.url)?.href ?? null);
}

export const originOf = (url: string): string => URL.parse(url)?.origin ?? url;
