/** The values that the filter form offers, each with its visitors. Choosing one applies the filter. */
import type { StatsDimension, StatsScalar } from "@headwater/contract";
import { formatCount } from "../../../ui/format-count.ts";
import { ErrorAlert, Loading } from "../../../ui/page-states.tsx";
import { Text } from "../../../ui/primitives/elements.tsx";
import { hasIcons, ValueIcon } from "../lists/value-icon.tsx";
import { formatValue } from "../lists/value-names.ts";

interface FilterValuesProps {
  readonly dimension: StatsDimension;
  readonly search: string;
  readonly rows: readonly (readonly [value: StatsScalar, visitors: number])[];
  readonly query: { readonly isFetching: boolean; readonly error: Error | null };
  readonly onChoose: (value: StatsScalar) => void;
}

export const FilterValues = ({ dimension, search, rows, query, onChoose }: FilterValuesProps) => (
  <div>
    <div className="filter-head">
      <span>{search === "" ? "Top values" : "Matching values"}</span>
      <span>Visitors</span>
    </div>
    <div className="filter-values">
      {rows.map(([value, visitors]) => (
        <button
          type="button"
          key={JSON.stringify(value)}
          className="menu-item"
          onClick={() => onChoose(value)}
        >
          {hasIcons(dimension) && <ValueIcon dimension={dimension} value={value} />}
          <bdi className="menu-text clamp">{formatValue(dimension, value)}</bdi>
          <span className="menu-hint number">{formatCount(visitors)}</span>
        </button>
      ))}
      {rows.length === 0 && <NoValues search={search} query={query} />}
    </div>
  </div>
);

function NoValues({ search, query: { isFetching, error } }: Pick<FilterValuesProps, "search" | "query">) {
  if (error) return <ErrorAlert error={error} />;
  if (isFetching) return <Loading rows={5} />;
  return (
    <Text size="sm" c="dimmed" p="xs">
      {search === ""
        ? "No values in this range. You can still enter one."
        : `No suggestions for “${search}” in this range. You can still apply the filter.`}
    </Text>
  );
}
