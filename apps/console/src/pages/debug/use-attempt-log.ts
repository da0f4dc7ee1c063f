import { useEffect, useState, useSyncExternalStore } from "react";
import { AttemptLog, type AttemptLogState, EMPTY_LOG } from "./attempt-log.ts";
import type { AttemptFilters } from "./follow-attempts.ts";

/** Used before the log is open: there is nothing to subscribe to. */
const subscribeToNothing = () => () => undefined;

/** Opens an attempt log and closes it when the component unmounts or the source or the filters change. */
export function useAttemptLog(
  sourceId: string,
  filters: AttemptFilters,
): [AttemptLogState, AttemptLog | null] {
  const [log, setLog] = useState<AttemptLog | null>(null);
  const filtersKey = JSON.stringify(filters);
  useEffect(() => {
    const opened = new AttemptLog(sourceId, JSON.parse(filtersKey) as AttemptFilters);
    setLog(opened);
    return () => {
      opened.close();
      setLog(null);
    };
  }, [sourceId, filtersKey]);
  const state = useSyncExternalStore(log?.subscribe ?? subscribeToNothing, log?.state ?? (() => EMPTY_LOG));
  return [state, log];
}
