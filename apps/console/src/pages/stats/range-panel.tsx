/** The panel of a range menu: the presets, and a calendar for other days. */
import { MenuItem } from "../../ui/dropdown.tsx";
import { loadLater } from "../../ui/load-later.tsx";
import "./range-panel.css";

const DaysCalendar = loadLater(async () => (await import("./calendar/days-calendar.tsx")).DaysCalendar);

export interface RangePreset {
  readonly value: string;
  readonly label: string;
  /** The key that chooses it. */
  readonly shortcut?: string;
}

interface RangePanelProps {
  readonly presets: readonly RangePreset[];
  /** After these a line is drawn, so that the list reads as groups. */
  readonly groupEnds?: ReadonlySet<string>;
  /** The value of the chosen preset; undefined: other days are chosen. */
  readonly chosen: string | undefined;
  /** The title of the calendar. */
  readonly title: string;
  readonly days: readonly [first: string, last: string];
  readonly today: string;
  /** Receives the value of a preset, or `first..last`. */
  readonly onChoose: (range: string) => void;
}

const NONE: ReadonlySet<string> = new Set();

export const RangePanel = (props: RangePanelProps) => {
  const { presets, groupEnds = NONE, chosen, title, days, today, onChoose } = props;
  return (
    <div className="range-menu">
      <div className="range-presets">
        {presets.map(({ value, label, shortcut }) => (
          <div key={value} className={groupEnds.has(value) ? "menu-group" : undefined}>
            <MenuItem isSelected={value === chosen} shortcut={shortcut} onSelect={() => onChoose(value)}>
              {label}
            </MenuItem>
          </div>
        ))}
      </div>
      <DaysCalendar title={title} days={days} today={today} onChoose={onChoose} />
    </div>
  );
};
