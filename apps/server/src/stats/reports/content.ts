/** Reads the figures of a report by the same queries as the API. */
import type {
  ReportPeriod,
  StatsAnswer,
  StatsDimension,
  StatsMetric,
  StatsQueryBody,
} from "@headwater/contract";
import { readablePath } from "@headwater/contract/path-pattern";
import type { SourceRecord } from "../../ledger/records.ts";
import { toMailName, withoutLinks } from "../../mail/mail-text.ts";
import type { QueryStats } from "../query.ts";
import { lastPeriod, periodName } from "./period.ts";

const REPORT_ROWS = 5;
/** Longer names are cut in reports. */
const MAX_REPORT_NAME_LENGTH = 120;

interface ReportFigure {
  readonly label: string;
  readonly value: string;
  /** For example `+12%`; null: there is nothing to compare. */
  readonly change: string | null;
}

interface ReportTable {
  readonly title: string;
  /** What is counted. */
  readonly unit: string;
  readonly rows: readonly { readonly name: string; readonly value: string }[];
}

export interface ReportContent {
  readonly sourceName: string;
  readonly period: string;
  readonly compared: string;
  readonly figures: readonly ReportFigure[];
  readonly tables: readonly ReportTable[];
  /** What a reader must know of the figures. */
  readonly notes: readonly string[];
  /** The same range in the console. */
  readonly url: string;
}

/** What a report is about. */
export interface ReportScope {
  readonly source: SourceRecord;
  readonly period: ReportPeriod;
  readonly timezone: string;
  readonly now: number;
}

const integers = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const shares = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });
const changes = new Intl.NumberFormat("en", {
  style: "percent",
  maximumFractionDigits: 0,
  signDisplay: "exceptZero",
});
const points = new Intl.NumberFormat("en", { maximumFractionDigits: 1, signDisplay: "exceptZero" });
const countries = new Intl.DisplayNames("en", { type: "region", fallback: "code" });

function formatDuration(seconds: number): string {
  const rounded = Math.round(seconds);
  return rounded < 60 ? `${rounded}s` : `${Math.floor(rounded / 60)}m ${rounded % 60}s`;
}

const FIGURES: readonly { metric: StatsMetric; label: string; format(value: number): string }[] = [
  { metric: "visitors", label: "Visitors", format: integers.format },
  { metric: "sessions", label: "Sessions", format: integers.format },
  { metric: "pageviews", label: "Page views", format: integers.format },
  { metric: "bounceRate", label: "Bounce rate", format: shares.format },
  { metric: "sessionDuration", label: "Session duration", format: formatDuration },
];

interface TableQuery extends Pick<StatsQueryBody, "filters"> {
  readonly title: string;
  readonly unit: string;
  readonly metric: StatsMetric;
  readonly dimension: StatsDimension;
  readonly missing: string;
}

const TABLES: readonly TableQuery[] = [
  { title: "Top pages", unit: "Visitors", metric: "visitors", dimension: "page", missing: "—" },
  {
    title: "Top sources",
    unit: "Visitors",
    metric: "visitors",
    dimension: "source",
    missing: "Direct / unknown",
  },
  { title: "Top countries", unit: "Visitors", metric: "visitors", dimension: "country", missing: "Unknown" },
  { title: "Goals", unit: "Conversions", metric: "conversions", dimension: "goal", missing: "—" },
  {
    title: "Top events",
    unit: "Events",
    metric: "events",
    dimension: "event",
    missing: "—",
    filters: [{ dimension: "event", operator: "is_not", value: "page_view" }],
  },
];

/** As the console shows it: of a rate in percentage points, else relative. */
function formatChange(value: number | null, before: number | null, isRate: boolean): string | null {
  if (value === null || before === null || (value === 0 && before === 0)) return null;
  if (isRate) return `${points.format((value - before) * 100)} pp`;
  return before === 0 ? "new" : changes.format((value - before) / before);
}

function toFigures({ results: [row] }: StatsAnswer): ReportFigure[] {
  return FIGURES.map(({ metric, label, format }, index) => {
    const value = row?.metrics[index] ?? null;
    const change = formatChange(value, row?.comparison?.[index] ?? null, metric === "bounceRate");
    return { label, value: value === null ? "—" : format(value), change };
  });
}

function countryName(code: string): string {
  try {
    return countries.of(code) ?? code;
  } catch {
    return code;
  }
}

const PATHS: ReadonlySet<StatsDimension> = new Set(["page", "entryPage", "exitPage"]);

/** What a visitor sent must not pass for a link or for text of the report. */
function toName(text: string): string {
  const max = MAX_REPORT_NAME_LENGTH;
  return withoutLinks(text.length <= max ? text : `${text.slice(0, max)}…`);
}

function toTable({ title, unit, dimension, missing }: TableQuery, { results }: StatsAnswer): ReportTable {
  const nameOf = (value: unknown) => {
    if (value === null || value === undefined) return missing;
    const text = String(value);
    if (dimension === "country") return toName(countryName(text));
    return toName(PATHS.has(dimension) ? readablePath(text) : text);
  };
  const rows = results.map(({ dimensions, metrics }) => ({
    name: nameOf(dimensions[0]),
    value: integers.format(metrics[0] ?? 0),
  }));
  return { title, unit, rows };
}

const NOTES = {
  estimated: "The figures are estimated from a sample of the visitors.",
  incomplete: "The warehouse has lost events of this period, so the figures are too low.",
};

/** @throws Refusal when the warehouse cannot answer */
export async function readReport(
  queryStats: QueryStats,
  { source, period, timezone, now }: ReportScope,
  appUrl: string,
  signal: AbortSignal,
): Promise<ReportContent> {
  const { sourceId, organizationId } = source;
  const { days, compared } = lastPeriod(period, timezone, now);
  const ask = async (
    body: Pick<StatsQueryBody, "metrics" | "dimensions" | "filters" | "pagination" | "include">,
  ) => {
    const scoped = { sourceId, timezone, dateRange: days, ...body };
    return (await queryStats({ source, sources: [source], organizationId, body: scoped, now, signal })).body;
  };
  const comparison = { mode: "custom" as const, dateRange: compared };
  const head = await ask({ metrics: FIGURES.map(({ metric }) => metric), include: { comparison } });
  const answers = [head];
  const tables: ReportTable[] = [];
  // one after the other: nobody waits for them
  for (const table of TABLES.filter(({ dimension }) => dimension !== "goal" || source.goals.length > 0)) {
    const { metric, dimension, filters = [] } = table;
    const pagination = { limit: REPORT_ROWS };
    const answer = await ask({ metrics: [metric], dimensions: [dimension], filters, pagination });
    answers.push(answer);
    tables.push(toTable(table, answer));
  }
  const last = new Date(Date.parse(days[1]) - 1).toISOString().slice(0, 10);
  const view = new URLSearchParams({ sourceId, range: `${days[0]}..${last}`, tz: timezone });
  return {
    sourceName: toMailName(source.name),
    period: periodName(period, days),
    compared: periodName(period, compared),
    figures: toFigures(head),
    tables: tables.filter(({ rows }) => rows.length > 0),
    notes: [
      ...(answers.some(({ accuracy }) => !accuracy.exact) ? [NOTES.estimated] : []),
      ...(answers.some(({ incomplete }) => incomplete) ? [NOTES.incomplete] : []),
    ],
    url: `${appUrl}/analytics/stats?${view}`,
  };
}
