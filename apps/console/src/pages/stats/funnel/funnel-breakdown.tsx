/** A funnel by the values of a dimension, such as the sources of its visitors. */
import type { StatsDimension, StatsFunnelBody, StatsScalar } from "@headwater/contract";
import { NativeSelect, Table, Text } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { type ApiAnswer, api } from "../../../api.ts";
import { formatCount } from "../../../ui/format-count.ts";
import { Loading } from "../../../ui/page-states.tsx";
import { ScrollRegion } from "../../../ui/scroll-region.tsx";
import { formatRate } from "../format.ts";
import { dimensionLabel, formatValue } from "../lists/value-names.ts";
import { type StatsView, useStats } from "../use-stats-view.ts";
import type { FunnelStep } from "./funnel-steps.ts";

const DIMENSIONS = ["source", "channel", "utmCampaign", "device", "country", "browser"] as const;
type FunnelDimension = (typeof DIMENSIONS)[number];
/** Each row is a query of its own. */
const MAX_ROWS = 6;

interface FunnelBreakdownProps {
  readonly view: StatsView;
  readonly steps: readonly FunnelStep[];
  readonly body: Omit<StatsFunnelBody, "organizationId">;
}

const chosenIn = ({ params }: StatsView) => DIMENSIONS.find((name) => name === params.split);

export const FunnelBreakdownSelect = ({ view }: Pick<FunnelBreakdownProps, "view">) => (
  <div className="funnel-by">
    <span aria-hidden>Break down by</span>
    <NativeSelect
      size="xs"
      aria-label="Break down by"
      value={chosenIn(view) ?? ""}
      data={[
        { value: "", label: "None" },
        ...DIMENSIONS.map((value) => ({ value, label: dimensionLabel(value) })),
      ]}
      onChange={(event) => view.update({ split: event.currentTarget.value || undefined })}
    />
  </div>
);

export function FunnelBreakdown(props: FunnelBreakdownProps) {
  const chosen = chosenIn(props.view);
  return chosen && <BreakdownRows dimension={chosen} {...props} />;
}

function BreakdownRows({
  view,
  steps,
  body,
  dimension,
}: FunnelBreakdownProps & { readonly dimension: FunnelDimension }) {
  const values = useStats(view.scope, {
    metrics: ["visitors"],
    dimensions: [dimension],
    pagination: { limit: MAX_ROWS },
  });
  const isCurrent = values.data?.dimensions[0] === dimension;
  const shown = isCurrent ? (values.data?.results ?? []).map(({ dimensions: [value = null] }) => value) : [];
  const funnels = useQueries({
    queries: shown.map((value) => {
      const filters = [...(body.filters ?? []), isValue(dimension, value)];
      return {
        queryKey: ["stats", "funnel", { ...body, filters }],
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          api.queryFunnel({ body: { ...body, filters }, signal }),
      };
    }),
  });
  if (!isCurrent) return <Loading rows={3} />;
  if (shown.length === 0) return <Text c="dimmed">No data</Text>;
  return (
    <ScrollRegion label={`Funnel by ${dimensionLabel(dimension)}`} className="scroll fading">
      <Table horizontalSpacing="sm" mt="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{dimensionLabel(dimension)}</Table.Th>
            {steps.map(({ text }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: steps have no other identity than their position
              <Table.Th key={at} ta="right" className="funnel-column" title={text}>
                {at + 1}. {text}
              </Table.Th>
            ))}
            <Table.Th ta="right">Completed</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.map((value, row) => {
            const counts = funnels[row]?.data?.steps;
            const missing = funnels[row]?.isError ? "—" : "…";
            return (
              <Table.Tr key={JSON.stringify(value)}>
                <Table.Th scope="row" className="funnel-column" title={formatValue(dimension, value)}>
                  {formatValue(dimension, value)}
                </Table.Th>
                {steps.map((_, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: steps have no other identity than their position
                  <Table.Td key={at} ta="right">
                    {counts?.[at] ? <StepFigures at={at} step={counts[at]} /> : missing}
                  </Table.Td>
                ))}
                <Table.Td ta="right">
                  {counts ? formatRate(counts.at(-1)?.shareOfFirst ?? null) : missing}
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </ScrollRegion>
  );
}

const isValue = (dimension: StatsDimension, value: StatsScalar) => ({
  dimension,
  operator: "is" as const,
  value,
});

interface StepFiguresProps {
  readonly at: number;
  readonly step: ApiAnswer<"queryFunnel">["steps"][number];
}

/** The visitors of a step and, from the second on, their share of the first step. */
const StepFigures = ({ at, step: { visitors, shareOfFirst } }: StepFiguresProps) => (
  <>
    {formatCount(visitors)}{" "}
    {at > 0 && (
      <Text span inherit c="dimmed" className="funnel-share" title="Share of the visitors of the first step">
        {formatRate(shareOfFirst)}
      </Text>
    )}
  </>
);
