import { useEffect, useState, useSyncExternalStore } from "react";
import { type AttemptLog, type AttemptLogState, EMPTY_LOG, openAttemptLog } from "./attempt-log.ts";
import type { AttemptFilters } from "./follow-attempts.ts";

const never = () => () => undefined;

/** One log for as long as source and filters stay; other filters are another log. */
export function useAttemptLog(
  sourceId: string,
  filters: AttemptFilters,
): [AttemptLogState, AttemptLog | null] {
  const [log, setLog] = useState<AttemptLog | null>(null);
  const asked = JSON.stringify(filters);
  useEffect(() => {
    const opened = openAttemptLog(sourceId, JSON.parse(asked) as AttemptFilters);
    setLog(opened);
    return () => {
      opened.close();
      setLog(null);
    };
  }, [sourceId, asked]);
  const state = useSyncExternalStore(log?.subscribe ?? never, log?.state ?? (() => EMPTY_LOG));
  return [state, log];
}
