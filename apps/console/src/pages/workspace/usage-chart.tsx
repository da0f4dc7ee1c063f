/** The accepted events of each day or month as columns, and a line at the daily quota. */
import { formatCount } from "../../ui/format-count.ts";
import { Group, Text } from "../../ui/primitives/elements.tsx";
import { formatPeriod, type PeriodUsage, roundUp } from "./usage-rows.ts";
import "./usage.css";

/** A quota that is further above the highest column has no line: the columns would be too low to compare. */
const MAX_QUOTA_RATIO = 4;

/** As in usage.css. */
const CHART_HEIGHT_REM = 9;

const MAX_DATES = 5;

interface UsageChartProps {
  readonly label: string;
  readonly sums: readonly PeriodUsage[];
  /** The column of this day, or of its month, is lighter: it is not over. */
  readonly today: string;
  /** null: no line. */
  readonly quota: number | null;
}

/** The first period, the last, and some between them at equal distances. */
function datesOf(sums: readonly PeriodUsage[]): string[] {
  const last = sums.length - 1;
  const indexes = Array.from({ length: MAX_DATES }, (_, at) => Math.round((at * last) / (MAX_DATES - 1)));
  return [...new Set(indexes)].flatMap((index) => sums[index]?.period ?? []);
}

export function UsageChart({ label, sums, today, quota }: UsageChartProps) {
  const highest = Math.max(...sums.map(({ accepted }) => accepted), 1);
  const isQuotaShown = quota !== null && quota <= highest * MAX_QUOTA_RATIO;
  const axisTop = roundUp(highest);
  const top = isQuotaShown ? Math.max(axisTop, quota) : axisTop;
  const lines = axisTop % 2 === 0 ? [axisTop, axisTop / 2] : [axisTop];
  return (
    <div className="usage-plot">
      <div
        className="usage-axis"
        style={{ paddingBlockStart: `${(1 - axisTop / top) * CHART_HEIGHT_REM}rem` }}
      >
        {[...lines, 0].map((line) => (
          <span key={line}>{formatCount(line)}</span>
        ))}
      </div>
      <div className="columns usage-columns" role="img" aria-label={label}>
        {sums.map(({ period, accepted }) => (
          <span
            key={period}
            title={`${formatPeriod(period)}: ${formatCount(accepted)}${today.startsWith(period) ? " so far" : ""}`}
          >
            <span
              style={{ height: `${(accepted / top) * 100}%` }}
              data-open={today.startsWith(period) || undefined}
            />
          </span>
        ))}
        {lines.map((line) => (
          <div key={line} className="usage-line" style={{ bottom: `${(line / top) * 100}%` }} />
        ))}
        {isQuotaShown && (
          <div className="usage-quota" style={{ bottom: `${(quota / top) * 100}%` }}>
            Quota: {formatCount(quota)} per day
          </div>
        )}
      </div>
      <Group justify="space-between" className="usage-ends">
        {datesOf(sums).map((period) => (
          <Text key={period} size="sm" c="dimmed">
            {formatPeriod(period)}
          </Text>
        ))}
      </Group>
    </div>
  );
}
