/** The tables that the Explore view offers to begin with: one for each question that is asked every week. */
import type { StatsDimension, StatsMetric } from "@headwater/contract";
import type { ViewParams } from "../view-params.ts";
import { type ExploreTable, tableParams } from "./table.ts";

export interface ReadyTable {
  readonly title: string;
  readonly text: string;
  readonly rows: readonly StatsDimension[];
  readonly columns: readonly StatsMetric[];
  readonly attribution?: "firstTouch" | "lastNonDirect";
  /** Whether it also counts several sources together. The others are about the goals of one. */
  readonly isOfSeveral?: true;
}

export const READY_TABLES: readonly ReadyTable[] = [
  {
    title: "New and returning visitors",
    text: "How many visitors come for the first time",
    rows: ["visitorType"],
    columns: ["visitors", "sessions", "pageviews", "bounceRate", "sessionDuration"],
    isOfSeveral: true,
  },
  {
    title: "Rolling visitors",
    text: "Visitors in the last 7 and 28 days, and stickiness",
    rows: ["time:day"],
    columns: ["visitors", "visitors7Days", "visitors28Days", "dauPerWau", "dauPerMau"],
    isOfSeveral: true,
  },
  {
    title: "First visits by channel",
    text: "Where visitors came from on their first visit",
    rows: ["firstChannel"],
    columns: ["newVisitors", "returningVisitors", "visitors"],
    isOfSeveral: true,
  },
  {
    title: "Goals by channel",
    text: "Each goal’s conversions by channel",
    rows: ["goal", "channel"],
    columns: ["conversions", "conversionRate", "visitors"],
  },
  {
    title: "Last non-direct traffic source",
    text: "Conversions credited to the last session that was not direct",
    rows: ["source"],
    columns: ["conversions", "conversionRate", "visitors"],
    attribution: "lastNonDirect",
  },
  {
    title: "Revenue by channel",
    text: "Average order value, and revenue per visitor and per session",
    rows: ["channel"],
    columns: ["revenue", "averageOrderValue", "revenuePerVisitor", "revenuePerSession", "visitors"],
    isOfSeveral: true,
  },
  {
    title: "Entrances and exits",
    text: "Page views, entrances, exits and exit rate for each page",
    rows: ["page"],
    columns: ["pageviews", "visitors", "entrances", "exits", "exitRate", "timeOnPage"],
    isOfSeveral: true,
  },
  {
    title: "Folders",
    text: "Sections of the site, by the first folder in the path",
    rows: ["folder:1"],
    columns: ["pageviews", "visitors", "timeOnPage"],
    isOfSeveral: true,
  },
  {
    title: "Hours of the week",
    text: "When visitors come, by weekday and hour",
    rows: ["dayOfWeek", "hourOfDay"],
    columns: ["visitors"],
    isOfSeveral: true,
  },
];

/** @returns the name of the ready table that it is, whatever its order */
export function tableTitle(
  { rows, chosen }: Pick<ExploreTable, "rows" | "chosen">,
  attribution: string | undefined,
): string {
  const isSame = (some: readonly string[], others: readonly string[]) => some.join() === others.join();
  const ready = READY_TABLES.find(
    (table) =>
      isSame(table.rows, rows) &&
      isSame(table.columns, chosen) &&
      (table.attribution ?? attribution) === attribution,
  );
  return ready?.title ?? "Table";
}

export const readyTableParams = ({ rows, columns, attribution }: ReadyTable): ViewParams => ({
  ...tableParams(rows, columns),
  attribution,
});
