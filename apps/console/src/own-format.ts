/** How this person reads dates, times and numbers: as chosen in the profile, else as the browser's language has them. */
import type { FormatPreferences, NumberFormat, WeekStart } from "@headwater/contract/preferences";

const STORED = "headwater.format";
const DEFAULTS: FormatPreferences = {
  locale: "auto",
  numberFormat: "auto",
  clock: "auto",
  weekStart: "auto",
};

/** Kept in the browser too, so that a page that opens need not wait for the profile. */
function readStored(): FormatPreferences {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(STORED) ?? "{}") };
  } catch {
    return DEFAULTS;
  }
}

let chosen = readStored();

/** How dates, times and numbers are written from now on. */
export function setOwnFormat({ locale, numberFormat, clock, weekStart }: FormatPreferences): void {
  chosen = { locale, numberFormat, clock, weekStart };
  try {
    localStorage.setItem(STORED, JSON.stringify(chosen));
  } catch {
    // the next page reads the profile
  }
}

/** Days are Gregorian, and figures have Latin digits. @param tag `auto`: the browser's language */
export const toLocale = (tag: string) =>
  new Intl.Locale(tag === "auto" ? navigator.language : tag, {
    calendar: "gregory",
    numberingSystem: "latn",
  });

/** @returns a function that makes a value once for each choice of the person */
function perChoice<Value>(make: (choice: FormatPreferences) => Value): () => Value {
  let made: { readonly choice: FormatPreferences; readonly value: Value } | undefined;
  return () => {
    if (made?.choice !== chosen) made = { choice: chosen, value: make(chosen) };
    return made.value;
  };
}

/** @returns a function that returns the format of these options, as this person reads dates and times */
export const dateFormat = (options: Intl.DateTimeFormatOptions): (() => Intl.DateTimeFormat) =>
  perChoice(
    ({ locale, clock }) =>
      new Intl.DateTimeFormat(toLocale(locale), {
        ...options,
        ...(clock !== "auto" && { hourCycle: clock === "12h" ? "h12" : "h23" }),
      }),
  );

/** The locale that writes numbers so, and whether it separates thousands. */
const NUMBER_LOCALES: Readonly<
  Record<Exclude<NumberFormat, "auto">, readonly [tag: string, useGrouping: boolean]>
> = {
  "1,234.5": ["en", true],
  "1.234,5": ["de", true],
  "1 234,5": ["fr", true],
  "1234.5": ["en", false],
};

/** @returns a function that formats numbers with these options, as this person reads them */
export function numberFormatter(options: Intl.NumberFormatOptions = {}): (number: number) => string {
  const format = perChoice(({ locale, numberFormat }) => {
    const [tag, useGrouping] = numberFormat === "auto" ? [locale, true] : NUMBER_LOCALES[numberFormat];
    return new Intl.NumberFormat(toLocale(tag), { useGrouping, ...options });
  });
  return (number) => format().format(number);
}

const FIRST_DAYS: Readonly<Record<Exclude<WeekStart, "auto">, number>> = {
  monday: 1,
  saturday: 6,
  sunday: 7,
};

/** The first day of the week: 1 for Monday to 7. Monday in a browser that does not know it. */
export const firstWeekdayIn = (locale: Intl.Locale): number => locale.getWeekInfo?.().firstDay ?? 1;

/** The same of this person. */
export const firstWeekday = perChoice(({ locale, weekStart }) =>
  weekStart === "auto" ? firstWeekdayIn(toLocale(locale)) : FIRST_DAYS[weekStart],
);
