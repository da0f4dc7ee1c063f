/** The fields of the profile that choose the colours of the console, and how it writes dates, times and numbers. */
import {
  CLOCKS,
  type FormatPreferences,
  LOCALES,
  NUMBER_FORMATS,
  THEMES,
  type Theme,
  WEEK_STARTS,
} from "@headwater/contract/preferences";
import { firstWeekdayIn, toLocale } from "../own-format.ts";
import { NativeSelect } from "../ui/primitives/fields.tsx";

interface ConsolePreferences extends FormatPreferences {
  readonly theme: Theme;
}

/** The preferences among the members of a profile. */
export const toPreferences = ({
  theme,
  locale,
  numberFormat,
  clock,
  weekStart,
}: ConsolePreferences): ConsolePreferences => ({ theme, locale, numberFormat, clock, weekStart });

const THEME_LABELS = { auto: "System", light: "Light", dark: "Dark" } as const;
const CLOCK_LABELS = { "12h": "12-hour clock", "24h": "24-hour clock" } as const;
const DAY_LABELS = { monday: "Monday", saturday: "Saturday", sunday: "Sunday" } as const;

const languages = new Intl.DisplayNames("en", { type: "language", languageDisplay: "standard" });
const languageOf = (tag: string): string =>
  tag === "auto" ? `Browser: ${languageOf(navigator.language)}` : (languages.of(tag) ?? tag);
/** By name, after the browser's. */
const SORTED_LOCALES = [
  ...LOCALES.slice(0, 1),
  ...LOCALES.slice(1).toSorted((one, other) => languageOf(one).localeCompare(languageOf(other))),
];

/** A number, a time and the first day of the week, as people who read the locale expect them. */
function examplesOf(locale: string) {
  const tag = toLocale(locale);
  const evening = Date.UTC(2026, 8, 30, 20, 30);
  const weekStart = firstWeekdayIn(tag);
  return {
    number: new Intl.NumberFormat(tag).format(1234.5),
    time: new Intl.DateTimeFormat(tag, { timeStyle: "short", timeZone: "UTC" }).format(evening),
    // January 1, 2024 was a Monday
    day: new Intl.DateTimeFormat("en", { weekday: "long", timeZone: "UTC" }).format(
      Date.UTC(2024, 0, weekStart),
    ),
  };
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly description?: string;
  readonly values: readonly Value[];
  readonly labelOf: (value: Value) => string;
  readonly value: Value;
  readonly onChoose: (value: Value) => void;
}

const Choice = <Value extends string>({ values, labelOf, onChoose, ...field }: ChoiceProps<Value>) => (
  <NativeSelect
    {...field}
    data={values.map((value) => ({ value, label: labelOf(value) }))}
    onChange={({ currentTarget }) => {
      const chosen = values.find((value) => value === currentTarget.value);
      if (chosen !== undefined) onChoose(chosen);
    }}
  />
);

interface PreferenceFieldsProps {
  readonly chosen: ConsolePreferences;
  readonly onChange: (chosen: ConsolePreferences) => void;
}

export function PreferenceFields({ chosen, onChange }: PreferenceFieldsProps) {
  const examples = examplesOf(chosen.locale);
  const labels = (auto: string, others: Readonly<Record<string, string>> = {}) => {
    const ofLanguage = `Language default: ${auto}`;
    return (value: string) => (value === "auto" ? ofLanguage : (others[value] ?? value));
  };
  return (
    <>
      <Choice
        label="Theme"
        values={THEMES}
        labelOf={(value) => THEME_LABELS[value]}
        value={chosen.theme}
        onChoose={(theme) => onChange({ ...chosen, theme })}
      />
      <Choice
        label="Language for dates and numbers"
        description="The interface stays in English."
        values={SORTED_LOCALES}
        labelOf={languageOf}
        value={chosen.locale}
        onChoose={(locale) => onChange({ ...chosen, locale })}
      />
      <Choice
        label="Number format"
        values={NUMBER_FORMATS}
        labelOf={labels(examples.number)}
        value={chosen.numberFormat}
        onChoose={(numberFormat) => onChange({ ...chosen, numberFormat })}
      />
      <Choice
        label="Time format"
        values={CLOCKS}
        labelOf={labels(examples.time, CLOCK_LABELS)}
        value={chosen.clock}
        onChoose={(clock) => onChange({ ...chosen, clock })}
      />
      <Choice
        label="First day of the week"
        description="Used in calendars and in “Hours of the week”. Weekly figures always begin on Monday."
        values={WEEK_STARTS}
        labelOf={labels(examples.day, DAY_LABELS)}
        value={chosen.weekStart}
        onChoose={(weekStart) => onChange({ ...chosen, weekStart })}
      />
    </>
  );
}
