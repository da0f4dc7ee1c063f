import { NUMBER_FORMATS, type NumberFormat } from "@headwater/contract/preferences";

const STORED = "headwater.numbers";
/** The locale that writes numbers so, and whether it separates thousands. */
const LOCALES: Readonly<Record<NumberFormat, readonly [locale: string, useGrouping: boolean]>> = {
  auto: ["en", true],
  "1,234.5": ["en", true],
  "1.234,5": ["de", true],
  "1 234,5": ["fr", true],
  "1234.5": ["en", false],
};

/** Kept in the browser too, so that a page that opens need not wait for the profile. */
function storedFormat(): NumberFormat {
  try {
    const stored = localStorage.getItem(STORED);
    return NUMBER_FORMATS.find((name) => name === stored) ?? "auto";
  } catch {
    return "auto";
  }
}

let chosen = storedFormat();

/** How all numbers are written from now on. */
export function setNumberFormat(name: NumberFormat): void {
  chosen = name;
  try {
    localStorage.setItem(STORED, name);
  } catch {
    // the next page reads the profile
  }
}

/** @returns a function that formats numbers with these options, as the user wants to read them */
export function numberFormatter(options: Intl.NumberFormatOptions = {}): (number: number) => string {
  const formats = new Map<NumberFormat, Intl.NumberFormat>();
  return (number) => {
    const [locale, useGrouping] = LOCALES[chosen];
    const format = formats.get(chosen) ?? new Intl.NumberFormat(locale, { useGrouping, ...options });
    formats.set(chosen, format);
    return format.format(number);
  };
}

const decimals = numberFormatter({ maximumFractionDigits: 2 });
/** Formats a count with thousands separators: `1,234`. */
export const formatCount = numberFormatter();

/** Formats a size: `12 KB`, `3.4 MB`. */
export const formatBytes = (bytes: number): string =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} KB` : `${formatCount(Math.round(bytes / 1e5) / 10)} MB`;

/** Formats a share in whole percent: `24%`, `<1%`. Less than all is at most `99%`. */
export function formatWholePercent(share: number): string {
  if (share > 0 && share < 0.01) return "<1%";
  const percent = Math.round(share * 100);
  return `${formatCount(share < 1 ? Math.min(percent, 99) : percent)}%`;
}

/** @returns `1 event`, `3 events` */
export const pluralize = (number: number, singular: string): string =>
  `${formatCount(number)} ${singular}${number === 1 ? "" : "s"}`;

/** A number from here on is wider than its column. */
const MIN_COMPACT = 1e9;
const compact = { notation: "compact", maximumFractionDigits: 2 } as const;
const compactCount = numberFormatter(compact);
/** Formats a number of a column, with at most two decimals: `1,234.5` or `7.35B`. */
export const formatFigure = (number: number): string =>
  Math.abs(number) < MIN_COMPACT ? decimals(number) : compactCount(number);

const moneyFormatters = new Map<string, (amount: number) => string>();
/** @param currency an ISO 4217 code */
export function formatMoney(amount: number, currency: string, isCompact = false): string {
  const key = `${currency} ${isCompact}`;
  const format =
    moneyFormatters.get(key) ?? numberFormatter({ style: "currency", currency, ...(isCompact && compact) });
  moneyFormatters.set(key, format);
  return format(amount);
}

/** Formats an amount of a column: `€1,234.50` or `€1.98T`. */
export const formatAmount = (amount: number, currency: string): string =>
  formatMoney(amount, currency, Math.abs(amount) >= MIN_COMPACT);
