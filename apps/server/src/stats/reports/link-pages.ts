/** The pages of the links in the mails of reports. Opening one changes nothing, because mail scanners follow links. */
import { LIMITS } from "@headwater/contract/limits";
import { SERVER_LIMITS } from "../../core/limits.ts";
import { hashToken } from "../../core/token.ts";
import { escapeHtml } from "../../http/escape-html.ts";
import type { CatalogHandler } from "../../http/handler.ts";
import { pageHeaders } from "../../http/page-headers.ts";
import type { Catalog } from "../../ledger/ledger.ts";
import type { ReportRecord } from "../../ledger/report-record.ts";
import { readConsentRequest } from "./consent.ts";
import { nextReportAt, PERIOD_WORDS } from "./period.ts";

/** How long the link works by which an address agrees to a report. */
export const REPORT_CONSENT_MS = LIMITS.reportConsentDays * 24 * 3_600_000;

const HEADERS = pageHeaders({ "style-src": "'unsafe-inline'", "form-action": "'self'" });
const BODY = "max-width:32rem;margin:4rem auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif";

const createPage = (title: string) => (content: string) => ({
  headers: HEADERS,
  mediaType: "text/html; charset=utf-8",
  text: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex"><meta name="color-scheme" content="light dark"><title>${title}</title></head>
<body style="${BODY}"><h1>${title}</h1>\n${content}\n</body></html>\n`,
});

const named = (name: string) => `<bdi>${escapeHtml(name)}</bdi>`;
// without an action the form is sent to the address of the page, whatever proxy is before the service
const form = (button: string) => `<form method="post"><button>${button}</button></form>`;

const toConsentLink = (token: string, now: number) => ({
  hash: hashToken(token),
  since: now - REPORT_CONSENT_MS,
});

const toUnsubscribeLink = (token: string, now: number) => ({
  hash: hashToken(token),
  since: now - SERVER_LIMITS.reportLinkMs,
});

const consentPage = createPage("Agree to a report");
const AGREED =
  "<p>You agreed. Headwater sends this report from now on. Each email has a link to unsubscribe.</p>";
const NOTHING_TO_AGREE = `<p>This link no longer works. It was used before, it is older than ${LIMITS.reportConsentDays} days, or the report was deleted.</p>`;

/** The report that waits for the link. */
async function findPending(catalog: Catalog, token: string, now: number): Promise<ReportRecord | null> {
  const report = await catalog.reportByLink(toConsentLink(token, now));
  return report?.confirmedAt === null ? report : null;
}

export const askReportConsent: CatalogHandler<"askReportConsent"> = async ({ params, now }, { catalog }) => {
  const { token } = params;
  const report = await findPending(catalog, token, now);
  const request = report && (await readConsentRequest(catalog, report, now));
  if (!report || !request) return consentPage(NOTHING_TO_AGREE);
  const { askedBy, organizationName, sourceName } = request;
  const what = `the ${PERIOD_WORDS[report.period]} report of ${named(sourceName)} to ${escapeHtml(report.target)}`;
  const question = `${named(askedBy)} from the workspace ${named(organizationName)} asks to send ${what}. Do you agree?`;
  return consentPage(
    `<p>${question}</p>${form("Agree")}<p>If you do not agree, close this page. The report is then not sent.</p>`,
  );
};

export const giveReportConsent: CatalogHandler<"giveReportConsent"> = async (
  { params, now },
  { catalog },
) => {
  const { token } = params;
  const report = await findPending(catalog, token, now);
  if (!report) return consentPage(NOTHING_TO_AGREE);
  const nextAt = nextReportAt(report.period, report.timezone, now);
  const isConfirmed = await catalog.confirmReport({ ...toConsentLink(token, now), nextAt, now });
  return consentPage(isConfirmed ? AGREED : NOTHING_TO_AGREE);
};

const unsubscribePage = createPage("Unsubscribe");
const ENDED = "<p>Headwater no longer sends this report.</p>";
const UNKNOWN_LINK =
  "<p>This link no longer works. The report was deleted, or the link is older than 90 days. Use the link in the latest email.</p>";

export const confirmUnsubscribe: CatalogHandler<"confirmUnsubscribe"> = async (
  { params, now },
  { catalog },
) => {
  const { token } = params;
  const report = await catalog.reportByLink(toUnsubscribeLink(token, now));
  const source = report && (await catalog.source({ sourceId: report.sourceId, now }));
  if (!report || !source) return unsubscribePage(UNKNOWN_LINK);
  const what = `${PERIOD_WORDS[report.period]} report of ${named(source.name)}`;
  return unsubscribePage(`<p>Stop the ${what} to ${escapeHtml(report.target)}?</p>${form("Unsubscribe")}`);
};

export const unsubscribe: CatalogHandler<"unsubscribe"> = async ({ params, now }, { catalog }) => {
  const { token } = params;
  const hasEnded = await catalog.unsubscribeReport({ ...toUnsubscribeLink(token, now), now });
  return unsubscribePage(hasEnded ? ENDED : UNKNOWN_LINK);
};
