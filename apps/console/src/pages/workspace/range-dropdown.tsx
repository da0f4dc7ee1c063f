/** The menu that chooses the range of the usage and of the audit log. */
import { Dropdown } from "../../ui/dropdown.tsx";
import { formatDays } from "../stats/format.ts";
import { RangePanel } from "../stats/range-panel.tsx";
import { readDays, shiftDay } from "../stats/view-range.ts";

type FirstAndLastDay = readonly [first: string, last: string];

/** A range of days that has a name. */
export interface NamedRange {
  readonly value: string;
  readonly label: string;
  readonly days: FirstAndLastDay;
}

interface ChosenRange {
  readonly text: string;
  readonly days: FirstAndLastDay;
  /** undefined: other days are chosen. */
  readonly preset: NamedRange | undefined;
}

export const lastDays = (today: string, count: number): NamedRange => ({
  value: `${count}d`,
  label: `Last ${count} days`,
  days: [shiftDay(today, 1 - count), today],
});

/** @param text of the address: the value of a preset, or `first..last`; anything else is the fallback */
export function readRange(
  presets: readonly NamedRange[],
  text: string | undefined,
  fallback: NamedRange,
): ChosenRange {
  const days = readDays(text);
  if (days) return { text: formatDays(days), days, preset: undefined };
  const preset = presets.find(({ value }) => value === text) ?? fallback;
  return { text: preset.label, days: preset.days, preset };
}

interface RangeDropdownProps {
  readonly presets: readonly NamedRange[];
  readonly range: ChosenRange;
  readonly today: string;
  readonly onChoose: (range: string) => void;
}

export const RangeDropdown = ({ presets, range, today, onChoose }: RangeDropdownProps) => (
  <Dropdown
    shortcut="R"
    label={`Range: ${range.text}`}
    icon="calendar"
    button={<span className="dropdown-text">{range.text}</span>}
  >
    {(close) => (
      <RangePanel
        presets={presets}
        chosen={range.preset?.value}
        title="Custom range"
        days={range.days}
        today={today}
        onChoose={(text) => {
          close();
          onChoose(text);
        }}
      />
    )}
  </Dropdown>
);
