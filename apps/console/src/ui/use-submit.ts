import type { FormEvent } from "react";
import { useUnsaved } from "./unsaved.tsx";
import { useOnce } from "./use-once.ts";

/**
 * What a form does when it is sent, once at a time.
 * @param send what fails is told by what it calls, and not here
 * @param isUnsaved whether the form has what would be lost with its page
 */
export function useSubmit(send: () => unknown, isUnsaved = false): (event: FormEvent) => Promise<void> {
  useUnsaved(isUnsaved);
  const sendOnce = useOnce(send);
  return (event) => {
    event.preventDefault();
    return sendOnce();
  };
}
