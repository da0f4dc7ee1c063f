/** Preferences of a person for the console. */
export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];
/** How numbers are written: `auto` as in English, the others by an example of each. */
export const NUMBER_FORMATS = ["auto", "1,234.5", "1.234,5", "1 234,5", "1234.5"] as const;
export type NumberFormat = (typeof NUMBER_FORMATS)[number];
