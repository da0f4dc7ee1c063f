/** The field that chooses the time zone of a stats view. */

import { browserTimeZone } from "../../time.ts";
import { NativeSelect } from "../../ui/primitives/fields.tsx";
import type { StatsView } from "./use-stats-view.ts";

/** All time zones, with the browser's own and UTC first. */
function timeZoneOptions(selected: string): { value: string; label: string }[] {
  const own = browserTimeZone();
  const zones = new Set([own, "UTC", selected, ...Intl.supportedValuesOf("timeZone")]);
  return [...zones].map((value) => ({
    value,
    label: `${value.replaceAll("_", " ")}${value === own ? " (your time zone)" : ""}`,
  }));
}

export const TimeZoneSelect = ({ view: { timeZone, update } }: { readonly view: StatsView }) => (
  <div className="menu-form">
    <NativeSelect
      label="Time zone"
      data={timeZoneOptions(timeZone)}
      value={timeZone}
      onChange={(event) => update({ tz: event.currentTarget.value })}
    />
  </div>
);
