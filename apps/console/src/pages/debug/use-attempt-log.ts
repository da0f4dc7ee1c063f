import { useEffect, useState, useSyncExternalStore } from "react";
import { type AttemptLog, type LogState, NOTHING, openAttemptLog } from "./attempt-log.ts";
import type { Filters } from "./follow.ts";

const never = () => () => undefined;

/** One log for as long as source and filters stay; other filters are another log. */
export function useAttemptLog(sourceId: string, filters: Filters): [LogState, AttemptLog | null] {
  const [log, setLog] = useState<AttemptLog | null>(null);
  const asked = JSON.stringify(filters);
  useEffect(() => {
    const opened = openAttemptLog(sourceId, JSON.parse(asked) as Filters);
    setLog(opened);
    return () => {
      opened.close();
      setLog(null);
    };
  }, [sourceId, asked]);
  const state = useSyncExternalStore(log?.subscribe ?? never, log?.state ?? (() => NOTHING));
  return [state, log];
}
