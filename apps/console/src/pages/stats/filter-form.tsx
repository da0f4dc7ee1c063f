/** The form that adds a filter: a dimension, an operator and a value, with the most frequent values as suggestions. */
import type { StatsDimension } from "@headwater/contract";
import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useId, useState } from "react";
import { dimensionLabel, formatValue, valueNamed } from "./lists/value-names.ts";
import { type StatsView, useStats } from "./use-stats-view.ts";
import { FILTER_OPERATORS, type FilterOperator, filterParams } from "./view-params.ts";

const GROUPS: readonly { group: string; dimensions: readonly StatsDimension[] }[] = [
  { group: "Pages", dimensions: ["page", "entryPage", "exitPage", "host"] },
  { group: "Acquisition", dimensions: ["source", "channel", "referrer"] },
  { group: "Campaign", dimensions: ["utmSource", "utmMedium", "utmCampaign", "utmTerm", "utmContent"] },
  { group: "Location", dimensions: ["country", "region", "city", "locale"] },
  {
    group: "Device",
    dimensions: ["device", "browser", "browserVersion", "os", "osVersion", "screen"],
  },
  { group: "Event", dimensions: ["event"] },
];
const MAX_SUGGESTIONS = 30;

/** @returns the most frequent value as an example */
const exampleOf = (dimension: StatsDimension, value: string | number | boolean | null | undefined) =>
  value === undefined || value === null ? undefined : `For example ${formatValue(dimension, value)}`;

interface FilterFormProps {
  readonly view: StatsView;
  readonly onDone: () => void;
}

export function FilterForm({ view, onDone }: FilterFormProps) {
  const [dimension, setDimension] = useState<StatsDimension>("page");
  const [operator, setOperator] = useState<FilterOperator>("is");
  const [value, setValue] = useState("");
  const listId = useId();
  const { data } = useStats(view.scope, {
    metrics: ["visitors"],
    dimensions: [dimension],
    pagination: { limit: MAX_SUGGESTIONS },
  });
  const isExact = operator === "is" || operator === "isNot";
  const found = data?.dimensions[0] === dimension ? data.results.map((row) => row.dimensions[0] ?? null) : [];
  // a missing value has no pattern, and no session has it "at any time"
  const values = found.filter((one) => one !== "" && (isExact || one !== null));
  const apply = () => {
    onDone();
    const isPattern = !isExact && operator !== "had";
    const known = isExact ? [...values, null] : values;
    const chosen = isPattern ? value : valueNamed(dimension, value, known);
    view.update(filterParams(view.params, dimension, chosen, operator));
  };
  return (
    <form
      className="menu-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (value !== "") apply();
      }}
    >
      <div className="menu-pair">
        <NativeSelect
          label="Filter by"
          value={dimension}
          data={GROUPS.map(({ group, dimensions }) => ({
            group,
            items: dimensions.map((name) => ({ value: name, label: dimensionLabel(name) })),
          }))}
          // the options are dimensions
          onChange={(event) => setDimension(event.currentTarget.value as StatsDimension)}
        />
        <NativeSelect
          label="Condition"
          value={operator}
          data={[...FILTER_OPERATORS]}
          // the options are operators
          onChange={(event) => setOperator(event.currentTarget.value as FilterOperator)}
        />
      </div>
      <TextInput
        label="Value"
        placeholder={operator === "matches" ? "A regular expression" : exampleOf(dimension, values[0])}
        list={listId}
        value={value}
        onChange={(event) => setValue(event.currentTarget.value)}
      />
      <datalist id={listId}>
        {values.map((one) => (
          <option key={String(one)} value={one === null ? formatValue(dimension, null) : String(one)}>
            {formatValue(dimension, one)}
          </option>
        ))}
      </datalist>
      <Button type="submit" size="xs" fullWidth disabled={value === ""}>
        Apply filter
      </Button>
    </form>
  );
}
