import type { FormEvent } from "react";
import { useUnsavedChanges } from "./unsaved-changes.tsx";
import { useSingleFlight } from "./use-single-flight.ts";

/**
 * What a form does when it is sent, once at a time.
 * @param send what fails is told by what it calls, and not here
 * @param isUnsaved whether the form has what would be lost with its page
 */
export function useSubmit(send: () => unknown, isUnsaved = false): (event: FormEvent) => Promise<void> {
  useUnsavedChanges(isUnsaved);
  const sendOnce = useSingleFlight(send);
  return (event) => {
    event.preventDefault();
    return sendOnce();
  };
}
