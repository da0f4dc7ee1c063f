/** Writes the values and figures of tables of the Explore view. Pure. */
import type { StatsDimension, StatsMetric, StatsScalar } from "@headwater/contract";
import { dateFormat } from "../../../own-format.ts";
import { DAY_MS, HOUR_MS } from "../../../time.ts";
import { formatAmount } from "../../../ui/format-count.ts";
import { formatMetric, inPart, timeFormatter } from "../format.ts";
import { formatValue } from "../lists/value-names.ts";
import { INTERVALS } from "../view-range.ts";
import { isMoney } from "./fields.ts";

const weekday = dateFormat({ weekday: "long", timeZone: "UTC" });
const hourOfDay = dateFormat({ hour: "numeric", minute: "2-digit", timeZone: "UTC" });
/** The first Monday after 1970 began. */
const MONDAY = Date.UTC(1970, 0, 5);

/** @param isComplete false: the time of the row is not over */
export function formatCell(
  dimension: StatsDimension,
  value: StatsScalar,
  timeZone: string,
  isComplete: boolean | null = null,
): string {
  const interval = INTERVALS.find((one) => dimension === `time:${one.value}`)?.value;
  if (interval !== undefined) {
    const name = timeFormatter(timeZone, interval)(String(value));
    return isComplete === false ? inPart(name) : name;
  }
  if (dimension === "dayOfWeek") return weekday().format(MONDAY + (Number(value) - 1) * DAY_MS);
  if (dimension === "hourOfDay") return hourOfDay().format(Number(value) * HOUR_MS);
  return formatValue(dimension, value);
}

/** @param currency of amounts; null: the figure is an amount of no single currency, which is 0 */
export const formatFigureOf = (metric: StatsMetric, value: number | null, currency: StatsScalar): string =>
  isMoney(metric) && currency !== null && value !== null
    ? formatAmount(value, String(currency))
    : formatMetric(metric, value);
