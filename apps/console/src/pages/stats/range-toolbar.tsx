/** Which days, by the clock of which place, and whether with those before. */
import { Group, NativeSelect, Switch, TextInput } from "@mantine/core";
import { useState } from "react";
import type { StatsView } from "./use-stats-view.ts";
import { browserTimeZone, toDayRange } from "./view-params.ts";

const OWN = "own";
const RANGES = [
  { value: "today", label: "Today" },
  { value: "yesterday", label: "Yesterday" },
  { value: "7d", label: "7 days" },
  { value: "30d", label: "30 days" },
  { value: "90d", label: "90 days" },
  { value: "365d", label: "12 months" },
  { value: OWN, label: "From … to …" },
];

/** The browser's own and UTC before all others. */
function zonesWith(chosen: string): { value: string; label: string }[] {
  const own = browserTimeZone();
  const zones = new Set([own, "UTC", chosen, ...Intl.supportedValuesOf("timeZone")]);
  return [...zones].map((value) => ({
    value,
    label: `${value.replaceAll("_", " ")}${value === own ? " (this browser)" : ""}`,
  }));
}

interface RangeToolbarProps {
  readonly view: StatsView;
  /** Whether what is shown has a period before. */
  readonly canCompare: boolean;
}

export function RangeToolbar({ view, canCompare }: RangeToolbarProps) {
  const { range, zone, isCompared, change } = view;
  const chooseRange = (value: string) =>
    change({ range: value === OWN ? toDayRange(range, zone, Date.now()) : value });
  return (
    <Group gap="sm" align="flex-end" className="filters" component="section" aria-label="Range">
      <NativeSelect
        label="Range"
        data={RANGES}
        value={range.days === null ? range.text : OWN}
        onChange={(event) => chooseRange(event.currentTarget.value)}
      />
      {range.days !== null && <DayFields days={range.days} view={view} />}
      <NativeSelect
        label="Time zone"
        className="zone"
        data={zonesWith(zone)}
        value={zone}
        onChange={(event) => change({ tz: event.currentTarget.value })}
      />
      {canCompare && (
        <Switch
          label="Compare"
          aria-label="Compare with the period before"
          className="compare"
          checked={isCompared}
          onChange={(event) => change({ compare: event.currentTarget.checked ? undefined : "no" })}
        />
      )}
    </Group>
  );
}

interface DayFieldsProps {
  readonly days: readonly [first: string, last: string];
  readonly view: StatsView;
}

/** A field that is being typed into is no day now and then; what was asked for last stays. */
function DayFields({ days: [first, last], view }: DayFieldsProps) {
  const [asked, setAsked] = useState({ first, last });
  const [from, setFrom] = useState(first);
  const [to, setTo] = useState(last);
  const [wrong, setWrong] = useState<"from" | "to" | null>(null);
  if (asked.first !== first || asked.last !== last) {
    setAsked({ first, last });
    setFrom(first);
    setTo(last);
    setWrong(null);
  }
  const ask = (changed: "from" | "to") => {
    if (from === "" || to === "") return;
    const isTurned = from > to;
    setWrong(isTurned ? changed : null);
    if (!isTurned && (from !== first || to !== last)) view.change({ range: `${from}..${to}` });
  };
  return (
    <>
      <TextInput
        type="date"
        label="From"
        value={from}
        max={to}
        error={wrong === "from" && "This is after the last day."}
        onChange={(event) => setFrom(event.currentTarget.value)}
        onBlur={() => ask("from")}
        onKeyDown={(event) => event.key === "Enter" && ask("from")}
      />
      <TextInput
        type="date"
        label="To"
        value={to}
        min={from}
        error={wrong === "to" && "This is before the first day."}
        onChange={(event) => setTo(event.currentTarget.value)}
        onBlur={() => ask("to")}
        onKeyDown={(event) => event.key === "Enter" && ask("to")}
      />
    </>
  );
}
