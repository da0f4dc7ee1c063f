/** The menus that choose the date range and the period it is compared with. */
import { useShortcuts } from "../../shortcuts.tsx";
import { Dropdown } from "../../ui/dropdown.tsx";
import { formatDays } from "./format.ts";
import { RangePanel } from "./range-panel.tsx";
import type { StatsView } from "./use-stats-view.ts";
import { COMPARISONS, comparedDays, PRESETS, readDays, todayIn } from "./view-range.ts";

/** A phone has no room for the first word. */
const LAST_DAYS = /^Last (?=\d)/;
/** After these a line is drawn, so that the list reads as groups. */
const GROUP_ENDS: ReadonlySet<string> = new Set(["24h", "90d", "lastMonth"]);

export function RangeMenu({ view: { range, timeZone, update } }: { readonly view: StatsView }) {
  const preset = PRESETS.find(({ value }) => !range.isCustom && value === range.text);
  const show = (value: string) => update({ range: value, interval: undefined });
  useShortcuts(
    PRESETS.flatMap((one) => ("shortcut" in one ? [[one.shortcut, () => show(one.value)] as const] : [])),
  );
  const text = preset?.label ?? formatDays(range.days);
  return (
    <Dropdown
      shortcut="R"
      label={`Range: ${text}`}
      icon="calendar"
      align="end"
      button={
        <span className="dropdown-text">
          {LAST_DAYS.test(text) && <span className="toolbar-long">Last </span>}
          <span className={preset ? undefined : "toolbar-long"}>{text.replace(LAST_DAYS, "")}</span>
          {/* no text: the name of the button has none of it */}
          {!preset && <span className="toolbar-short" data-text={formatDays(range.days, "short")} />}
        </span>
      }
    >
      {(close) => {
        const choose = (value: string) => {
          close();
          show(value);
        };
        return (
          <RangePanel
            presets={PRESETS}
            groupEnds={GROUP_ENDS}
            chosen={preset?.value}
            title="Custom range"
            days={range.days}
            today={todayIn(timeZone, Date.now())}
            onChoose={choose}
          />
        );
      }}
    </Dropdown>
  );
}

export function ComparisonMenu({ view }: { readonly view: StatsView }) {
  const { range, comparison, timeZone, update } = view;
  const chosen = COMPARISONS.find(({ value }) => value === comparison.text);
  const days = readDays(comparison.text);
  const text = days ? `vs. ${formatDays(days)}` : (chosen?.label ?? "Compare");
  return (
    <Dropdown
      shortcut="C"
      label={`Comparison: ${text}`}
      align="end"
      button={
        <>
          <span className="dropdown-text toolbar-long">{text}</span>
          {/* no text: the name of the button has none of it */}
          <span className="toolbar-short" data-text={comparison.request === false ? "vs. —" : "vs."} />
        </>
      }
    >
      {(close) => {
        const choose = (value: string) => {
          close();
          update({ compare: value === "previous" ? undefined : value });
        };
        return (
          <RangePanel
            presets={COMPARISONS}
            chosen={chosen?.value}
            title="Compare with"
            days={comparedDays(range, comparison)}
            today={todayIn(timeZone, Date.now())}
            onChoose={choose}
          />
        );
      }}
    </Dropdown>
  );
}
