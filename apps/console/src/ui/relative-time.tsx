/** Times relative to now, with the exact time as a tooltip. */
import { useEffect, useState } from "react";

const MINUTE_MS = 60_000;
const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", MINUTE_MS],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const exact = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" });
const minute = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });
/** @returns for example `Sep 29, 2026, 20:00:00` */
export const formatExactTime = (date: Date): string => exact.format(date);

/**
 * @param at in milliseconds since the epoch, like `now`
 * @returns for example `3 hours ago`
 */
export function formatRelativeTime(at: number, now: number): string {
  const unit = UNITS.find(([, lengthMs]) => Math.abs(at - now) >= lengthMs);
  return unit ? relative.format(Math.trunc((at - now) / unit[1]), unit[0]) : "just now";
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
}

export function RelativeTime({ at, missing = "—" }: RelativeTimeProps) {
  const now = useNow();
  if (at === null) return missing;
  const date = new Date(at);
  return (
    <time dateTime={at} title={exact.format(date)}>
      {formatRelativeTime(date.getTime(), Math.max(now, date.getTime()))}
    </time>
  );
}

/** The date and time of an expiry. */
export function ExpiryTime({ at }: { readonly at: string | null }) {
  return at === null ? "Never" : <time dateTime={at}>{minute.format(new Date(at))}</time>;
}
