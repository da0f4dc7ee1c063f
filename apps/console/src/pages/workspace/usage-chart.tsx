/** The accepted events of each day or month as columns, and a line at the daily quota. */
import { Group, Text } from "@mantine/core";
import { formatCount } from "../../ui/format-count.ts";
import { formatPeriod, type PeriodUsage, roundUp } from "./usage-rows.ts";
import "./usage.css";

/** A quota that is further above the highest column has no line: the columns would be too low to compare. */
const MAX_QUOTA_RATIO = 4;

/** As in usage.css. */
const CHART_HEIGHT_REM = 9;

interface UsageChartProps {
  readonly label: string;
  readonly sums: readonly PeriodUsage[];
  /** null: no line. */
  readonly quota: number | null;
}

export function UsageChart({ label, sums, quota }: UsageChartProps) {
  const highest = Math.max(...sums.map(({ accepted }) => accepted), 1);
  const isQuotaShown = quota !== null && quota <= highest * MAX_QUOTA_RATIO;
  const axisTop = roundUp(highest);
  const top = isQuotaShown ? Math.max(axisTop, quota) : axisTop;
  return (
    <div className="usage-plot">
      <div
        className="usage-axis"
        style={{ paddingBlockStart: `${(1 - axisTop / top) * CHART_HEIGHT_REM}rem` }}
      >
        <span>{formatCount(axisTop)}</span>
        <span>0</span>
      </div>
      <div className="columns usage-columns" role="img" aria-label={label}>
        {sums.map(({ period, accepted }) => (
          <span key={period} title={`${formatPeriod(period)}: ${formatCount(accepted)}`}>
            <span style={{ height: `${(accepted / top) * 100}%` }} />
          </span>
        ))}
        {isQuotaShown && (
          <div className="usage-quota" style={{ bottom: `${(quota / top) * 100}%` }}>
            Quota: {formatCount(quota)} per day
          </div>
        )}
      </div>
      <Group justify="space-between" className="usage-ends">
        {[sums[0], sums.at(-1)].map((end) => (
          <Text key={end?.period} size="xs" c="dimmed">
            {formatPeriod(end?.period ?? "")}
          </Text>
        ))}
      </Group>
    </div>
  );
}
