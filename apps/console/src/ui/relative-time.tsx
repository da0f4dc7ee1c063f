/** Times as people say them, with the exact one for whoever points at it. */
import { useEffect, useState } from "react";

const MINUTE_MS = 60_000;
const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", MINUTE_MS],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const exact = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" });

/** @param at milliseconds since the epoch, as `now` */
export function formatRelativeTime(at: number, now: number): string {
  const step = STEPS.find(([, lengthMs]) => Math.abs(at - now) >= lengthMs);
  return step ? relative.format(Math.trunc((at - now) / step[1]), step[0]) : "just now";
}

/** The time of now, renewed each minute. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}

export function RelativeTime({
  at,
  never = "never",
}: {
  readonly at: string | null;
  readonly never?: string;
}) {
  const now = useNow();
  if (at === null) return never;
  const date = new Date(at);
  return (
    <time dateTime={at} title={exact.format(date)}>
      {formatRelativeTime(date.getTime(), Math.max(now, date.getTime()))}
    </time>
  );
}

/** For times ahead of now: an expiry. */
export function ExactTime({ at, never = "never" }: { readonly at: string | null; readonly never?: string }) {
  return at === null ? never : <time dateTime={at}>{exact.format(new Date(at))}</time>;
}
