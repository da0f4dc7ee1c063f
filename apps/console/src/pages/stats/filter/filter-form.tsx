/** The form that adds a filter: a dimension, an operator and a value, which is one of the most frequent or any text. */
import type { StatsDimension, StatsScalar } from "@headwater/contract";
import { normalizePath } from "@headwater/contract/path-pattern";
import { useState } from "react";
import { Button } from "../../../ui/primitives/elements.tsx";
import { NativeSelect, TextInput } from "../../../ui/primitives/fields.tsx";
import { valueNamed } from "../lists/named-values.ts";
import { dimensionLabel, isPathDimension } from "../lists/value-names.ts";
import type { StatsView } from "../use-stats-view.ts";
import { FILTER_OPERATORS, type FilterOperator, filterParams } from "../view-params.ts";
import { FilterValues } from "./filter-values.tsx";
import { useFilterValues } from "./use-filter-values.ts";

const GROUPS: readonly { group: string; dimensions: readonly StatsDimension[] }[] = [
  { group: "Pages", dimensions: ["page", "entryPage", "exitPage", "host"] },
  { group: "Acquisition", dimensions: ["source", "channel", "referrer"] },
  { group: "Campaigns", dimensions: ["utmSource", "utmMedium", "utmCampaign", "utmTerm", "utmContent"] },
  { group: "Locations", dimensions: ["country", "region", "city", "locale"] },
  {
    group: "Devices",
    dimensions: ["device", "browser", "browserVersion", "os", "osVersion", "screen"],
  },
  { group: "Events", dimensions: ["event"] },
];
interface FilterFormProps {
  readonly view: StatsView;
  readonly onDone: () => void;
}

export function FilterForm({ view, onDone }: FilterFormProps) {
  const [dimension, setDimension] = useState<StatsDimension>("page");
  const [operator, setOperator] = useState<FilterOperator>("is");
  const [value, setValue] = useState("");
  const isExact = operator === "is" || operator === "isNot";
  const found = useFilterValues(view, dimension, value);
  // a missing value has no pattern, and no session has it "at any time"
  const rows = found.rows.filter(([one]) => one !== "" && (isExact || one !== null));
  const apply = (chosen: StatsScalar) => {
    onDone();
    view.update(filterParams(view.params, dimension, chosen, operator));
  };
  const applyText = () => {
    const isPattern = !isExact && operator !== "had";
    const values = [...rows.map(([one]) => one), ...(isExact ? [null] : [])];
    if (!isPattern) return apply(valueNamed(dimension, value, values));
    // a regular expression stays as it was written
    apply(isPathDimension(dimension) && operator !== "matches" ? normalizePath(value) : value);
  };
  return (
    <form
      className="menu-form filter-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (value !== "") applyText();
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
      <div className="filter-text">
        <TextInput
          label="Value"
          placeholder={operator === "matches" ? "Enter a regular expression" : "Search or enter a value"}
          value={value}
          onChange={(event) => setValue(event.currentTarget.value)}
        />
        <Button type="submit" disabled={value === ""}>
          Apply filter
        </Button>
      </div>
      <FilterValues dimension={dimension} search={value} rows={rows} query={found.query} onChoose={apply} />
    </form>
  );
}
