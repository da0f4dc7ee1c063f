/** Formats counts, sizes, shares and amounts of money. */
import { numberFormatter } from "../own-format.ts";

const decimals = numberFormatter({ maximumFractionDigits: 2 });
/** Formats a count with thousands separators: `1,234`. */
export const formatCount = numberFormatter();

/** Formats a size: `12 KB`, `3.4 MB`. */
export const formatBytes = (bytes: number): string =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} KB` : `${formatCount(Math.round(bytes / 1e5) / 10)} MB`;

const wholePercent = numberFormatter({ style: "percent" });
/** Formats a share in whole percent: `24%`, `<1%`. Less than all is at most `99%`. */
export function formatWholePercent(share: number): string {
  if (share > 0 && share < 0.01) return `<${wholePercent(0.01)}`;
  return wholePercent(share < 1 ? Math.min(share, 0.99) : share);
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
