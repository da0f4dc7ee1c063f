/** Preferences of a person for the console. */
export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];
/** Whose dates and numbers are written: `auto` those of the browser's language, the others by their BCP 47 tags. */
export const LOCALES = [
  "auto",
  "en-US",
  "en-GB",
  "en-CA",
  "cs",
  "da",
  "de",
  "de-AT",
  "de-CH",
  "es",
  "es-MX",
  "fi",
  "fr",
  "fr-CA",
  "it",
  "ja",
  "ko",
  "nb",
  "nl",
  "pl",
  "pt-BR",
  "pt-PT",
  "sv",
  "tr",
  "uk",
  "zh-CN",
] as const;
export type Locale = (typeof LOCALES)[number];
/** How numbers are written: `auto` as in the locale, the others by an example of each. */
export const NUMBER_FORMATS = ["auto", "1,234.5", "1.234,5", "1 234,5", "1234.5"] as const;
export type NumberFormat = (typeof NUMBER_FORMATS)[number];
export const CLOCKS = ["auto", "12h", "24h"] as const;
export type Clock = (typeof CLOCKS)[number];
export const WEEK_STARTS = ["auto", "monday", "saturday", "sunday"] as const;
export type WeekStart = (typeof WEEK_STARTS)[number];
/** How a person reads dates, times and numbers. */
export interface FormatPreferences {
  locale: Locale;
  numberFormat: NumberFormat;
  clock: Clock;
  weekStart: WeekStart;
}
