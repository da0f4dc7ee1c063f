/** The date range, the time zone, and the switch for comparing with the previous period. */
import { Group, NativeSelect, Switch, TextInput } from "@mantine/core";
import { useState } from "react";
import type { StatsView } from "./use-stats-view.ts";
import { browserTimeZone, toDayRange } from "./view-params.ts";

const CUSTOM = "custom";
const RANGES = [
  { value: "today", label: "Today" },
  { value: "yesterday", label: "Yesterday" },
  { value: "7d", label: "Last 7 days" },
  { value: "30d", label: "Last 30 days" },
  { value: "90d", label: "Last 90 days" },
  { value: "365d", label: "Last 12 months" },
  { value: CUSTOM, label: "Custom range" },
];

/** All time zones, with the browser's own and UTC first. */
function timeZoneOptions(selected: string): { value: string; label: string }[] {
  const own = browserTimeZone();
  const zones = new Set([own, "UTC", selected, ...Intl.supportedValuesOf("timeZone")]);
  return [...zones].map((value) => ({
    value,
    label: `${value.replaceAll("_", " ")}${value === own ? " (your time zone)" : ""}`,
  }));
}

interface RangeToolbarProps {
  readonly view: StatsView;
  /** Whether the current view can compare with the previous period. */
  readonly canCompare: boolean;
}

export function RangeToolbar({ view, canCompare }: RangeToolbarProps) {
  const { range, timeZone, isCompared, update } = view;
  const chooseRange = (value: string) =>
    update({ range: value === CUSTOM ? toDayRange(range, timeZone, Date.now()) : value });
  return (
    <Group gap="sm" align="flex-end" className="filters" component="section" aria-label="Range">
      <NativeSelect
        label="Range"
        data={RANGES}
        value={range.days === null ? range.text : CUSTOM}
        onChange={(event) => chooseRange(event.currentTarget.value)}
      />
      {range.days !== null && <DayFields days={range.days} view={view} />}
      <NativeSelect
        label="Time zone"
        className="zone"
        data={timeZoneOptions(timeZone)}
        value={timeZone}
        onChange={(event) => update({ tz: event.currentTarget.value })}
      />
      {canCompare && (
        <Switch
          label="Compare"
          aria-label="Compare with previous period"
          className="compare"
          checked={isCompared}
          onChange={(event) => update({ compare: event.currentTarget.checked ? undefined : "no" })}
        />
      )}
    </Group>
  );
}

interface DayFieldsProps {
  readonly days: readonly [first: string, last: string];
  readonly view: StatsView;
}

/** The fields of a custom range. An incomplete date does not change the view. */
function DayFields({ days: [first, last], view }: DayFieldsProps) {
  // the days of the URL that the fields were last filled with
  const [applied, setApplied] = useState({ first, last });
  const [from, setFrom] = useState(first);
  const [to, setTo] = useState(last);
  const [invalid, setInvalid] = useState<"from" | "to" | null>(null);
  if (applied.first !== first || applied.last !== last) {
    setApplied({ first, last });
    setFrom(first);
    setTo(last);
    setInvalid(null);
  }
  const apply = (changed: "from" | "to") => {
    if (from === "" || to === "") return;
    const isReversed = from > to;
    setInvalid(isReversed ? changed : null);
    if (!isReversed && (from !== first || to !== last)) view.update({ range: `${from}..${to}` });
  };
  return (
    <>
      <TextInput
        type="date"
        label="From"
        value={from}
        max={to}
        error={invalid === "from" && "Must not be after the end date"}
        onChange={(event) => setFrom(event.currentTarget.value)}
        onBlur={() => apply("from")}
        onKeyDown={(event) => event.key === "Enter" && apply("from")}
      />
      <TextInput
        type="date"
        label="To"
        value={to}
        min={from}
        error={invalid === "to" && "Must not be before the start date"}
        onChange={(event) => setTo(event.currentTarget.value)}
        onBlur={() => apply("to")}
        onKeyDown={(event) => event.key === "Enter" && apply("to")}
      />
    </>
  );
}
