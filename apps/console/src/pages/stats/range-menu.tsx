/** The menus that choose the date range and the period it is compared with. */
import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { Dropdown, MenuItem, MenuTitle } from "../../ui/dropdown.tsx";
import { formatDays } from "./format.ts";
import type { StatsView } from "./use-stats-view.ts";
import { COMPARISONS, comparedDays, PRESETS, readDays } from "./view-range.ts";

/** After these a line is drawn, so that the list reads as groups. */
const GROUP_ENDS: ReadonlySet<string> = new Set(["24h", "90d", "lastMonth"]);

export function RangeMenu({ view: { range, update } }: { readonly view: StatsView }) {
  const preset = PRESETS.find(({ value }) => !range.isCustom && value === range.text);
  const text = preset?.label ?? formatDays(range.days);
  return (
    <Dropdown
      shortcut="R"
      label={`Range: ${text}`}
      icon="calendar"
      align="end"
      button={<span className="dropdown-text">{text}</span>}
    >
      {(close) => {
        const choose = (value: string) => {
          close();
          update({ range: value, interval: undefined });
        };
        return (
          <>
            {PRESETS.map(({ value, label }) => (
              <div key={value} className={GROUP_ENDS.has(value) ? "menu-group" : undefined}>
                <MenuItem isSelected={value === preset?.value} onSelect={() => choose(value)}>
                  {label}
                </MenuItem>
              </div>
            ))}
            <hr className="menu-rule" />
            <DaysForm title="Custom range" days={range.days} onChoose={choose} />
          </>
        );
      }}
    </Dropdown>
  );
}

export function ComparisonMenu({ view: { range, comparison, update } }: { readonly view: StatsView }) {
  const chosen = COMPARISONS.find(({ value }) => value === comparison.text);
  const days = readDays(comparison.text);
  const text = days ? `vs. ${formatDays(days)}` : (chosen?.label ?? "Compare");
  return (
    <Dropdown
      shortcut="C"
      label={`Comparison: ${text}`}
      align="end"
      button={<span className="dropdown-text">{text}</span>}
    >
      {(close) => {
        const choose = (value: string) => {
          close();
          update({ compare: value === "previous" ? undefined : value });
        };
        return (
          <>
            {COMPARISONS.map(({ value, label }) => (
              <MenuItem key={value} isSelected={value === chosen?.value} onSelect={() => choose(value)}>
                {label}
              </MenuItem>
            ))}
            <hr className="menu-rule" />
            <DaysForm title="Compare with" days={comparedDays(range, comparison)} onChoose={choose} />
          </>
        );
      }}
    </Dropdown>
  );
}

interface DaysFormProps {
  readonly title: string;
  readonly days: readonly [first: string, last: string];
  /** Receives `first..last`. */
  readonly onChoose: (text: string) => void;
}

/** The browser's own calendars for the first and the last day. */
function DaysForm({ title, days, onChoose }: DaysFormProps) {
  const [from, setFrom] = useState(days[0]);
  const [to, setTo] = useState(days[1]);
  const isReversed = from !== "" && to !== "" && from > to;
  return (
    <form
      className="menu-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (from !== "" && to !== "" && !isReversed) onChoose(`${from}..${to}`);
      }}
    >
      <MenuTitle>{title}</MenuTitle>
      <div className="menu-days">
        <TextInput
          type="date"
          label="From"
          value={from}
          error={isReversed && "Must not be after the end date"}
          onChange={(event) => setFrom(event.currentTarget.value)}
        />
        <TextInput type="date" label="To" value={to} onChange={(event) => setTo(event.currentTarget.value)} />
      </div>
      <Button type="submit" size="xs" fullWidth disabled={isReversed}>
        Apply
      </Button>
    </form>
  );
}
