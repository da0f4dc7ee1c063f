/** The pages of the unsubscribe link in each mail. Opening it changes nothing, because mail scanners follow links. */
import { escapeHtml } from "../../core/escape-html.ts";
import type { Handler } from "../../core/handler.ts";
import { pageHeaders } from "../../core/page-headers.ts";
import { hashToken } from "../../core/token.ts";
import type { Catalog } from "../../ledger/ledger.ts";
import { PERIOD_WORDS } from "./period.ts";

const HEADERS = pageHeaders({ "style-src": "'unsafe-inline'", "form-action": "'self'" });
const BODY = "max-width:32rem;margin:4rem auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif";

const answer = (content: string) => ({
  headers: HEADERS,
  mediaType: "text/html; charset=utf-8",
  text: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex"><meta name="color-scheme" content="light dark"><title>Unsubscribe</title></head>
<body style="${BODY}"><h1>Unsubscribe</h1>\n${content}\n</body></html>\n`,
});

const ENDED = "<p>This report is not sent any more.</p>";
const UNKNOWN_LINK =
  "<p>This report is not sent any more, or the link is older than 90 days: use that of the latest mail.</p>";

export const confirmUnsubscribe =
  (catalog: Catalog): Handler<"confirmUnsubscribe"> =>
  async ({ params: { token }, now }) => {
    const report = await catalog.reportByLink({ hash: hashToken(token) });
    const source = report && (await catalog.source({ sourceId: report.sourceId, now }));
    if (!report || !source) return answer(UNKNOWN_LINK);
    const what = `${PERIOD_WORDS[report.period]} report of <bdi>${escapeHtml(source.name)}</bdi>`;
    // without an action the form is sent to the address of the page, whatever proxy is before the service
    return answer(
      `<p>Stop the ${what} to ${escapeHtml(report.target)}?</p><form method="post"><button>Unsubscribe</button></form>`,
    );
  };

export const unsubscribe =
  (catalog: Catalog): Handler<"unsubscribe"> =>
  async ({ params: { token }, now }) => {
    const hasEnded = await catalog.unsubscribeReport({ hash: hashToken(token), now });
    return answer(hasEnded ? ENDED : UNKNOWN_LINK);
  };
