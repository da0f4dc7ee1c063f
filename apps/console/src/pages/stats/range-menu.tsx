/** The menus that choose the date range and the period it is compared with. */
import { Dropdown, MenuItem } from "../../ui/dropdown.tsx";
import { loadLater } from "../../ui/load-later.tsx";
import { formatDays } from "./format.ts";
import type { StatsView } from "./use-stats-view.ts";
import { COMPARISONS, comparedDays, PRESETS, readDays } from "./view-range.ts";

const DaysForm = loadLater(async () => (await import("./days-form.tsx")).DaysForm);

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
