/** A funnel by the values of a dimension, such as the sources of its visitors. */
import type { StatsFunnelBody } from "@headwater/contract";
import { LIMITS } from "@headwater/contract/limits";
import { STATS_SESSION_DIMENSIONS } from "@headwater/contract/stats-words";
import { type ApiAnswer, api } from "../../../api.ts";
import { formatCount } from "../../../ui/format-count.ts";
import { Table, Text } from "../../../ui/primitives/elements.tsx";
import { NativeSelect } from "../../../ui/primitives/fields.tsx";
import { ScrollRegion } from "../../../ui/scroll-region.tsx";
import "../fading.css";
import { DIMENSION_FIELDS } from "../explore/fields.ts";
import { formatDuration, formatRate } from "../format.ts";
import { dimensionLabel, formatValue } from "../lists/value-names.ts";
import { NoData } from "../no-data.tsx";
import { StatsResult } from "../stats-result.tsx";
import { useFastThenExact } from "../use-fast-then-exact.ts";
import type { StatsView } from "../use-stats-view.ts";
import type { FunnelStep } from "./funnel-steps.ts";

type FunnelDimension = NonNullable<StatsFunnelBody["dimension"]>;
const isOfSessions = (name: string): name is FunnelDimension =>
  STATS_SESSION_DIMENSIONS.some((one) => one === name);
const DIMENSIONS = DIMENSION_FIELDS.flatMap(({ name, label }) =>
  isOfSessions(name) ? [{ value: name, label }] : [],
);

interface FunnelBreakdownProps {
  readonly view: StatsView;
  readonly steps: readonly FunnelStep[];
  readonly body: Omit<StatsFunnelBody, "organizationId">;
}

const chosenIn = ({ params }: StatsView) => DIMENSIONS.find(({ value }) => value === params.split)?.value;

export const FunnelBreakdownSelect = ({ view }: Pick<FunnelBreakdownProps, "view">) => (
  <div className="funnel-by">
    <span aria-hidden>Break down by</span>
    <NativeSelect
      aria-label="Break down by"
      value={chosenIn(view) ?? ""}
      data={[{ value: "", label: "None" }, ...DIMENSIONS]}
      onChange={(event) => view.update({ split: event.currentTarget.value || undefined })}
    />
  </div>
);

export function FunnelBreakdown(props: FunnelBreakdownProps) {
  const chosen = chosenIn(props.view);
  return chosen && <Segments key={chosen} dimension={chosen} {...props} />;
}

type FunnelAnswer = ApiAnswer<"queryFunnel">;

function Segments({
  view,
  steps,
  body: whole,
  dimension,
}: FunnelBreakdownProps & { readonly dimension: FunnelDimension }) {
  const body = { ...whole, dimension, limit: LIMITS.maxStatsSegments };
  const query = useFastThenExact<FunnelAnswer>({
    queryKey: ["stats", "funnel", body],
    ask: (accuracy, signal) => api.queryFunnel({ body: { ...body, accuracy }, signal }),
  });
  return (
    <StatsResult query={query} rows={3}>
      {({ segments }) =>
        segments === null || segments.length === 0 ? (
          <div className="funnel-empty">
            <NoData title="No visitor completed the first step in this range" view={view}>
              {`The breakdown shows how many visitors completed each step. Breakdown by: ${dimensionLabel(dimension)}.`}
            </NoData>
          </div>
        ) : (
          <>
            <SegmentTable dimension={dimension} steps={steps} segments={segments} />
            {segments.length === LIMITS.maxStatsSegments && (
              <Text size="sm" c="dimmed">
                The {LIMITS.maxStatsSegments} values with the most visitors are shown.
              </Text>
            )}
          </>
        )
      }
    </StatsResult>
  );
}

interface SegmentTableProps {
  readonly dimension: FunnelDimension;
  readonly steps: readonly FunnelStep[];
  readonly segments: NonNullable<FunnelAnswer["segments"]>;
}

const SegmentTable = ({ dimension, steps, segments }: SegmentTableProps) => (
  <ScrollRegion label={`Funnel by ${dimensionLabel(dimension)}`} className="scroll fading">
    <Table horizontalSpacing="sm" mt="sm">
      <thead>
        <tr>
          <th>{dimensionLabel(dimension)}</th>
          {steps.map(({ text }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: steps have no other identity than their position
            <th key={at} className="funnel-column end" title={text}>
              {at + 1}. {text}
            </th>
          ))}
          <th className="end">Completed</th>
          <th className="end">Median time</th>
        </tr>
      </thead>
      <tbody>
        {segments.map(({ value, steps: figures }) => {
          const last = figures.at(-1);
          return (
            <tr key={JSON.stringify(value)}>
              <th scope="row" className="funnel-column" title={formatValue(dimension, value)}>
                {formatValue(dimension, value)}
              </th>
              {figures.map((step, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: steps have no other identity than their position
                <td className="end" key={at}>
                  <StepFigures at={at} step={step} />
                </td>
              ))}
              <td className="end">{formatRate(last?.shareOfFirst ?? null)}</td>
              <td className="end">{last?.seconds ? formatDuration(last.seconds.sinceFirst.median) : "—"}</td>
            </tr>
          );
        })}
      </tbody>
    </Table>
  </ScrollRegion>
);

interface StepFiguresProps {
  readonly at: number;
  readonly step: FunnelAnswer["steps"][number];
}

/** The visitors of a step and, from the second on, their share of the first step. */
const StepFigures = ({ at, step: { visitors, shareOfFirst } }: StepFiguresProps) => (
  <>
    {formatCount(visitors)}{" "}
    {at > 0 && (
      <span className="funnel-share dimmed" title="Share of the first step’s visitors">
        {formatRate(shareOfFirst)}
      </span>
    )}
  </>
);
