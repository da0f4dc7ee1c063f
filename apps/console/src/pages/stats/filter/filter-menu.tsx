/** The menu that adds a filter. */
import { Dropdown } from "../../../ui/dropdown.tsx";
import { lazily } from "../../../ui/load-later.tsx";
import type { StatsView } from "../use-stats-view.ts";

const FilterForm = lazily(async () => (await import("./filter-form.tsx")).FilterForm);
const SegmentList = lazily(async () => (await import("../saved/segments.tsx")).SegmentList);

export const FilterMenu = ({ view }: { readonly view: StatsView }) => (
  <Dropdown
    shortcut="F"
    label="Add filter"
    icon="filter"
    button={<span className="toolbar-long">Filter</span>}
  >
    {(close) => (
      <>
        <SegmentList view={view} onDone={close} />
        <FilterForm view={view} onDone={close} />
      </>
    )}
  </Dropdown>
);
