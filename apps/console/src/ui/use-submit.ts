import type { FormEvent } from "react";
import { useUnsavedChanges } from "./unsaved-changes.tsx";
import { useSingleFlight } from "./use-single-flight.ts";

/**
 * The submit handler of a form. A submit during a running one is ignored.
 * @param send its errors are ignored here: the mutation inside it reports them
 * @param isUnsaved whether leaving the page would lose input
 */
export function useSubmit(send: () => unknown, isUnsaved = false): (event: FormEvent) => Promise<void> {
  useUnsavedChanges(isUnsaved);
  const sendOnce = useSingleFlight(send);
  return (event) => {
    event.preventDefault();
    return sendOnce();
  };
}
