/** Times relative to now, with the exact time as a tooltip. */
import { useEffect, useState } from "react";
import { dateFormat } from "../own-format.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../time.ts";

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", DAY_MS],
  ["hour", HOUR_MS],
  ["minute", MINUTE_MS],
];
// words of the interface, which is English
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const short = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });
const exact = dateFormat({ dateStyle: "medium", timeStyle: "medium" });
const minute = dateFormat({ dateStyle: "medium", timeStyle: "short" });
const day = dateFormat({ dateStyle: "medium" });
/** @returns for example `Sep 29, 2026, 8:00:00 PM` */
export const formatExactTime = (date: Date): string => exact().format(date);
/** @returns for example `Sep 29, 2026` */
export const formatDay = (at: string): string => day().format(new Date(at));

/**
 * @param at in milliseconds since the epoch, like `now`
 * @returns for example `3 hours ago`
 */
export function formatRelativeTime(at: number, now: number, format = relative): string {
  const unit = UNITS.find(([, lengthMs]) => Math.abs(at - now) >= lengthMs);
  return unit ? format.format(Math.trunc((at - now) / unit[1]), unit[0]) : "just now";
}

/** The current time, updated every minute. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}

interface RelativeTimeProps {
  readonly at: string | null;
  /** Shown when there is no time. */
  readonly missing?: string;
  /** For a narrow column: `11 min. ago`. */
  readonly isShort?: boolean;
}

export function RelativeTime({ at, missing = "—", isShort = false }: RelativeTimeProps) {
  const now = useNow();
  if (at === null) return missing;
  const date = new Date(at);
  return (
    <time dateTime={at} title={formatExactTime(date)}>
      {formatRelativeTime(date.getTime(), Math.max(now, date.getTime()), isShort ? short : relative)}
    </time>
  );
}

/** The date and time of an expiry. */
export function ExpiryTime({ at }: { readonly at: string | null }) {
  return at === null ? "Never" : <time dateTime={at}>{minute().format(new Date(at))}</time>;
}

/** The day of an expiry, with its time as a tooltip. */
export const ExpiryDay = ({ at }: { readonly at: string | null }) =>
  at === null ? (
    "Never"
  ) : (
    <time dateTime={at} title={formatExactTime(new Date(at))}>
      {formatDay(at)}
    </time>
  );
