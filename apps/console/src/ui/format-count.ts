import type { NumberFormat } from "@headwater/contract/preferences";

const STORED = "headwater.numbers";
const FORMATS: Readonly<Record<NumberFormat, Intl.NumberFormat>> = {
  auto: new Intl.NumberFormat("en"),
  "1,234.5": new Intl.NumberFormat("en"),
  "1.234,5": new Intl.NumberFormat("de"),
  "1 234,5": new Intl.NumberFormat("fr"),
  "1234.5": new Intl.NumberFormat("en", { useGrouping: false }),
};

/** Kept in the browser too, so that a page that opens need not wait for the profile. */
function storedFormat(): Intl.NumberFormat {
  try {
    const stored = localStorage.getItem(STORED);
    return Object.entries(FORMATS).find(([name]) => name === stored)?.[1] ?? FORMATS.auto;
  } catch {
    return FORMATS.auto;
  }
}

let format = storedFormat();

/** How all counts are written from now on. */
export function setNumberFormat(name: NumberFormat): void {
  format = FORMATS[name];
  try {
    localStorage.setItem(STORED, name);
  } catch {
    // the next page reads the profile
  }
}

/** Formats a count with thousands separators: `1,234`. */
export const formatCount = (number: number): string => format.format(number);

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

/** @param currency an ISO 4217 code */
export const formatMoney = (amount: number, currency: string): string =>
  new Intl.NumberFormat("en", { style: "currency", currency }).format(amount);
