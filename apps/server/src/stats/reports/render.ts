/** A report as text and as HTML for mail programs: tables, inline styles, and nothing from other hosts. Pure. */
import { escapeHtml } from "../../http/escape-html.ts";
import type { ReportContent } from "./content.ts";

/** The end of a report, such as the link to unsubscribe. */
export interface ReportFooter {
  readonly text: string;
  readonly url: string | null;
}

export const reportSubject = ({ sourceName, period }: ReportContent): string => `${sourceName}: ${period}`;

const GREY = "color:#5f6672";
const STYLES = {
  body: "margin:0;padding:24px 12px;background:#ffffff;color:#1c2024;font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:15px;line-height:1.5",
  page: "width:100%;max-width:600px;margin:0 auto;border-collapse:collapse;table-layout:fixed",
  title: "margin:0;font-size:22px;line-height:1.3;word-break:break-word",
  heading: "margin:28px 0 4px;font-size:16px",
  table: "width:100%;border-collapse:collapse",
  head: `padding:6px 0;border-bottom:1px solid #d5d9e0;text-align:left;font-weight:400;font-size:13px;${GREY}`,
  name: "padding:6px 12px 6px 0;border-bottom:1px solid #eceef2;text-align:left;word-break:break-word",
  value: "padding:6px 0 6px 12px;border-bottom:1px solid #eceef2;text-align:right;white-space:nowrap",
  button:
    "display:inline-block;padding:10px 18px;border-radius:6px;background:#0b6e8a;color:#ffffff;text-decoration:none",
  note: `margin:16px 0 0;font-size:13px;${GREY}`,
};

type TableRow = readonly [name: string, ...values: string[]];

function renderTable([name, ...values]: TableRow, rows: readonly TableRow[]): string {
  const head = [
    `<th scope="col" style="${STYLES.head}">${escapeHtml(name)}</th>`,
    ...values.map(
      (value) =>
        `<th scope="col" style="${STYLES.head};padding-left:12px;text-align:right">${escapeHtml(value)}</th>`,
    ),
  ];
  const body = rows.map(([first, ...others]) => {
    const cells = others.map((value) => `<td style="${STYLES.value}">${escapeHtml(value)}</td>`);
    return `<tr><td dir="auto" style="${STYLES.name}">${escapeHtml(first)}</td>${cells.join("")}</tr>`;
  });
  return `<table role="presentation" style="${STYLES.table}"><tr>${head.join("")}</tr>\n${body.join("\n")}</table>`;
}

export function renderHtml(report: ReportContent, footer: ReportFooter): string {
  const { sourceName, period, compared, figures, tables, notes, url } = report;
  const figureRows = figures.map(({ label, value, change }): TableRow => [label, value, change ?? "—"]);
  const parts = [
    `<h1 dir="auto" style="${STYLES.title}">${escapeHtml(sourceName)}</h1>`,
    `<p style="margin:0 0 16px;${GREY}">${escapeHtml(period)}, compared with ${escapeHtml(compared)}</p>`,
    renderTable(["", period, "Change"], figureRows),
    ...tables.flatMap(({ title, unit, rows }) => [
      `<h2 style="${STYLES.heading}">${escapeHtml(title)}</h2>`,
      renderTable(
        ["", unit],
        rows.map(({ name, value }): TableRow => [name, value]),
      ),
    ]),
    ...notes.map((note) => `<p style="${STYLES.note}">${escapeHtml(note)}</p>`),
    `<p style="margin:28px 0 0"><a href="${escapeHtml(url)}" style="${STYLES.button}">Open in Headwater</a></p>`,
    footer.url === null
      ? `<p style="${STYLES.note}">${escapeHtml(footer.text)}</p>`
      : `<p style="${STYLES.note}">${escapeHtml(footer.text)} <a href="${escapeHtml(footer.url)}" style="${GREY}">Unsubscribe</a></p>`,
  ];
  const title = escapeHtml(reportSubject(report));
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head>
<body style="${STYLES.body}"><table role="presentation" style="${STYLES.page}"><tr><td>
${parts.join("\n")}
</td></tr></table></body></html>
`;
}

export function renderText(report: ReportContent, footer: ReportFooter): string {
  const { sourceName, period, compared, figures, tables, notes, url } = report;
  const sections = [
    `${sourceName}\n${period}, compared with ${compared}`,
    figures.map(({ label, value, change }) => `${label}: ${value}${change ? ` (${change})` : ""}`).join("\n"),
    ...tables.map(({ title, unit, rows }) =>
      [`${title} (${unit.toLowerCase()})`, ...rows.map(({ name, value }) => `- ${name}: ${value}`)].join(
        "\n",
      ),
    ),
    ...notes,
    `Open in Headwater:\n${url}`,
    footer.url === null ? footer.text : `${footer.text}\nUnsubscribe: ${footer.url}`,
  ];
  return `${sections.join("\n\n")}\n`;
}
